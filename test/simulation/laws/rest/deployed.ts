import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../../operator/api/names.ts'
import { canonicalJson, sameJson } from '../../../../operator/domain/base/json.ts'
import { emptySet, setId } from '../../../../operator/domain/delta/delta.ts'
import { conditionOf } from '../../../../operator/kube/loop/outcome.ts'
import type { RestAnswer } from '../../gateway/exchange.ts'
import { objectOf, objectsOf } from '../../surroundings.ts'
import { placeOf } from '../../users/rest/choice.ts'
import type { World } from '../../world.ts'
import type { Named } from '../endings.ts'
import type { PageFinding } from './pages.ts'

/** Reads a path of an organization. */
type Read = (path: string) => Promise<RestAnswer | undefined>

interface Deployed {
  readonly id: string
  readonly status: string
  readonly created_at: string
  readonly set_id: string
  readonly dependency_graph_id?: string
}

interface Shown {
  readonly last_deploy?: Deployed
  readonly base_set_id?: string
}

/** What a graph and a list of resources say of a resource. */
interface Resource {
  readonly guresid?: string
  readonly gu_res_id?: string
  readonly type: string
  readonly class: string
  readonly def_id: string
  readonly def_version_id: string
  readonly criteria_id?: string
  readonly driver_account?: string
  readonly depends_on: readonly string[]
  readonly deploy_id?: string
  readonly unused_since?: string
  readonly scheduled_deletion?: boolean
}

const numbersOf = (text: string) => text.replaceAll(/\d+/g, (digits) => digits.padStart(10, '0'))
const ageOf = ({ created_at, id }: Deployed) => `${created_at} ${numbersOf(id)}`

async function jsonAt<T>(read: Read, path: string): Promise<T | undefined> {
  const answer = await read(path)
  return answer?.status === 200 ? (JSON.parse(answer.text) as T) : undefined // as the reference says
}

/** Whether a deployment counts for its environment: one that ran before it was created again counts only as the last planned one. */
function counts({ id }: Deployed, environment: Environment, world: World): boolean {
  const deployment = objectOf(world, EnvironmentDeployment, id, environment.metadata.namespace)
  if (!deployment || conditionOf(deployment, 'AlreadyRan')?.status !== 'True') return deployment !== undefined
  return environment.status?.lastPlanned?.deploymentName === id
}

/** The start that was asked for and that no deployment has used. */
function unusedStart({ spec, status }: Environment): string | undefined {
  const { fromDeploymentName: from, fromRequest } = spec
  const { environmentFromName, environmentFromTime } = status?.lastPlanned ?? {}
  const time = fromRequest?.deploymentName === from ? fromRequest?.time : undefined
  const isUsed = environmentFromName === from && (time === undefined || time === environmentFromTime)
  return isUsed ? undefined : from
}

/** The set of a start. */
function setOfStart({ metadata, status }: Environment, from: string, world: World): string | undefined {
  if (status?.start?.deploymentName === from) return status.start.setName
  const deployment = objectOf(world, EnvironmentDeployment, from, metadata.namespace)
  return deployment?.status?.setName ?? deployment?.spec.setName
}

function hasLostStart(environment: Environment, world: World): boolean {
  const from = unusedStart(environment)
  return from !== undefined && setOfStart(environment, from, world) === undefined
}

/** The ID of the set of the unused start, or else of the last planned deployment. */
function baseOf(environment: Environment, world: World): string {
  const from = unusedStart(environment)
  const { lastPlanned } = environment.status ?? {}
  const setName = from === undefined ? lastPlanned?.setName : setOfStart(environment, from, world)
  return setName?.slice(environment.spec.applicationName.length + 1) ?? setId(emptySet)
}

