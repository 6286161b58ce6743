import { object, oneOf } from '../../api/schema.ts'
import type { DriverDescriptor } from '../../domain/resource/driver.ts'

/** The plain inputs of the driver. */
export const workloadValues = object(
  {},
  {
    outputs: oneOf(
      ['module', 'none'],
      'Outputs: the module with its placeholders resolved and secret texts by reference, or none. `module` when absent.',
    ),
  },
  'Inputs of the workload driver.',
)

export const workloadDescriptor: DriverDescriptor = {
  name: 'workload',
  description:
    'Renders the module of a workload to a Deployment, StatefulSet, Job or CronJobs, with what its pods use.',
  resourceTypes: ['workload'],
  account: { types: [], required: false },
  values: workloadValues,
  secrets: object({}, {}, 'None.'),
  neighbours: {},
  takesIngressRules: false,
  rendersModules: true,
  replaceOnChangeOf: [],
}
