import { defineKind, fixedFields, forNewObjects, type ObjectOf } from './kind.ts'
import { boolean, id, integer, list, map, object, oneOf, type Static, string, time } from './schema.ts'

/** States of a deployment, as the REST API names them. */
export const deploymentStates = ['pending', 'in progress', 'succeeded', 'failed'] as const

/** A copy of the deployment that an environment starts from, which may be deleted with its environment. */
export const startSchema = object(
  {
    deploymentName: string('Name of the EnvironmentDeployment.', { maxLength: 253 }),
    deploymentUid: string('UID of the deployment object; a later object of the same name has another UID.', {
      maxLength: 64,
    }),
    environmentName: string('Environment that the deployment was made to.', { maxLength: 253 }),
    setName: string('DeploymentSet that the deployment deployed.', { maxLength: 253 }),
    state: oneOf(deploymentStates, 'State of the deployment.'),
    creationTime: time('Time at which the deployment was created.'),
  },
  {
    deltaName: string('DeploymentDelta that the deployment applied.', { maxLength: 253 }),
    fromDeploymentName: string('EnvironmentDeployment whose set the delta was applied to.', {
      maxLength: 253,
    }),
    comment: string('Purpose of the deployment.', { maxLength: 8192 }),
    creatorName: string('Id of the user who created the deployment over REST.', { maxLength: 253 }),
    changeTime: time('Time at which the deployment reached its state.'),
  },
  'Copy of the deployment that `fromDeploymentName` names. It is kept when the deployment is deleted.',
)
export type Start = Static<typeof startSchema>

/** Hash of the name and the spec of an EnvironmentDeployment. */
const runHash = (description: string) => string(description, { pattern: '^[0-9a-f]{16}$', maxLength: 16 })

export const lastPlannedSchema = object(
  {
    deploymentName: string('Name of the EnvironmentDeployment. The object may be deleted.', {
      maxLength: 253,
    }),
    hash: runHash('Hash of the name and spec of the deployment.'),
    setName: string('DeploymentSet that the deployment deploys.', { maxLength: 253 }),
  },
  {
    environmentFromName: string(
      'Value of `fromDeploymentName` of the environment when the deployment was planned. Each value is used once.',
      {
        maxLength: 253,
      },
    ),
    environmentFromTime: time(
      'Time of the `fromRequest` for that value when the deployment was planned. Each request is used once.',
    ),
  },
  'Last deployment whose planning succeeded. Its set is the desired state of the environment; the next delta is applied to it.',
)
export type LastPlanned = Static<typeof lastPlannedSchema>

/** Number of deleted deployments that an environment remembers, by the way they were created. */
export const pastDeploymentLimits = { byOthers: 10_000, overRest: 500 }

export const pastDeploymentSchema = object(
  {
    hash: runHash('Hash of the name and spec of the deployment.'),
    state: oneOf(deploymentStates, 'State of the deployment when it was deleted.'),
  },
  { overRest: boolean('Whether the deployment was created over REST.') },
  'A deleted deployment.',
)
export type PastDeployment = Static<typeof pastDeploymentSchema>

/** The largest number of pods that Kubernetes accepts. */
const mostReplicas = 2_147_483_647

export const Environment = defineKind({
  kind: 'Environment',
  plural: 'environments',
  shortName: 'qmenv',
  description:
    'An environment of an application. The object name is `<application>.<environment>`. Deleting the environment deprovisions its resources, dependents first.',
  spec: object(
    {
      applicationName: id('Application that the environment belongs to. Immutable.'),
      typeName: id('EnvironmentType of the environment. Immutable.'),
    },
    {
      displayName: string('Display name. Defaults to the id.'),
      fromDeploymentName: string(
        'EnvironmentDeployment, of this or another environment of the application, whose set the next delta is applied to. Each value is used once, and once more for each `fromRequest`.',
        { maxLength: 253 },
      ),
      fromRequest: object(
        {
          deploymentName: string('Value of `fromDeploymentName` that the request asked for.', {
            maxLength: 253,
          }),
          time: time('Time of the request.'),
        },
        {},
        'The last request to start from `fromDeploymentName`, which can repeat its value. It has no effect when `fromDeploymentName` has another value.',
      ),
      paused: boolean(
        'Whether the pods of all workloads are stopped: Deployments and StatefulSets have no replicas, Jobs and CronJobs are suspended. Deployments to the environment change nothing about it.',
      ),
      replicas: map(
        integer('Number of pods.', { minimum: 0, maximum: mostReplicas }),
        'Number of pods by workload, in place of the number that its module says. It holds for all later deployments until the entry is removed.',
        { maxProperties: 1000 },
      ),
      restartTimes: map(
        time('Time of the restart.'),
        'Times by workload. A change replaces the pods of the workload, unless it runs Jobs.',
        { maxProperties: 1000 },
      ),
    },
    'Properties of the environment.',
  ),
  status: object(
    {},
    {
      lastDeploymentName: string(
        'Last EnvironmentDeployment whose planning succeeded. Absent when that object is deleted.',
        { maxLength: 253 },
      ),
      lastPlanned: lastPlannedSchema,
      lastDeploymentNumber: integer(
        'Highest number at the end of the name of an EnvironmentDeployment. The REST API uses the next number for a new deployment.',
      ),
      pastDeployments: list(
        pastDeploymentSchema,
        'Deleted deployments. A deployment that is created again with the same name and spec does not run again.',
        { maxItems: pastDeploymentLimits.byOthers + pastDeploymentLimits.overRest },
      ),
      start: startSchema,
    },
    'Observed state.',
  ),
  selectableFields: ['.spec.applicationName'],
  columns: [
    { name: 'Application', jsonPath: '.spec.applicationName' },
    { name: 'Type', jsonPath: '.spec.typeName' },
    { name: 'Deployment', jsonPath: '.status.lastDeploymentName' },
    { name: 'Paused', jsonPath: '.spec.paused', type: 'boolean', priority: 1 },
  ],
  rules: [
    forNewObjects({
      rule: "self.metadata.name.startsWith(self.spec.applicationName + '.') && self.metadata.name.substring(size(self.spec.applicationName) + 1).matches('^[a-z0-9]+(-[a-z0-9]+)*$') && size(self.metadata.name) >= size(self.spec.applicationName) + 3 && size(self.metadata.name) <= size(self.spec.applicationName) + 64",
      message:
        'the name must be <application>.<environment>, where the id of the environment has 2 to 63 characters: lower-case letters and digits, words joined by single hyphens',
    }),
    fixedFields('applicationName', 'typeName'),
  ],
})
export type Environment = ObjectOf<typeof Environment>
