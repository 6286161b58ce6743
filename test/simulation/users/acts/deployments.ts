import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../../operator/api/names.ts'
import { createMissing } from '../beginning.ts'
import { contentBy, deploy, nextName } from '../contents.ts'
import { typesOf } from '../definitions.ts'
import { applicationOf, applications, environments, environmentType } from '../names.ts'
import type { User } from '../user.ts'
import type { Act } from './act.ts'

export const deploymentActs: readonly Act[] = [
  {
    weight: 10,
    what: 'deploys',
    act: (user) => void deploy(user, user.pick(environments), contentBy(user)),
  },
  { weight: 3, what: 'deploys a delta', act: deployDelta },
  {
    weight: 1.5,
    what: 'deploys twice at once',
    act(user) {
      const environment = user.pick(environments)
      deploy(user, environment, contentBy(user))
      deploy(user, environment, contentBy(user), { mode: 'full' })
    },
  },
  {
    weight: 2,
    what: 'deploys the same in full mode',
    act(user) {
      const { spec } = user.pickObject(EnvironmentDeployment, (each) => each.spec.setName !== undefined)
      const name = `${spec.environmentName}.k${user.next('deployment')}`
      user.create('EnvironmentDeployment', name, { ...spec, mode: 'full' })
    },
  },
  {
    weight: 3,
    what: 'deletes a deployment',
    act: (user) => user.remove('EnvironmentDeployment', user.pickObject(EnvironmentDeployment).metadata.name),
  },
  { weight: 4, what: 'deletes a deployment that Git creates anew', act: recreateDeployment },
  {
    weight: 2,
    what: 'lets an environment start from a deployment',
    act(user) {
      const deployment = user.pickObject(EnvironmentDeployment)
      const application = applicationOf(deployment.spec.environmentName)
      const environment = user.pick(environments.filter((each) => applicationOf(each) === application))
      user.patch('Environment', environment, { spec: { fromDeploymentName: deployment.metadata.name } })
    },
  },
]

export const environmentActs: readonly Act[] = [
  {
    weight: 1.5,
    what: 'deletes an environment, and creates it later',
    act(user) {
      const environment = user.pick(environments)
      user.remove('Environment', environment)
      user.later({ from: 100, to: 20_000, times: 4 }, `creates ${environment}`, () =>
        createAndDeploy(user, environment),
      )
    },
  },
  {
    weight: 1,
    what: 'deletes an environment, and creates it as soon as it is gone',
    act(user) {
      const environment = user.pick(environments)
      user.remove('Environment', environment)
      recreateAtOnce(user, environment)
    },
  },
  {
    weight: 2,
    what: 'deploys to an environment, and deletes it before the end',
    act(user) {
      const environment = user.pick(environments)
      deploy(user, environment, contentBy(user))
      user.later({ from: 20, to: 3000 }, `deletes ${environment}`, () => {
        user.remove('Environment', environment)
        recreateAtOnce(user, environment)
      })
    },
  },
  {
    weight: 0.4,
    what: 'deletes an application, and creates all anew',
    act(user) {
      user.remove('Application', user.pick(applications))
      user.later({ from: 5000, to: 30_000 }, 'creates the application', () => createMissing(user))
    },
  },
  {
    weight: 1,
    what: 'changes how the pods of an environment run',
    act: (user) =>
      user.patch('Environment', user.pickObject(Environment).metadata.name, {
        spec: { paused: user.chance(0.5), replicas: { api: user.next('replicas') % 4 } },
      }),
  },
]

/** Changes of how the pods of an environment run, one at a time. */
export const podActs: readonly Act[] = [
  {
    weight: 5,
    what: 'pauses, resumes, scales or restarts the workloads of an environment',
    act(user) {
      const time = new Date().toISOString()
      const spec = user.pick([
        { paused: true },
        { paused: null },
        { replicas: { [user.pick(['api', 'job'])]: user.pick([0, 2, null]) } },
        { restartTimes: { api: time } },
        { restartTimes: { api: time, job: time } },
      ])
      user.patch('Environment', user.pickObject(Environment).metadata.name, { spec })
    },
  },
]

function deployDelta(user: User): void {
  const environment = user.pick(environments)
  const deltaName = `d${user.next('delta')}`
  const path = `/${user.pick(['a', 'b', 'x'])}`
  user.create('DeploymentDelta', deltaName, {
    applicationName: applicationOf(environment),
    shared: [{ op: 'add', path, value: { type: user.pick(typesOf(user)) } }],
  })
  const spec = { environmentName: environment, deltaName }
  user.create('EnvironmentDeployment', nextName(user, environment), spec)
}

/** Git creates the deployment as soon as it can: perhaps while its deletion waits, fails, or is retried. */
function recreateDeployment(user: User): void {
  const { metadata, spec } = user.pickObject(
    EnvironmentDeployment,
    ({ status }) => status?.finishTime !== undefined || user.chance(0.3),
  )
  const { [annotations.notified]: _, ...kept } = metadata.annotations ?? {}
  user.remove('EnvironmentDeployment', metadata.name)
  user.later({ from: 10, to: 12_000, times: 4 }, `creates ${metadata.name} anew`, () =>
    user.create('EnvironmentDeployment', metadata.name, spec, { annotations: kept }),
  )
}

function createAndDeploy(user: User, environment: string): void {
  if (!user.surroundings.faults.isOn) return
  user.create('Environment', environment, {
    applicationName: applicationOf(environment),
    typeName: environmentType,
  })
  if (user.chance(0.6)) deploy(user, environment, contentBy(user))
}

function recreateAtOnce(user: User, environment: string): void {
  const { clock, faults } = user.surroundings
  clock.after(400, () => {
    if (!faults.isOn) return
    if (user.exists('Environment', environment)) recreateAtOnce(user, environment)
    else user.does(`creates ${environment} at once`, () => createAndDeploy(user, environment))
  })
}
