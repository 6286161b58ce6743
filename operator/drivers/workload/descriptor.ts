import { object } from '../../api/schema.ts'
import type { DriverDescriptor } from '../../domain/resource/driver.ts'

export const workloadDescriptor: DriverDescriptor = {
  name: 'workload',
  description: 'Keeps the module of a workload with its placeholders resolved; secret texts are references.',
  resourceTypes: ['workload'],
  account: { types: [], required: false },
  values: object({}, {}, 'None.'),
  secrets: object({}, {}, 'None.'),
  neighbours: {},
  takesIngressRules: false,
  replaceOnChangeOf: [],
}
