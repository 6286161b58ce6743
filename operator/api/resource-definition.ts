import { defineKind, type ObjectOf } from './kind.ts'
import { boolean, freeForm, list, map, object, ownedSecretNames, type Static, string } from './schema.ts'

/** Matching criteria. Every given key must match the context. */
export const criterionSchema = object(
  {},
  {
    envType: string('Environment type to match. Any type when absent or `"*"`.', {
      maxLength: 63,
    }),
    appId: string('Application id to match. Any application when absent or `"*"`.', {
      maxLength: 63,
    }),
    envId: string('Environment id to match. Any environment when absent or `"*"`.', { maxLength: 63 }),
    resId: string('Resource ID to match. Any Resource ID when absent or `"*"`.', { maxLength: 253 }),
    class: string('Resource class to match. Defaults to `default`.', { maxLength: 63 }),
  },
  'One criterion. All given fields must match. `{}` matches every resource of class `default`.',
)
export type Criterion = Static<typeof criterionSchema>

/** Inputs of a driver: plain values, and references to secret ones. */
export const driverInputsSchema = object(
  {},
  {
    values: freeForm('Non-secret inputs. Placeholders are allowed in all texts.'),
    secretRefs: freeForm(
      'Secret inputs. An object with the structure of the inputs, in which each leaf is `{secret, key}` (a key of a Secret in this namespace), `{secret}` (a whole Secret as an object) or `{value}` (a text with placeholders, not secret itself). The content of a Secret is not searched for placeholders, except for those in a list `placeholders` next to `secret`, such as `["resources[\'s3\'].outputs.key"]`.',
    ),
  },
  'Inputs of the driver.',
)

export const provisionSchema = map(
  object(
    {},
    {
      isDependent: boolean('Whether the co-provisioned resource depends on this one. Defaults to false.'),
      matchDependents: boolean(
        'Whether all dependents of this resource also depend on the co-provisioned one. Defaults to false.',
      ),
      params: freeForm('Inputs of the co-provisioned resource. Placeholders are allowed in all texts.'),
    },
    'Options of one co-provisioned resource.',
  ),
  'Resources to co-provision, by `type[.class][#id]`. Class and id default to those of this resource.',
  { maxProperties: 64 },
)

export const ResourceDefinition = defineKind({
  kind: 'ResourceDefinition',
  plural: 'resourcedefinitions',
  shortName: 'qmdef',
  description:
    'How to provision resources of one type, and in which contexts. The object name is the definition id. Changes take effect at the next deployment.',
  spec: object(
    {
      type: string(
        'Resource type that the definition provisions, such as `dns`, or `<organization>/<type>` for a custom type.',
        {
          maxLength: 127,
        },
      ),
      driverType: string('Driver, in the form `<vendor>/<driver>`.', { maxLength: 127 }),
    },
    {
      displayName: string('Display name. Defaults to the id.'),
      accountName: string('ResourceAccount whose credentials the driver uses.', { maxLength: 253 }),
      driverInputs: driverInputsSchema,
      provision: provisionSchema,
      criteria: list(
        criterionSchema,
        'Criteria of the definition. It matches when any criterion matches; without criteria it never matches. If two definitions of a type have equal criteria, the criterion of the older definition applies.',
        {
          maxItems: 256,
        },
      ),
    },
    'Type, driver, inputs and criteria of the definition.',
  ),
  status: object(
    {},
    {
      secretNames: ownedSecretNames,
    },
    'Observed state.',
  ),
  columns: [
    { name: 'Type', jsonPath: '.spec.type' },
    { name: 'Driver', jsonPath: '.spec.driverType' },
  ],
})
export type ResourceDefinition = ObjectOf<typeof ResourceDefinition>
