import { defineKind, type ObjectOf } from './kind.ts'
import { anyValue, freeForm, list, object, string } from './schema.ts'

export const ResourceDriver = defineKind({
  kind: 'ResourceDriver',
  plural: 'resourcedrivers',
  shortName: 'qmdriver',
  description:
    'A driver of somebody else, reached over HTTP, or one that wraps another. Definitions name it as `<organization>/<name of this object>`.',
  spec: object(
    {
      type: string('Resource type that the driver provisions.', { maxLength: 127 }),
      target: string(
        'Where the driver is: the HTTP or HTTPS address to which a GUResID is appended, or `driver://<organization or vendor>/<driver>` for a driver that wraps another.',
        { maxLength: 2048 },
      ),
    },
    {
      inputsSchema: freeForm(
        'JSON Schema of the inputs: the plain ones under the property `values`, the secret ones under `secrets`. Anything when absent.',
      ),
      accountTypes: list(
        string('An account type.', { maxLength: 63 }),
        'Types that an account may have; an account is not needed when the list is empty or absent.',
        { maxItems: 64 },
      ),
      template: anyValue(
        'For a driver that wraps another: a template, or an object whose texts are templates, of the inputs of the other.',
      ),
    },
    'Where the driver is and what it takes.',
  ),
  status: object({}, {}, 'What the operator saw.'),
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
