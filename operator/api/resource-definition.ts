import { defineKind, type ObjectOf } from './kind.ts'
import { boolean, freeForm, list, map, object, ownedSecretNames, type Static, string } from './schema.ts'

/** Matching criteria: every given key must fit the context. */
export const criterionSchema = object(
  {},
  {
    envType: string('Environment type that must be the environment\'s. `"*"` is the same as absent.', {
      maxLength: 63,
    }),
    appId: string('Application id that must be the environment\'s. `"*"` is the same as absent.', {
      maxLength: 63,
    }),
    envId: string('Environment id that must fit. `"*"` is the same as absent.', { maxLength: 63 }),
    resId: string('Resource ID that must fit. `"*"` is the same as absent.', { maxLength: 253 }),
    class: string('Resource class that must fit exactly. `default` when absent.', { maxLength: 63 }),
  },
  'One criterion; `{}` fits every context of class `default`.',
)
export type Criterion = Static<typeof criterionSchema>

/** Inputs of a driver: plain values, and where the secret ones are. */
export const driverInputsSchema = object(
  {},
  {
    values: freeForm('Inputs that are not secret; placeholders are allowed everywhere.'),
    secretRefs: freeForm(
      'Secret inputs: the shape of the inputs with each leaf `{secret, key}` (a key of a Secret in this namespace) or `{secret}` (the whole Secret as an object), or `{value}` (a text with placeholders that is not secret itself). What a Secret holds is data; with a list `placeholders` beside `secret`, such as `["resources[\'s3\'].outputs.key"]`, these are resolved in it.',
    ),
  },
  'Inputs of the driver.',
)

export const provisionSchema = map(
  object(
    {},
    {
      isDependent: boolean('Whether the co-provisioned resource depends on this one. False when absent.'),
      matchDependents: boolean(
        'Whether everything that depends on this resource also depends on the co-provisioned one. False when absent.',
      ),
      params: freeForm('Inputs of the co-provisioned resource; placeholders are allowed everywhere.'),
    },
    'How one resource is co-provisioned.',
  ),
  "Resources to provision along with this one, by `type[.class][#id]`; class and id are this one's when not given.",
  { maxProperties: 64 },
)

export const ResourceDefinition = defineKind({
  kind: 'ResourceDefinition',
  plural: 'resourcedefinitions',
  shortName: 'qmdef',
  description:
    'How resources of one type are made, and in which contexts. Its name is its id. A change takes effect at the next deployment.',
  spec: object(
    {
      type: string(
        'Resource type that the definition provisions, such as `dns`, or `<organization>/<type>` for a custom one.',
        {
          maxLength: 127,
        },
      ),
      driverType: string('Driver that provisions, as `<vendor>/<driver>`.', { maxLength: 127 }),
    },
    {
      displayName: string('Name for people. The id when absent.'),
      accountName: string('ResourceAccount whose credentials the driver uses.', { maxLength: 253 }),
      driverInputs: driverInputsSchema,
      provision: provisionSchema,
      criteria: list(
        criterionSchema,
        'Contexts that the definition is for; it fits when any of them fits. None: it is never chosen. Of two definitions of a type with equal criteria the older one keeps the criterion.',
        {
          maxItems: 256,
        },
      ),
    },
    'What is made, how, and in which contexts.',
  ),
  status: object(
    {},
    {
      secretNames: ownedSecretNames,
    },
    'What the operator saw.',
  ),
  columns: [
    { name: 'Type', jsonPath: '.spec.type' },
    { name: 'Driver', jsonPath: '.spec.driverType' },
  ],
})
export type ResourceDefinition = ObjectOf<typeof ResourceDefinition>
