import { defineKind, type ObjectOf } from './kind.ts'
import { anyValue, freeForm, list, object, string } from './schema.ts'

export const ResourceDriver = defineKind({
  kind: 'ResourceDriver',
  plural: 'resourcedrivers',
  shortName: 'qmdriver',
  description:
    'A custom driver: an HTTP service, or a wrapper of another driver. Definitions name it `<organization>/<name of this object>`.',
  spec: object(
    {
      type: string('Resource type that the driver provisions.', { maxLength: 127 }),
      target: string(
        'Address of the driver: an HTTP or HTTPS URL, to which the GUResID is appended, or `driver://<organization or vendor>/<driver>` for a wrapper.',
        { maxLength: 2048 },
      ),
    },
    {
      inputsSchema: freeForm(
        'JSON Schema of the inputs: non-secret ones under the property `values`, secret ones under `secrets`. Without it, all inputs are accepted.',
      ),
      accountTypes: list(
        string('An account type.', { maxLength: 63 }),
        'Accepted account types. An account is required unless the list is empty, absent or contains `none`.',
        { maxItems: 64 },
      ),
      template: anyValue(
        'For a wrapper: a Go template, or an object whose texts are Go templates, that renders the inputs of the wrapped driver.',
      ),
    },
    'Address and inputs of the driver.',
  ),
  status: object({}, {}, 'Observed state.'),
  columns: [
    { name: 'Type', jsonPath: '.spec.type' },
    { name: 'Target', jsonPath: '.spec.target' },
  ],
  rules: [
    {
      rule: "self.metadata.name.matches('^[a-z0-9]+(-[a-z0-9]+)*$')",
      message: 'the name must be lower-case words joined by single hyphens',
    },
  ],
})
export type ResourceDriver = ObjectOf<typeof ResourceDriver>