/** What is wrong with what a gateway shows of the deployments of an organization, when nothing has failed for long. */
export async function historyFindings(
  world: World,
  organization: string,
  read: Read,
): Promise<PageFinding[]> {
  const findings: PageFinding[] = []
  for (const environment of objectsOf(world, Environment)) {
    const { name, namespace, deletionTimestamp } = environment.metadata
    if (namespace !== organization || deletionTimestamp !== undefined) continue
    const path = placeOf(name)
    const all = await jsonAt<Deployed[]>(read, `${path}/deploys`)
    const shown = await jsonAt<Shown>(read, path)
    if (!all || !shown) continue
    const object = `Environment ${organization}/${name}`
    const ages = all.map(ageOf)
    if (!sameJson(ages, ages.toSorted().reverse()))
      findings.push({ law: 'Deployments are listed newest first.', object, detail: ages.join(', ') })
    const newest = all.find((each) => counts(each, environment, world))
    if (!sameJson(newest, shown.last_deploy)) {
      const detail = `it shows ${canonicalJson(shown.last_deploy)}, not ${canonicalJson(newest)}`
      findings.push({ law: 'An environment shows its newest deployment.', object, detail })
    }
    const base = baseOf(environment, world)
    // A start that never had a set, and is gone, gives none.
    if (
      base !== shown.base_set_id &&
      !(shown.base_set_id === undefined && hasLostStart(environment, world))
    ) {
      const law = 'An environment shows the set that the next delta changes.'
      findings.push({ law, object, detail: `it shows ${shown.base_set_id}, not ${base}` })
    }
    for (const { id, status } of all) {
      const errors = await jsonAt<unknown[]>(read, `${path}/deploys/${id}/errors`)
      if (!errors || (status === 'failed') === errors.length > 0) continue
      const law = 'A deployment has errors if it failed, and else none.'
      findings.push({
        law,
        object: `EnvironmentDeployment ${id}`,
        detail: `${status}, ${errors.length} errors`,
      })
    }
  }
  return findings
}

/** What a graph and a resource say alike. */
function factsOf(resource: Resource): string {
  const { type, def_id, def_version_id, criteria_id, driver_account, depends_on } = resource
  return canonicalJson({
    type,
    class: resource.class,
    def_id,
    def_version_id,
    criteria_id,
    driver_account,
    depends_on: depends_on.toSorted(),
  })
}

/** Whether a version of an image was deployed after a deployment. */
function isFollowed(deployment: EnvironmentDeployment, world: World): boolean {
  const { metadata, spec } = deployment
  return objectsOf(world, EnvironmentDeployment).some(
    (each) =>
      each.metadata.namespace === metadata.namespace &&
      each.spec.environmentName === spec.environmentName &&
      each.metadata.annotations?.[annotations.artefactVersions] !== undefined &&
      each.metadata.uid !== metadata.uid &&
      each.metadata.creationTimestamp >= metadata.creationTimestamp,
  )
}

/** What is wrong with what a gateway shows of deployments that have just succeeded, and whose environments have not changed since. */
export async function deployedFindings(
  world: World,
  made: readonly Named[],
  organization: string,
  read: Read,
): Promise<PageFinding[]> {
  const findings: PageFinding[] = []
  for (const { name } of made.filter(({ owner }) => owner === organization)) {
    const deployment = objectOf(world, EnvironmentDeployment, name, organization)
    if (!deployment || conditionOf(deployment, 'Ready')?.status !== 'True') continue
    if (isFollowed(deployment, world)) continue
    const { environmentName } = deployment.spec
    const path = placeOf(environmentName)
    const object = `Environment ${organization}/${environmentName}`
    const add = (law: string, detail: string) => findings.push({ law, object, detail })
    const { last_deploy: last, base_set_id: base } = (await jsonAt<Shown>(read, path)) ?? {}
    if (last?.id !== name || base !== last.set_id) {
      const detail = `it shows ${last?.id} with ${last?.set_id}, and ${base}, after ${name}`
      add('An environment shows what was deployed, on which the next delta is based.', detail)
      continue
    }
    const graph = await jsonAt<{ readonly nodes: readonly Resource[] }>(
      read,
      `${path}/resources/graphs/${last.dependency_graph_id}`,
    )
    const resources = (await jsonAt<Resource[]>(read, `${path}/resources`)) ?? []
    const used = resources.filter((each) => each.unused_since === undefined && !each.scheduled_deletion)
    const ofGraph = new Map(graph?.nodes.map((each) => [each.guresid, factsOf(each)]))
    const ofResources = new Map(used.map((each) => [each.gu_res_id, factsOf(each)]))
    const other = [...new Set([...ofGraph.keys(), ...ofResources.keys()])].find(
      (id) => ofGraph.get(id) !== ofResources.get(id),
    )
    if (other !== undefined)
      add(
        'The graph of what was deployed has the resources in use.',
        `${other}: ${ofGraph.get(other)}, not ${ofResources.get(other)}`,
      )
    const foreign = used.find(({ deploy_id }) => deploy_id !== name)
    if (foreign)
      add(
        'A resource in use says the last deployment.',
        `${foreign.gu_res_id}: ${foreign.deploy_id}, not ${name}`,
      )
  }
  return findings
}
