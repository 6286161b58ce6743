import { defineKind, type ObjectOf } from './kind.ts'
import { boolean, id, integer, list, object, oneOf, type Static, string, time } from './schema.ts'

/** States of a deployment in the words of REST. */
export const deploymentStates = ['pending', 'in progress', 'succeeded', 'failed'] as const

/** What is remembered of the deployment from which an environment starts: it may go with its own environment. */
export const startSchema = object(
  {
    deploymentName: string('The EnvironmentDeployment.', { maxLength: 253 }),
    deploymentUid: string('Its uid: a later one of the same name is another one.', { maxLength: 64 }),
    environmentName: string('Environment that it was made to.', { maxLength: 253 }),
    setName: string('DeploymentSet that it deployed.', { maxLength: 253 }),
    state: oneOf(deploymentStates, 'How far it was.'),
    creationTime: time('When it was made.'),
  },
  {
    deltaName: string('DeploymentDelta that it applied.', { maxLength: 253 }),
    fromDeploymentName: string('EnvironmentDeployment that it started from.', { maxLength: 253 }),
    comment: string('Why it was made.', { maxLength: 8192 }),
    creatorName: string('User of the REST interface who made it.', { maxLength: 253 }),
    changeTime: time('Since when it was as far.'),
  },
  'The deployment that `fromDeploymentName` names, as it was when it was there.',
)
export type Start = Static<typeof startSchema>

/** Hash of the name and the spec of an EnvironmentDeployment. */
const runHash = (description: string) => string(description, { pattern: '^[0-9a-f]{16}$', maxLength: 16 })

export const lastPlannedSchema = object(
  {
    deploymentName: string('The EnvironmentDeployment; it may be gone.', { maxLength: 253 }),
    hash: runHash('Hash of its name and spec.'),
    setName: string('DeploymentSet that it deploys.', { maxLength: 253 }),
  },
  {
    environmentFromName: string('`fromDeploymentName` of the environment at the time; used once.', {
      maxLength: 253,
    }),
  },
  'The deployment that passed planning last. Its set is what the environment is meant to be, and the next delta applies to it.',
)
export type LastPlanned = Static<typeof lastPlannedSchema>

/** Limits on the deployments that an environment remembers after they are deleted. */
export const pastDeploymentLimits = { byOthers: 10_000, overRest: 500 }

export const pastDeploymentSchema = object(
  {
    hash: runHash('Hash of its name and spec.'),
    state: oneOf(deploymentStates, 'How far it was when it was deleted.'),
  },
  { overRest: boolean('Whether it was created over REST.') },
  'One deployment that is deleted.',
)
export type PastDeployment = Static<typeof pastDeploymentSchema>

export const Environment = defineKind({
  kind: 'Environment',
  plural: 'environments',
  shortName: 'qmenv',
  description:
    'An environment of an application, named `<application>.<environment>`. Deleting it deprovisions its resources, dependents first.',
  spec: object(
    {
      applicationName: id('Application that the environment belongs to. Cannot be changed.'),
      typeName: id('EnvironmentType of the environment. Cannot be changed.'),
    },
    {
      displayName: string('Name for people. The id when absent.'),
      fromDeploymentName: string(
        'EnvironmentDeployment, of this or another environment of the application, from which the next deployment starts.',
        { maxLength: 253 },
      ),
    },
    'What the environment is.',
  ),
  status: object(
    {},
    {
      lastDeploymentName: string(
        'The EnvironmentDeployment that passed planning last; absent when it is deleted.',
        { maxLength: 253 },
      ),
      lastPlanned: lastPlannedSchema,
      lastDeploymentNumber: integer(
        'Highest number that ended the name of an EnvironmentDeployment; REST continues after it.',
      ),
      pastDeployments: list(
        pastDeploymentSchema,
        'Deployments that are deleted. One that is created again with the same name and spec does not run again.',
        { maxItems: pastDeploymentLimits.byOthers + pastDeploymentLimits.overRest },
      ),
      start: startSchema,
    },
    'What the operator saw.',
  ),
  columns: [
    { name: 'Application', jsonPath: '.spec.applicationName' },
    { name: 'Type', jsonPath: '.spec.typeName' },
    { name: 'Deployment', jsonPath: '.status.lastDeploymentName' },
  ],
  rules: [
    {
      rule: "self.metadata.name.startsWith(self.spec.applicationName + '.') && self.metadata.name.substring(size(self.spec.applicationName) + 1).matches('^[a-z0-9]+(-[a-z0-9]+)*$') && size(self.metadata.name) >= size(self.spec.applicationName) + 3",
      message: 'the name must be <application>.<environment>, both of them ids of two characters or more',
    },
    {
      rule: 'self.spec.applicationName == oldSelf.spec.applicationName && self.spec.typeName == oldSelf.spec.typeName',
      message: 'applicationName and typeName cannot be changed',
    },
  ],
})
export type Environment = ObjectOf<typeof Environment>
