import { Application } from '../../api/application.ts'
import { Environment } from '../../api/environment.ts'
import { Workload } from '../../api/workload.ts'
import { copyError, Mismatch, ReferenceNotFound, Stalled, Waiting } from '../../domain/base/errors.ts'
import { compareText } from '../../domain/base/json.ts'
import { contextOf, environmentObjectName } from '../../domain/resource/identity.ts'
import { type EnvironmentState, summaryOf } from '../../domain/workload/summary.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import type { Controller, ReconcileContext } from '../../kube/loop/controller.ts'
import type { Observed } from '../../kube/loop/status.ts'
import { entryFor, sameRecords, workloadContent } from '../../planning/owners.ts'
import { withinRoom } from './recorded-environments.ts'
import {
  type FindTools,
  type Found,
  findIn,
  remaining,
  setMissing,
  type WorkloadTools,
} from './workload-environment.ts'
import { createResourcesById } from './workload-status.ts'
import { workloadWatches } from './workload-watches.ts'

/** How long a deletion waits for a missing set. */
const missingSetMs = 60_000

/**
 * Records which modules a Workload owns, and what is deployed. The task of `startWorkloadDeployments` deploys what the
 * status records, so that a crash leaves no module without an owner.
 */
export function workloadController(tools: WorkloadTools): Controller<typeof Workload> {
  const findTools = { ...tools, resourcesIn: createResourcesById(tools.store) }
  return {
    kind: Workload,
    watches: workloadWatches(tools),
    reconcile: (workload, context) => reconcile(workload, context, findTools),
    finalize: (workload) => finalize(workload, tools),
  }
}

/**
 * 1. findIn: for each environment, what the status says and what is wrong.
 * 2. report: records what the Workload owns before it is deployed.
 * 3. throwOutcome: throws what keeps the Workload from being ready.
 */
async function reconcile(
  workload: Workload,
  context: ReconcileContext<typeof Workload>,
  tools: FindTools,
): Promise<Observed<typeof Workload>> {
  const { store } = tools
  const environments = store.byIndex(
    Environment,
    'application',
    scoped(workload, workload.spec.applicationName),
  )
  const present = environments.filter(({ metadata }) => !metadata.deletionTimestamp)
  const found = withinRoom(
    present.map((each) => findIn(each, workload, tools)),
    workload,
  )
  const entries = found
    .flatMap(({ entry }) => entry ?? [])
    .sort((left, right) => compareText(left.environmentId, right.environmentId))
  const summary = summaryOf([
    ...present.flatMap((each, index) => stateIn(each, found[index]) ?? []),
    ...missingIds(workload, present).map((environmentId) => ({
      environmentId,
      state: 'EnvironmentNotFound',
    })),
  ])
  const observed = { environments: entries.length > 0 ? entries : undefined, summary }
  if (!sameRecords(workload.status?.environments ?? [], entries))
    await context.report(observed, 'waiting for its deployment')
  const said = workloadContent(workload, '')
  if ('problem' in said) throw new Stalled('InvalidWorkload', said.problem, observed)
  throwOutcome(workload, present, found, observed, tools)
  return observed
}

/** The state of the content in an environment; undefined where the Workload has nothing and wants nothing. */
function stateIn(environment: Environment, { entry, problem }: Found = {}): EnvironmentState | undefined {
  if (!entry && !problem) return undefined
  const state = problem instanceof Stalled ? problem.reason : (entry?.state ?? 'pending')
  return { environmentId: contextOf(environment).environmentId, state, url: entry?.url }
}

/** The environments that the Workload names and that do not exist. */
function missingIds({ spec }: Workload, present: readonly Environment[]): readonly string[] {
  const names = new Set(present.map(({ metadata }) => metadata.name))
  const isMissing = (id: string) => !names.has(environmentObjectName(spec.applicationName, id))
  return (spec.environmentIds ?? []).filter(isMissing)
}

function throwOutcome(
  workload: Workload,
  present: readonly Environment[],
  found: readonly Found[],
  observed: Observed<typeof Workload>,
  { store, refusals }: WorkloadTools,
): void {
  const { spec, metadata } = workload
  const problem =
    found.find((each) => each.problem instanceof Stalled && !(each.problem instanceof Mismatch))?.problem ??
    found.find((each) => each.problem)?.problem
  if (problem instanceof Mismatch) throw new Mismatch(problem.reason, problem.message, observed)
  if (problem instanceof Stalled) throw new Stalled(problem.reason, problem.message, observed)
  if (problem instanceof Waiting)
    throw new Waiting(problem.reason, problem.message, problem.retryAfterSeconds, observed)
  if (!store.get(Application, metadata.namespace, spec.applicationName))
    throw new ReferenceNotFound(
      'ApplicationNotFound',
      `waiting for the application '${spec.applicationName}'`,
      undefined,
      observed,
    )
  const entries = observed.environments ?? []
  const failed = entries.find(({ state }) => state === 'failed')
  if (failed)
    throw new Stalled(
      'DeploymentFailed',
      `the deployment '${failed.deploymentName}' failed: ${failed.message ?? ''}`,
      observed,
    )
  const [missing] = missingIds(workload, present)
  if (missing !== undefined)
    throw new ReferenceNotFound(
      'EnvironmentNotFound',
      `waiting for the environment '${environmentObjectName(spec.applicationName, missing)}'`,
      undefined,
      observed,
    )
  const pending = entries.find(({ state }) => state === 'pending')
  if (!pending) return
  const name = environmentObjectName(spec.applicationName, pending.environmentId)
  const refusal = refusals.get(scoped(workload, name))
  if (refusal) throw copyError(refusal, { observed })
  const message = `waiting for its deployment to '${pending.environmentId}'`
  throw new Waiting('Progressing', message, undefined, observed)
}

/** Whether a set that is missing since the deletion may be restored. */
function isRecent(
  { metadata: { deletionTimestamp = '' } }: Workload,
  { serverNow }: Pick<WorkloadTools, 'serverNow'>,
): boolean {
  return serverNow() - Date.parse(deletionTimestamp) < missingSetMs
}

/** Throws Waiting until no environment has the module any more. One whose set is lost has none. */
async function finalize(workload: Workload, tools: WorkloadTools): Promise<void> {
  for (const { environmentId } of workload.status?.environments ?? []) {
    const name = environmentObjectName(workload.spec.applicationName, environmentId)
    const environment = tools.store.get(Environment, workload.metadata.namespace, name)
    if (!environment || environment.metadata.deletionTimestamp) continue
    const known = entryFor(workload, environmentId)
    const deployed = tools.planning.deployedSet(environment)
    if (!deployed && isRecent(workload, tools)) throw setMissing(environment)
    if (deployed && known && remaining(environment, workload, known, deployed, tools))
      throw new Waiting('ModuleRemains', `waiting for a deployment that removes the module from '${name}'`)
  }
}
