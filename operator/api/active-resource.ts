import { defineKind, type ObjectOf } from './kind.ts'
import { criterionSchema, driverInputsSchema } from './resource-definition.ts'
import { freeForm, id, integer, list, map, object, type Static, string, time } from './schema.ts'
import { sharedValuesSchema } from './shared-value.ts'

/** Where a resource is: the part of it that criteria match and placeholders read. */
export const contextSchema = object(
  {
    organizationId: id('Organization id.'),
    applicationId: id('Application id.'),
    environmentId: id('Environment id.'),
    environmentType: id('Environment type.'),
  },
  {},
  'Where the resource is.',
)
export type ResourceContext = Static<typeof contextSchema>

/** The definition as it was when the resource was deployed. */
export const definitionSnapshotSchema = object(
  {
    definitionName: string('ResourceDefinition that won.', { maxLength: 253 }),
    driverType: string('Its driver.', { maxLength: 127 }),
  },
  {
    accountName: string('Its account.', { maxLength: 253 }),
    driverInputs: driverInputsSchema,
    criterion: criterionSchema,
    explanation: string('Why it won, for people.', { maxLength: 8192 }),
  },
  'The definition as it was at the deployment.',
)
export type DefinitionSnapshot = Static<typeof definitionSnapshotSchema>

/** An object that a resource applied. */
export const appliedObjectSchema = object(
  {
    apiVersion: string('API version of the object.', { maxLength: 127 }),
    kind: string('Kind of the object.', { maxLength: 63 }),
    name: string('Name of the object.', { maxLength: 253 }),
    uid: string('Uid of the object; empty for one that is about to be applied.', { maxLength: 63 }),
  },
  {
    namespace: string('Namespace of the object.', { maxLength: 63 }),
    generation: integer('Generation that was applied, where the kind counts them.'),
    resourceVersion: string('Resource version after it was applied, where the kind counts no generations.', {
      maxLength: 63,
    }),
  },
  'An applied object.',
)
export type AppliedObject = Static<typeof appliedObjectSchema>

/** Something that was provisioned, as needed to take it away again. */
export const provisionedInstanceSchema = object(
  { driverType: string('Driver that provisioned.', { maxLength: 127 }) },
  {
    accountName: string('Account that it used.', { maxLength: 253 }),
    credentialsSecretName: string('Secret of that account at the time.', { maxLength: 253 }),
    target: string('Where that driver was, if it is not of our own.', { maxLength: 2048 }),
    identity: freeForm('What the driver needs to know for a deprovision.'),
  },
  'What stands, or began to, as needed to take it away again.',
)
export type ProvisionedInstance = Static<typeof provisionedInstanceSchema>

/** How many names one resource may claim. */
export const mostReservedHosts = 1000

export const ActiveResource = defineKind({
  kind: 'ActiveResource',
  plural: 'activeresources',
  shortName: 'qmres',
  description:
    'A resource that is provisioned for an environment, named by its GUResID. Written by the operator alone; delete it to deprovision.',
  spec: object(
    {
      environmentName: string('Environment of the resource, as `<application>.<environment>`.', {
        maxLength: 253,
      }),
      deploymentName: string('EnvironmentDeployment that last changed this spec.', { maxLength: 253 }),
      context: contextSchema,
      type: string('Resource type.', { maxLength: 127 }),
      class: string('Resource class.', { maxLength: 63 }),
      resourceId: string('Resource ID.', { maxLength: 253 }),
      definition: definitionSnapshotSchema,
      signature: string('Mark of the operator over this spec; without a true one nothing is provisioned.', {
        maxLength: 64,
      }),
    },
    {
      params: freeForm('Inputs of the resource that its users gave.'),
      values: sharedValuesSchema,
      dependsOn: list(string('A GUResID.', { maxLength: 40 }), 'Active resources that must be ready first.'),
      references: map(
        list(string('A GUResID.', { maxLength: 40 }), 'What the reference names, in a stable order.'),
        'Active resources that the placeholders of the inputs name, by the text of the reference.',
      ),
      renewedByDeploymentName: string(
        'The last EnvironmentDeployment in mode `full`; a new one has it provisioned again.',
        {
          maxLength: 253,
        },
      ),
      unusedSince: time(
        'When the last deployment that used this resource was followed by one that does not; absent while it is used.',
      ),
    },
    'What the deployment wants.',
  ),
  status: object(
    {},
    {
      outputs: freeForm('Outputs that are not secret.'),
      outputsSecretName: string('Secret in this namespace that holds the secret outputs.', {
        maxLength: 253,
      }),
      secretOutputPaths: list(
        string('A JSON pointer into the outputs.', { maxLength: 65_536 }),
        'Outputs that are secret, or were secret before: they stay secret for as long as the resource lives.',
        { maxItems: 32_768 },
      ),
      explanation: string('Why its definition won over the others, at the last deployment that changed it.', {
        maxLength: 8192,
      }),
      inputsHash: string('Keyed hash of everything that the driver saw last.', { maxLength: 64 }),
      objects: list(appliedObjectSchema, 'Objects that were applied.', { maxItems: 1000 }),
      provisioned: provisionedInstanceSchema,
      predecessors: list(
        provisionedInstanceSchema,
        'What stood before with another driver or identity, and goes when the new one is ready.',
        { maxItems: 64 },
      ),
      secretNames: list(
        string('Name of a Secret.', { maxLength: 253 }),
        'Secrets that are needed to update or deprovision it; they are kept until then.',
        { maxItems: 256 },
      ),
      reservedHosts: list(
        string('A name, as `<sort>/<name>`.', { maxLength: 320 }),
        'Host names that the resource reserves for its organization, such as `shop.example.com`. No other organization of the cluster can use them.',
        { maxItems: mostReservedHosts },
      ),
      provisionTime: time('When provisioning last ended with other inputs or other outputs than before.'),
      attempts: integer('How many times in a row provisioning or deprovisioning failed.'),
      nextAttemptTime: time('When it is tried again.'),
    },
    'What the operator saw.',
  ),
  columns: [
    { name: 'Environment', jsonPath: '.spec.environmentName' },
    { name: 'Type', jsonPath: '.spec.type' },
    { name: 'Class', jsonPath: '.spec.class', priority: 1 },
    { name: 'Resource', jsonPath: '.spec.resourceId' },
    { name: 'Definition', jsonPath: '.spec.definition.definitionName' },
  ],
})
export type ActiveResource = ObjectOf<typeof ActiveResource>
