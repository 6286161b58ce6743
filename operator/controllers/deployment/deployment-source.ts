import { DeploymentDelta } from '../../api/deployment-delta.ts'
import { DeploymentSet } from '../../api/deployment-set.ts'
import type { Environment } from '../../api/environment.ts'
import { type DeploymentProblem, EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { newObject } from '../../api/kind.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { applyDelta, deltaContent, emptySet, type SetContent } from '../../domain/delta/delta.ts'
import { type Base, baseNamed, baseOf, startRequestTime } from '../../domain/deployment/deployment-base.ts'
import { isLastPlanned } from '../../domain/deployment/deployment-history.ts'
import { planningProblem } from '../../domain/graph/exception-guard.ts'
import { type Cluster, refreshNamed } from '../../kube/cache/cluster.ts'
import type { Store } from '../../kube/cache/store.ts'
import type { Observed } from '../../kube/loop/status.ts'
import type { Planning } from '../../planning/planning.ts'
import { saveSet, saveSetAs } from '../../planning/save-set.ts'
import { failure } from './deployment-failure.ts'

/** The set of a deployment, and the status fields that say where it comes from. */
export type Source = { readonly set: SetContent } & Observed<typeof EnvironmentDeployment>

/** What the set of a deployment is made with. */
export interface SourceTools {
  readonly cluster: Cluster
  readonly planning: Pick<Planning, 'foldInto'>
}

/** An object that a deployment names does not exist; the message is its name. */
export class SourceNotFound extends Error {
  readonly reason: Reason
  constructor(reason: Reason, what: string) {
    super(what)
    this.reason = reason
  }
}

/** The delta of a deployment does not apply to its base. */
export class IncompatibleDelta extends Error {
  get problem(): DeploymentProblem {
    return { object: '', reason: 'IncompatibleDelta', message: this.message }
  }
}

/**
 * Returns the set of a deployment: the one that it names, or its base with its delta applied, which becomes a
 * DeploymentSet, also again when that was deleted. Throws SourceNotFound for a set or delta that does not exist,
 * IncompatibleDelta for one that does not apply, and Stalled when the base is no longer the one that the set was computed from.
 */
export async function resolveSource(
  tools: SourceTools,
  deployment: EnvironmentDeployment,
  environment: Environment,
): Promise<Source> {
  const { store } = tools.cluster
  const { namespace } = deployment.metadata
  failIfBaseChanged(store, deployment, environment)
  const base = findBase(store, deployment, environment)
  const source = { fromDeploymentName: base?.deploymentName, ...startOf(deployment, environment) }
  const recorded = recordedSet(deployment, environment)
  const isThere = recorded && store.get(DeploymentSet, namespace, recorded.name)
  if (recorded && (isThere || !recorded.canBeMadeAgain))
    return {
      ...source,
      setName: recorded.name,
      set: await findOwnSet(tools.cluster, environment, recorded.name),
    }
  const made = await makeSet(tools, deployment, environment, base)
  // The base or the delta is not what it was.
  if (recorded && made.setName !== recorded.name) throw setNotFound(recorded.name)
  return { ...source, ...made }
}

/** The start that the deployment uses up. A request that comes after it has started is for the next one. */
function startOf(
  { status }: EnvironmentDeployment,
  environment: Environment,
): Pick<Source, 'environmentFromName' | 'environmentFromTime'> {
  if (status?.startTime) {
    const { environmentFromName, environmentFromTime } = status
    return { environmentFromName, environmentFromTime }
  }
  return {
    environmentFromName: environment.spec.fromDeploymentName || undefined,
    environmentFromTime: startRequestTime(environment),
  }
}

/** The set that a deployment names, or that was made for it. */
function recordedSet(
  deployment: EnvironmentDeployment,
  environment: Environment,
): { readonly name: string; readonly canBeMadeAgain: boolean } | undefined {
  const { spec, status } = deployment
  if (spec.setName !== undefined) return { name: spec.setName, canBeMadeAgain: false }
  // The delta and Workloads may change until their deployment starts.
  if (status?.startTime && status.setName !== undefined) return { name: status.setName, canBeMadeAgain: true }
  // A deployment that was deleted while it ran, and is created again, continues with the set of its plan.
  const planned = isLastPlanned(environment, deployment) ? environment.status?.lastPlanned : undefined
  return planned && { name: planned.setName, canBeMadeAgain: false }
}

/** Applies the delta and the Workloads to the base, and saves the result as a DeploymentSet. */
async function makeSet(
  { cluster, planning }: SourceTools,
  { metadata: { namespace }, spec: { deltaName, workloads } }: EnvironmentDeployment,
  environment: Environment,
  base: Base | undefined,
): Promise<{ readonly set: SetContent; readonly setName: string }> {
  const { store } = cluster
  const baseSet = base ? await setOfBase(cluster, namespace, base) : emptySet
  const changed = deltaName ? fold(baseSet, findDelta(store, environment, deltaName)) : baseSet
  const set = workloads === undefined ? changed : planning.foldInto(environment, changed).set
  const { applicationName } = environment.spec
  const setName = await saveSet(store, namespace, applicationName, set, setWrites(cluster, namespace))
  return { set, setName }
}

/** Creates the set of a deployment again if it was deleted before anything recorded it. */
export async function restoreSet(
  cluster: Cluster,
  { metadata: { namespace }, spec: { applicationName } }: Environment,
  { set: { modules, shared }, setName: name }: Source,
): Promise<void> {
  if (!name) return
  const spec = { applicationName, modules: { ...modules }, shared: { ...shared } }
  await saveSetAs(cluster.store, { namespace, name }, spec, setWrites(cluster, namespace))
}

function setWrites(cluster: Cluster, namespace: string) {
  return {
    create: (name: string, spec: DeploymentSet['spec']) =>
      cluster.create(
        DeploymentSet,
        newObject(DeploymentSet, { name, namespace }, spec),
        EnvironmentDeployment.kind,
      ),
  }
}

/**
 * Two clients may deploy at the same time: the set that the later one computed lacks what the other one changed. A client
 * may also let the environment start from an older deployment.
 */
function failIfBaseChanged(store: Store, deployment: EnvironmentDeployment, environment: Environment): void {
  const { metadata, spec } = deployment
  if (!spec.failIfBaseChanged || isPlanned(deployment, environment)) return
  const base = baseOf(environment, finderIn(store, metadata.namespace))
  if (base?.deploymentName === spec.fromDeploymentName) return
  const setOf = (name: string | undefined) => (name === undefined ? 'no set' : `the set of '${name}'`)
  const [before, now] = [spec.fromDeploymentName, base?.deploymentName].map(setOf)
  const message = `the deployment builds on ${before}, but the next one must build on ${now}`
  throw failure({ problems: [{ object: '', reason: 'BaseChanged', message }] })
}

/** The deployment that this one builds on; undefined for the first deployment to an environment. */
function findBase(
  store: Store,
  deployment: EnvironmentDeployment,
  environment: Environment,
): Base | undefined {
  const { metadata, spec, status } = deployment
  const find = finderIn(store, metadata.namespace)
  const started = status?.startTime ? status : undefined
  const named = started?.fromDeploymentName ?? spec.fromDeploymentName
  if (named !== undefined) return baseNamed(environment, named, find)
  return isPlanned(deployment, environment) ? undefined : baseOf(environment, find)
}

function isPlanned(deployment: EnvironmentDeployment, environment: Environment): boolean {
  return deployment.status?.startTime !== undefined || isLastPlanned(environment, deployment)
}

function finderIn(store: Store, namespace: string) {
  return (name: string) => store.get(EnvironmentDeployment, namespace, name)
}

async function setOfBase(
  cluster: Cluster,
  namespace: string,
  { deploymentName, setName }: Base,
): Promise<SetContent> {
  if (setName) return findSet(cluster, namespace, setName)
  throw new SourceNotFound('BaseNotFound', `the set of the base deployment '${deploymentName}'`)
}

/** Reads a set that the cache lacks: its watch may be behind that of the object that names the set. */
async function findSet(cluster: Cluster, namespace: string, name: string): Promise<DeploymentSet['spec']> {
  const cached = cluster.store.get(DeploymentSet, namespace, name)
  const set = cached ?? (await refreshNamed(cluster, DeploymentSet, namespace, name))
  if (!set) throw setNotFound(name)
  return set.spec
}

function setNotFound(name: string): SourceNotFound {
  return new SourceNotFound('SetNotFound', `the deployment set '${name}'`)
}

/** The set of this name, which may deploy its own application alone. */
async function findOwnSet(
  cluster: Cluster,
  { metadata, spec }: Environment,
  name: string,
): Promise<SetContent> {
  const { applicationName, ...set } = await findSet(cluster, metadata.namespace, name)
  if (applicationName === spec.applicationName) return set
  throw new SourceNotFound('SetNotFound', ofApplication(`the deployment set '${name}'`, spec))
}

function findDelta(store: Store, { metadata, spec }: Environment, name: string): DeploymentDelta {
  const delta = store.get(DeploymentDelta, metadata.namespace, name)
  if (delta?.spec.applicationName === spec.applicationName) return delta
  const what = `the delta '${name}'`
  throw new SourceNotFound('DeltaNotFound', delta ? ofApplication(what, spec) : what)
}

function ofApplication(what: string, { applicationName }: Environment['spec']): string {
  return `${what} of the application '${applicationName}'`
}

function fold(base: SetContent, delta: DeploymentDelta): SetContent {
  try {
    return applyDelta(base, deltaContent(delta.spec))
  } catch (error) {
    throw new IncompatibleDelta(
      `the delta '${delta.metadata.name}' does not apply: ${planningProblem(error).message}`,
    )
  }
}
