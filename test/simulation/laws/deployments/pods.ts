import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { DeploymentSet } from '../../../../operator/api/deployment-set.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import type { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import type { StoredObject } from '../../../../operator/api/kind.ts'
import { labels } from '../../../../operator/api/names.ts'
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
  const { paused, replicas = {}, restartTimes = {} } = environment?.spec ?? {}
  const { spec } = runner
  if (runner.kind === 'Job' || runner.kind === 'CronJob') {
    const isSuspended = spec?.suspend === true
    return isSuspended === (paused === true) ? undefined : `it is ${isSuspended ? '' : 'not '}suspended`
  }
  const wanted = paused ? 0 : (replicas[idOf(resource)] ?? 1)
  const count = spec?.replicas ?? 1
  if (count !== wanted) return `it has ${count} replicas, not ${wanted}`
  const time = templateOf(runner)?.metadata?.annotations?.[restart]
  const wish = restartTimes[idOf(resource)]
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

/** What is wrong with the pods of a module that was deployed last. */
function moduleProblem(
  resource: ActiveResource,
  module: DeploymentSet['spec']['modules'][string],
  world: World,
): string | undefined {
  const spec = isObject(module.spec) ? module['spec'] : {}
  const containers = isObject(spec.containers) ? spec['containers'] : {}
  const main = isObject(containers['main']) ? containers['main'] : undefined
  const own = runnersIn(world).filter(
    ({ metadata }) => metadata.labels?.[labels.resource] === resource.metadata.name,
  )
  const kind = kindsOfProfiles[String(module.profile).split('/')[1] ?? ''] ?? ''
  const kinds = own.map((each) => each.kind)
  const count = kind === 'CronJob' ? 2 : 1
  const isFit = main ? kinds.length === count && kinds.every((each) => each === kind) : kinds.length === 0
  if (!isFit) return `its objects are ${kinds.join() || 'none'}, its profile is ${String(module.profile)}`
  const variables = (isObject(main?.['variables']) ? main['variables'] : {}) as Record<string, string> // of the generator
  const wanted = `${String(main?.['image'])} ${variablesOf(resource, variables, world).sort().join()}`
  for (const each of own) {
    const container = templateOf(each)?.spec?.containers?.find(({ name }) => name === 'main')
    const given = (container?.env ?? []).map(({ name, value }) => `${name}=${value}`)
    const text = `${container?.image} ${given.sort().join()}`
    if (text !== wanted) return `${nameOf(each)} has ${text}, not ${wanted}`
  }
  return undefined
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
