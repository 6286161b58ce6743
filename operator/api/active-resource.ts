import { defineKind, type ObjectOf } from './kind.ts'
import { criterionSchema, driverInputsSchema } from './resource-definition.ts'
import { atomic, freeForm, id, integer, list, map, object, type Static, string, time } from './schema.ts'
import { sharedValuesSchema } from './shared-value.ts'

/** The organization, application and environment of a resource. Criteria match it and placeholders read it. */
export const contextSchema = object(
  {
    organizationId: id('Organization id.'),
    applicationId: id('Application id.'),
    environmentId: id('Environment id.'),
    environmentType: id('Environment type.'),
  },
  {},
  'Organization, application and environment of the resource.',
)
export type ResourceContext = Static<typeof contextSchema>

/** The definition as it was when the resource was deployed. */
export const definitionSnapshotSchema = object(
  {
    definitionName: string('ResourceDefinition that provisions the resource.', { maxLength: 253 }),
    driverType: string('Driver type of the definition.', { maxLength: 127 }),
  },
  {
    accountName: string('ResourceAccount of the definition.', { maxLength: 253 }),
    driverInputs: driverInputsSchema,
    criterion: criterionSchema,
    explanation: string('Why the definition was chosen.', { maxLength: 8192 }),
  },
  'The ResourceDefinition as it was at the last deployment that changed the resource.',
)
export type DefinitionSnapshot = Static<typeof definitionSnapshotSchema>

/** A Kubernetes object that a resource applied. */
export const appliedObjectSchema = object(
  {
    apiVersion: string('API version of the object.', { maxLength: 127 }),
    kind: string('Kind of the object.', { maxLength: 63 }),
    name: string('Name of the object.', { maxLength: 253 }),
    uid: string('UID of the object; empty until it is applied.', { maxLength: 63 }),
  },
  {
    namespace: string('Namespace of the object.', { maxLength: 63 }),
    generation: integer('Generation after the last apply, for kinds that have generations.'),
    resourceVersion: string('Resource version after the last apply, for kinds without generations.', {
      maxLength: 63,
    }),
  },
  'A Kubernetes object that the resource applied.',
)
export type AppliedObject = Static<typeof appliedObjectSchema>

/** A provisioned instance, with what a deprovision needs. */
export const provisionedInstanceSchema = object(
  { driverType: string('Driver type that provisioned the instance.', { maxLength: 127 }) },
  {
    accountName: string('ResourceAccount that the driver used.', { maxLength: 253 }),
    credentialsSecretName: string('Secret that held the credentials of the account at that time.', {
      maxLength: 253,
    }),
    target: string('Address of the driver, for drivers that are not built in.', { maxLength: 2048 }),
    identity: freeForm('Data that the driver needs for a deprovision.'),
  },
  'The provisioned instance, complete or in progress, with what a deprovision needs.',
)
export type ProvisionedInstance = Static<typeof provisionedInstanceSchema>

/** Host names that one resource may reserve. */
export const mostReservedHosts = 1000

/** Earlier instances that the status of a resource records. */
export const mostPredecessors = 64

export const ActiveResource = defineKind({
  kind: 'ActiveResource',
  plural: 'activeresources',
  shortName: 'qmres',
  description:
    'A provisioned resource of an environment. The object name is its GUResID. Only the operator writes the spec. Delete the object to deprovision the resource.',
  spec: atomic(
    object(
      {
        environmentName: string('Environment of the resource, in the form `<application>.<environment>`.', {
          maxLength: 253,
        }),
        deploymentName: string('EnvironmentDeployment that last changed this spec.', { maxLength: 253 }),
        context: contextSchema,
        type: string('Resource type.', { maxLength: 127 }),
        class: string('Resource class.', { maxLength: 63 }),
        resourceId: string('Resource ID.', { maxLength: 253 }),
        definition: definitionSnapshotSchema,
        signature: string(
          'Signature of the operator over this spec. A resource without a valid signature is not provisioned.',
          {
            maxLength: 64,
          },
        ),
      },
      {
        params: freeForm('Inputs of the resource: of a dependency, its params; of a workload, its module.'),
        values: sharedValuesSchema,
        dependsOn: list(
          string('A GUResID.', { maxLength: 40 }),
          'GUResIDs of the resources that must be ready before this one is provisioned.',
        ),
        references: map(
          list(
            string('A GUResID.', { maxLength: 40 }),
            'GUResIDs that the reference names, in a stable order.',
          ),
          'Resources that placeholders in the inputs name, by the text of the reference.',
        ),
        unusedSince: time(
          'Time of the first deployment that no longer uses this resource. Absent while the resource is used.',
        ),
      },
      'Desired state of the resource, as the last deployment computed it.',
    ),
  ),
  status: object(
    {},
    {
      outputs: freeForm('Non-secret outputs.'),
      outputsSecretName: string('Secret in this namespace that holds the secret outputs.', {
        maxLength: 253,
      }),
      outputsSecretVersion: string('Resource version of that Secret when it was written.', { maxLength: 63 }),
      secretOutputPaths: list(
        string('A JSON pointer into the outputs.', { maxLength: 65_536 }),
        'Outputs that are or ever were secret. They stay secret for the lifetime of the resource.',
        { maxItems: 32_768 },
      ),
      explanation: string(
        'Why the definition was chosen over the others, at the last deployment that changed the resource.',
        {
          maxLength: 8192,
        },
      ),
      inputsHash: string('Keyed hash of the inputs of the last driver call.', { maxLength: 64 }),
      schemasHash: string('Hash of the schemas of the custom type at the last driver call.', {
        maxLength: 64,
      }),
      objects: list(appliedObjectSchema, 'Kubernetes objects that the resource applied.', { maxItems: 1000 }),
      provisioned: provisionedInstanceSchema,
      predecessors: list(
        provisionedInstanceSchema,
        'Earlier instances, of another driver or identity. They are deprovisioned when the new instance is ready.',
        { maxItems: mostPredecessors },
      ),
      secretNames: list(
        string('Name of a Secret.', { maxLength: 253 }),
        'Secrets that an update or a deprovision needs. A finalizer keeps them until the resource is deleted.',
      ),
      reservedHosts: list(
        string('A host name.', { maxLength: 320 }),
        'Host names that the resource reserves, such as `shop.example.com`. No other organization of the cluster can use them.',
        { maxItems: mostReservedHosts },
      ),
      provisionTime: time('Time at which provisioning last completed with changed inputs or outputs.'),
      attempts: integer('Number of consecutive failed attempts to provision or deprovision.'),
      nextAttemptTime: time('Time of the next attempt.'),
    },
    'Observed state.',
  ),
  selectableFields: ['.spec.environmentName'],
  columns: [
    { name: 'Environment', jsonPath: '.spec.environmentName' },
    { name: 'Type', jsonPath: '.spec.type' },
    { name: 'Class', jsonPath: '.spec.class', priority: 1 },
    { name: 'Resource', jsonPath: '.spec.resourceId' },
    { name: 'Definition', jsonPath: '.spec.definition.definitionName' },
  ],
})
export type ActiveResource = ObjectOf<typeof ActiveResource>
