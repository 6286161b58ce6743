import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { DeploymentSet } from '../../../../operator/api/deployment-set.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import type { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import type { StoredObject } from '../../../../operator/api/kind.ts'
import { labels } from '../../../../operator/api/names.ts'
import type { FreeForm } from '../../../../operator/api/schema.ts'
import { isObject } from '../../../../operator/domain/base/json.ts'
import { servedAs } from '../../server/resources.ts'
import { objectOf, objectsOf, resourceNamed } from '../../surroundings.ts'
import { bucketVariable } from '../../users/names.ts'
import type { World } from '../../world.ts'
import { type Law, nameOf, problemsOf, readyText } from '../law.ts'

interface Container {
  readonly name: string
  readonly image?: string
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
}

interface Template {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> }
  readonly spec?: { readonly containers?: readonly Container[] }
}

/** An object that runs pods. */
interface Runner extends StoredObject {
  readonly spec?: {
    readonly replicas?: number
    readonly suspend?: boolean
    readonly template?: Template
    readonly jobTemplate?: { readonly spec?: { readonly template?: Template } }
  }
}

/** The kinds of objects that run pods, by the profile of a module. */
const kindsOfProfiles: Readonly<Record<string, string>> = {
  'default-module': 'Deployment',
  'default-stateful': 'StatefulSet',
  'default-job': 'Job',
  'default-cronjob': 'CronJob',
}
const restart = 'quartermaster.dev/restart-time'

const idOf = ({ spec }: ActiveResource) => spec.resourceId.replace('modules.', '')

function runnersIn(world: World): Runner[] {
  return Object.values(kindsOfProfiles).flatMap(
    (kind) => world.server.storage.list(servedAs(kind)) as Runner[],
  ) // of these kinds
}

const templateOf = ({ spec }: Runner) => spec?.template ?? spec?.jobTemplate?.spec?.template

/** What is wrong with how the pods of a workload run. */
function runProblem(runner: Runner, resource: ActiveResource, environment: Environment | undefined) {
  const isPaused = environment?.spec.paused === true
  if (runner.kind !== 'Job' && runner.kind !== 'CronJob')
    return numberProblem(runner, environment, isPaused ? 0 : undefined, idOf(resource))
  const isSuspended = runner.spec?.suspend === true
  return isSuspended === isPaused ? undefined : `it is ${isSuspended ? '' : 'not '}suspended`
}

/** What is wrong with the number of pods, and with the time of their restart. */
function numberProblem(
  runner: Runner,
  environment: Environment | undefined,
  most: number | undefined,
  id: string,
) {
  const { replicas = {}, restartTimes = {} } = environment?.spec ?? {}
  const [wanted, count] = [most ?? replicas[id] ?? 1, runner.spec?.replicas ?? 1]
  if (count !== wanted) return `it has ${count} replicas, not ${wanted}`
  const [time, wish] = [templateOf(runner)?.metadata?.annotations?.[restart], restartTimes[id]]
  return time === wish ? undefined : `its pods are of ${time}, not of ${wish}`
}

/** Laws of how the pods of workloads run. */
export const podLaws: readonly Law[] = [
  {
    law: 'As many pods of a ready workload are wanted as its environment says, and none while it is paused.',
    findings: (world) =>
      problemsOf(runnersIn(world), (runner) => {
        const resource = resourceNamed(world, runner.metadata.labels?.[labels.resource])
        const isInUse = resource?.spec.unusedSince === undefined
        if (!resource || !isInUse || !readyText(resource).startsWith('True')) return undefined
        const { environmentName } = resource.spec
        const environment = objectOf(world, Environment, environmentName, resource.metadata.namespace)
        return runProblem(runner, resource, environment)
      }),
  },
]

/** The variables that the pods of a module have. */
function variablesOf(resource: ActiveResource, variables: Readonly<Record<string, string>>, world: World) {
  const bucket = (resource.spec.dependsOn ?? [])
    .map((name) => resourceNamed(world, name))
    .find((each) => each?.spec.type === 's3' && each.spec.resourceId.endsWith('.externals.db'))?.status
    ?.outputs?.bucket
  return Object.entries(variables).map(([name, text]) => {
    if (name === bucketVariable) return `${name}=${String(bucket)}`
    return `${name}=${text === '${values.color}' ? resource.spec.values?.['color']?.value : text}`
  })
}

/** The container `main` of a module. */
function mainOf(module: FreeForm): FreeForm | undefined {
  const spec = isObject(module['spec']) ? module['spec'] : {}
  const containers = isObject(spec['containers']) ? spec['containers'] : {}
  return isObject(containers['main']) ? containers['main'] : undefined
}

/** Image and variables of a container as text. */
function textOf(container: Container | undefined): string {
  const variables = (container?.env ?? []).map(({ name, value }) => `${name}=${value}`)
  return `${container?.image} ${variables.sort().join()}`
}

/** The same of the container `main` of a module. */
function wantedText(main: FreeForm, resource: ActiveResource, world: World): string {
  const variables = (isObject(main['variables']) ? main['variables'] : {}) as Record<string, string> // of the generator
  return `${String(main['image'])} ${variablesOf(resource, variables, world).sort().join()}`
}

/** Whether objects are those of a module with containers: two of its schedules, or one. */
function areOf(profile: string, kinds: readonly string[]): boolean {
  const wanted = kindsOfProfiles[profile.split('/')[1] ?? '']
  return kinds.length === (wanted === 'CronJob' ? 2 : 1) && kinds.every((each) => each === wanted)
}

/** What is wrong with the pods of a module that was deployed last. */
function moduleProblem(resource: ActiveResource, module: FreeForm, world: World): string | undefined {
  const main = mainOf(module)
  const own = runnersIn(world).filter(
    ({ metadata }) => metadata.labels?.[labels.resource] === resource.metadata.name,
  )
  const kinds = own.map((each) => each.kind)
  const profile = String(module['profile'])
  const isFit = main ? areOf(profile, kinds) : kinds.length === 0
  if (!isFit) return `its objects are ${kinds.join() || 'none'}, its profile is ${profile}`
  const wanted = main && wantedText(main, resource, world)
  return own
    .map((each) => [
      nameOf(each),
      textOf(templateOf(each)?.spec?.containers?.find(({ name }) => name === 'main')),
    ])
    .filter(([, text]) => text !== wanted)
    .map(([name, text]) => `${name} has ${text}, not ${wanted}`)[0]
}

/** Laws of the pods of deployments that have succeeded, while nothing has changed since. */
export const deployedPodLaws = (
  deployments: (world: World) => readonly EnvironmentDeployment[],
): readonly Law[] => [
  {
    law: 'The pods of a workload have the image and the variables of the set that was deployed last.',
    findings: (world) =>
      deployments(world).flatMap(({ metadata: { namespace }, spec: { environmentName }, status }) => {
        const set = objectOf(world, DeploymentSet, status?.setName, namespace)
        const workloads = objectsOf(world, ActiveResource).filter(
          (each) =>
            each.metadata.namespace === namespace &&
            each.spec.environmentName === environmentName &&
            each.spec.type === 'workload',
        )
        return problemsOf(workloads, (each) => {
          const module = set?.spec.modules[idOf(each)]
          return module && each.spec.unusedSince === undefined
            ? moduleProblem(each, module, world)
            : undefined
        })
      }),
  },
]
