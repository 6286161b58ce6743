import type { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { canonicalJson } from '../../../../operator/domain/base/json.ts'
import { conditionOf } from '../../../../operator/kube/loop/outcome.ts'
import { type Planned, resourcesIn } from '../../gateway/planned.ts'
import { objectOf } from '../../surroundings.ts'
import type { World } from '../../world.ts'
import { nameOf, readyText } from '../law.ts'

interface PlanFinding {
  readonly law: string
  readonly object: string
  readonly detail: string
}

type Action = 'create' | 'update' | 'replace' | 'retain' | 'unchanged'

/** What happened to a resource. */
function actionOf(
  planned: Planned,
  after: ActiveResource,
  { outside }: World,
): { readonly action: Action | 'update or replace'; readonly isMoved: boolean } {
  const { name, uid, generation } = after.metadata
  const { resource, keys = [] } = planned.before.get(name) ?? {}
  // A replacement that has begun is not one of this deployment.
  const isSettled = keys.length > 0 && !resource?.status?.predecessors?.length
  const isMoved = isSettled && canonicalJson(keys) !== canonicalJson(outside.keysOf(name))
  if (resource?.metadata.uid !== uid) return { action: 'create', isMoved }
  if (resource.spec.unusedSince === undefined && after.spec.unusedSince !== undefined)
    return { action: 'retain', isMoved }
  // One that is not ready is tried again with the name of the deployment.
  const isSame =
    generation === resource.metadata.generation ||
    (conditionOf(resource, 'Ready')?.status !== 'True' && contentOf(resource) === contentOf(after))
  return { action: isSame ? 'unchanged' : 'update or replace', isMoved }
}

/** The spec of a resource without what names the deployment. */
function contentOf({ spec: { deploymentName: _, signature: __, ...content } }: ActiveResource): string {
  return canonicalJson(content)
}

/** The resources that depend on changed ones, with these. */
function touched(resources: readonly ActiveResource[], changed: ReadonlySet<string>): Set<string> {
  const all = new Set(changed)
  for (let size = -1; size !== all.size; ) {
    size = all.size
    for (const { metadata, spec } of resources) {
      const needed = [...Object.values(spec.references ?? {}).flat(), ...(spec.dependsOn ?? [])]
      if (needed.some((name) => all.has(name))) all.add(metadata.name)
    }
  }
  return all
}

/** What is known of the calls of drivers since a plan. */
interface Calls {
  readonly called: ReadonlySet<string>
  /** The resources for which a call is no surprise. */
  readonly expected: ReadonlySet<string>
}

function callsOf(
  { plan, before, calls }: Planned,
  resources: readonly ActiveResource[],
  { outside }: World,
): Calls {
  const changed = plan.steps.filter(isChange)
  // Its namespace is an input of each resource.
  const isMoving = changed.some(({ descriptor }) => descriptor.startsWith('k8s-namespace'))
  const names = isMoving ? plan.steps : changed
  // Changed Secrets and types take effect at the next deployment.
  const renewed = resources.filter(
    ({ metadata: { name }, spec }) =>
      spec.type.includes('/') || before.get(name)?.inputs !== outside.inputsOf(name),
  )
  const expected = touched(resources, new Set(names.map((step) => step.gu_res_id)))
  for (const { metadata } of renewed) expected.add(metadata.name)
  return { called: new Set(outside.calls.slice(calls)), expected }
}

/** What is wrong with what a plan said of a resource, now that all is done. */
function problemOf(planned: Planned, after: ActiveResource, calls: Calls, world: World): string | undefined {
  const { name } = after.metadata
  const { action: said = 'unchanged' } = planned.plan.steps.find((step) => step.gu_res_id === name) ?? {}
  const { action, isMoved } = actionOf(planned, after, world)
  const isCalled = calls.called.has(name)
  if (planned.isFull && said === 'update' && action === 'unchanged')
    return isCalled || world.outside.keysOf(name).length === 0
      ? undefined
      : 'the mode is full, and its driver was not called'
  const isSaid = action === 'update or replace' ? said === 'update' || said === 'replace' : said === action
  if (!isSaid) return `${action} was done`
  if (isMoved && said !== 'replace') return 'its instance is another'
  return isCalled && !calls.expected.has(name) ? 'its driver was called with what it had' : undefined
}

/** What is wrong with the steps of a plan. */
function problemsOfSteps(planned: Planned, world: World): string[] {
  const resources = resourcesIn(world, planned.organization, planned.environment)
  const calls = callsOf(planned, resources, world)
  return resources.flatMap((after) => {
    const problem = problemOf(planned, after, calls, world)
    const step = planned.plan.steps.find(({ gu_res_id }) => gu_res_id === after.metadata.name)
    return problem === undefined
      ? []
      : [`${step?.descriptor ?? nameOf(after)}: ${step?.action ?? 'nothing'} was planned, ${problem}`]
  })
}

const isChange = ({ action }: { readonly action: string }) => action !== 'unchanged' && action !== 'retain'

const truth = 'A plan says what the deployment does.'
const rest = 'After a deployment, a further one has nothing to do.'

/** What is wrong with plans of deployments that nothing hindered. */
export async function planFindings(planned: Planned, world: World): Promise<PlanFinding[]> {
  const { organization, environment, plan, name } = planned
  const object = `Environment ${organization}/${environment}`
  if (name === undefined)
    return [{ law: 'What a gateway has planned it deploys.', object, detail: 'the deployment is refused' }]
  const deployment = objectOf(world, EnvironmentDeployment, name, organization)
  if (!deployment) return [{ law: truth, object, detail: `${name} is gone` }]
  const isFit = plan.problems.length === 0
  if (isFit !== (conditionOf(deployment, 'Ready')?.status === 'True')) {
    const detail = `${plan.problems.length} problems were planned: ${readyText(deployment)}`
    return [{ law: truth, object, detail }]
  }
  if (!isFit) return []
  const details = [...problemsOfSummary(planned, deployment), ...problemsOfSteps(planned, world)]
  const remaining = await problemsOfRest(planned)
  return [
    ...details.map((detail) => ({ law: truth, object, detail })),
    ...remaining.map((detail) => ({ law: rest, object, detail })),
  ]
}

function problemsOfSummary({ plan }: Planned, { status }: EnvironmentDeployment): string[] {
  const { steps: _, ...done } = status?.plan ?? { steps: [] }
  const [said, is] = [canonicalJson(plan.summary), canonicalJson(done)]
  return said === is ? [] : [`${said} was planned, the deployment says ${is}`]
}

async function problemsOfRest({ planAgain }: Planned): Promise<string[]> {
  const again = await planAgain()
  if (!again) return ['no plan is answered']
  const changes = again.steps.filter(({ action }) => action !== 'unchanged')
  return [
    ...changes.map(({ action, descriptor }) => `${action} ${descriptor}`),
    ...again.problems.map((each) => JSON.stringify(each)),
  ]
}
