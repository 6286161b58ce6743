import { freeForm } from '../../api/schema.ts'
import type { DriverDescriptor } from '../../domain/resource/driver.ts'

export const echoDescriptor: DriverDescriptor = {
  name: 'echo',
  description:
    'Makes nothing: the outputs are the inputs. For things that exist already. Also under its earlier name `static`.',
  account: { types: [], required: false },
  values: freeForm('Outputs that are not secret.'),
  secrets: freeForm('Secret outputs.'),
  neighbours: {},
  takesIngressRules: false,
  outputNames: ({ values, secretRefs }) => [...Object.keys(values), ...Object.keys(secretRefs)],
  replaceOnChangeOf: [],
}
