import { ArtefactVersion } from '../../api/artefact-version.ts'
import { AutomationRule } from '../../api/automation-rule.ts'
import { DeploymentDelta } from '../../api/deployment-delta.ts'
import { DeploymentSet } from '../../api/deployment-set.ts'
import { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { type Manifest, newObject } from '../../api/kind.ts'
import { annotations, finalizer } from '../../api/names.ts'
import { isClearlyOlder } from '../../domain/base/creation-time.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { compareText, sameJson } from '../../domain/base/json.ts'
import { truncate } from '../../domain/base/size-limits.ts'
import { emptySet, type SetContent } from '../../domain/delta/delta.ts'
import { baseOf } from '../../domain/deployment/deployment-base.ts'
import { lastToRun } from '../../domain/deployment/deployment-order.ts'
import { imageOf } from '../../domain/image/artefact.ts'
import {
  automationDeltaId,
  exclusionOf,
  type TargetEnvironment,
  targetIn,
} from '../../domain/image/automation.ts'
import { type ImageUpdates, imageUpdates } from '../../domain/image/image-update.ts'
import { contextOf } from '../../domain/resource/identity.ts'
import { versionOf } from '../../kube/cache/cache.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import { isAlreadyExists } from '../../kube/client/api-error.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { ownersIn } from '../../planning/owners.ts'
import { firstOf } from '../shared/deletion-blockers.ts'
import { unfinishedIn, waitForDeployment } from '../shared/unfinished-deployments.ts'
import { createWantedIn } from './wanted-in.ts'

type Result = Pick<TargetEnvironment, 'outcome' | 'deploymentName' | 'message'>

/** A stream of versions delays a deployment at most this many times the time for one. */
const longestDelay = 10
const longestComment = 8192

/** What one deployment changes. */
interface Batch {
  readonly environment: Environment
  readonly versions: readonly ArtefactVersion[]
  readonly updates: ImageUpdates
}

/**
 * Deploys versions to environments. The deployment names its versions, so that a version is deployed once: after a crash, the
 * next process finds the deployment.
 */
export class AutomaticDeployments {
  readonly #cluster: Cluster
  readonly #settleMs: number
  /** When this process first saw a version, by uid; monotonic milliseconds. */
  readonly #seen = new Map<string, number>()

  readonly #wantedIn: ReturnType<typeof createWantedIn>

  constructor(cluster: Cluster, settleSeconds: number) {
    this.#cluster = cluster
    this.#settleMs = settleSeconds * 1000
    this.#wantedIn = createWantedIn(cluster.store)
    cluster.store.cacheOf(ArtefactVersion).subscribe(({ before, after }) => {
      if (before && !after) this.forget(before)
    })
  }

  forget({ metadata }: ArtefactVersion): void {
    this.#seen.delete(metadata.uid)
  }

  /**
   * Deploys a version to an environment, with the others that wait, unless something speaks against it. Throws Waiting while
   * more versions may come or another deployment runs. Calls for one environment must not overlap.
   */
  async settle(version: ArtefactVersion, environmentName: string): Promise<Result> {
    const { store } = this.#cluster
    const { namespace } = version.metadata
    const deployment = this.#deploymentOf(version, environmentName)
    const environment = store.get(Environment, namespace, environmentName)
    if (deployment) return this.#deployedBy(deployment.metadata.name, version, environment)
    if (!environment || environment.metadata.deletionTimestamp) return { outcome: 'EnvironmentGone' }
    const key = scoped(version, environmentName)
    const rules = store.byIndex(AutomationRule, 'environment', key)
    const exclusion = exclusionOf(version, environmentName, rules)
    if (exclusion) return { outcome: exclusion }
    const wanted = this.#wantedIn(key, environmentName, rules)
    if (!wanted.some(({ metadata }) => metadata.uid === version.metadata.uid))
      return { outcome: 'Superseded' }
    const open = wanted.filter((each) => !this.#deploymentOf(each, environmentName))
    this.#awaitOthers(open)
    this.#awaitTurn(environment)
    const deployed = this.#deployedSet(environment)
    const owners = this.#ownersIn(environment)
    const set = withoutModules(deployed, owners)
    if (isUnchanged(set, [version])) {
      const leftOut = leftOutOf(deployed, owners, version)
      return { outcome: leftOut.message === undefined ? 'Unchanged' : 'OwnedByWorkload', ...leftOut }
    }
    const changed = open.filter((each) => !isUnchanged(set, [each])).sort(byName)
    const updates = imageUpdates(
      set,
      changed.map(({ spec }) => spec),
    )
    const name = await this.#deploy({ environment, versions: changed, updates })
    return this.#deployedBy(name, version, environment)
  }

  /** The result of a version that a deployment names, with the modules that the deployment leaves out. */
  #deployedBy(
    deploymentName: string,
    version: ArtefactVersion,
    environment: Environment | undefined,
  ): Result {
    const owners = environment ? this.#ownersIn(environment) : new Map<string, string>()
    const isAnyOwned = environment !== undefined && owners.size > 0
    const leftOut = isAnyOwned ? leftOutOf(this.#deployedSet(environment), owners, version) : {}
    return { outcome: 'Deployed', deploymentName, ...leftOut }
  }

  /** The names of the Workloads that own modules of an environment, by module. */
  #ownersIn(environment: Environment): ReadonlyMap<string, string> {
    const owners = ownersIn(this.#cluster.store, environment)
    return new Map(owners.map(({ id, workloadName }) => [id, workloadName]))
  }

  /** The deployment that names a version, and no earlier version of its name. */
  #deploymentOf(version: ArtefactVersion, environmentName: string): EnvironmentDeployment | undefined {
    const index = scoped(version, `${environmentName} ${version.metadata.name}`)
    return this.#cluster.store
      .byIndex(EnvironmentDeployment, 'artefactVersion', index)
      .find((each) => !isOfEarlier(each, version))
  }

  /** Throws Waiting for a short time after the last version, so that versions that come together are one deployment. */
  #awaitOthers(versions: readonly ArtefactVersion[]): void {
    const now = performance.now()
    const times = versions.map(({ metadata: { uid } }) => {
      const time = this.#seen.get(uid) ?? now
      this.#seen.set(uid, time)
      return time
    })
    const due = Math.min(
      Math.max(...times) + this.#settleMs,
      Math.min(...times) + longestDelay * this.#settleMs,
    )
    if (now < due)
      throw new Waiting('Batching', 'waiting for more versions, for one deployment', (due - now) / 1000)
  }

  #awaitTurn(environment: Environment): void {
    const last = lastToRun(unfinishedIn(keyOf(environment), this.#cluster.store))
    if (last) throw waitForDeployment(last.metadata.name)
  }

  #deployedSet(environment: Environment): SetContent {
    const { store } = this.#cluster
    const { namespace } = environment.metadata
    const base = baseOf(environment, (name) => store.get(EnvironmentDeployment, namespace, name))
    if (!base) return emptySet
    const set = base.setName === undefined ? undefined : store.get(DeploymentSet, namespace, base.setName)
    if (set) return set.spec
    const message = `waiting for the set of the deployment '${base.deploymentName}'`
    throw new Waiting('SetNotFound', message)
  }

  /** Creates the delta and the deployment; safe to repeat. Returns the name of the deployment. */
  async #deploy({ environment, versions, updates }: Batch): Promise<string> {
    const { namespace, name: environmentName, uid } = environment.metadata
    const names = versions.map(({ metadata }) => metadata.name)
    const uids = versions.map(({ metadata }) => metadata.uid)
    const deltaName = automationDeltaId(uid, uids, updates)
    const creator = `automation-rule:${ruleOf(versions, environmentName)}`
    const images = versions.map(({ spec }) => imageOf(spec)).sort()
    const comment = truncate(`New images: ${images.join(', ')}`, longestComment)
    const { applicationId, environmentId } = contextOf(environment)
    const delta = newObject(
      DeploymentDelta,
      { name: deltaName, namespace, annotations: { [annotations.createdBy]: creator } },
      {
        applicationName: applicationId,
        environmentId,
        displayName: 'New images',
        archived: true, // the REST API does not change it
        modules: { update: mutable(updates) },
      },
    )
    await this.#create(DeploymentDelta, delta)
    const deployment = newObject(
      EnvironmentDeployment,
      {
        name: `${environmentName}.${deltaName}`,
        namespace,
        finalizers: [finalizer],
        annotations: {
          [annotations.createdBy]: creator,
          [annotations.triggeredBy]: creator,
          [annotations.artefactVersions]: names.join(','),
        },
      },
      { environmentName, deltaName, comment },
    )
    await this.#create(EnvironmentDeployment, deployment)
    return deployment.metadata.name
  }

  /** Creates an object unless an equal one exists, from an attempt whose answer was lost. */
  async #create<K extends typeof DeploymentDelta | typeof EnvironmentDeployment>(
    kind: K,
    object: Manifest<K>,
  ): Promise<void> {
    try {
      await this.#cluster.create(kind, object)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      const { namespace, name } = object.metadata
      const existing = await this.#cluster.read(kind, namespace, name)
      if (existing && sameJson(existing.spec, object.spec)) return
      throw new Stalled('Conflict', `another ${kind.kind} '${name}' exists`)
    }
  }
}

/** Whether a deployment is older than a version. It is if it has not changed since the version came. */
function isOfEarlier(deployment: EnvironmentDeployment, version: ArtefactVersion): boolean {
  const hasNotChanged = versionOf(deployment) < BigInt(version.status?.createdVersion ?? 0)
  return hasNotChanged || isClearlyOlder(deployment, version)
}

function byName(left: ArtefactVersion, right: ArtefactVersion): number {
  return compareText(left.metadata.name, right.metadata.name)
}

/** A set without the modules that belong to Workloads: their images are those that the Workloads name. */
function withoutModules({ modules, ...set }: SetContent, owners: ReadonlyMap<string, string>): SetContent {
  return { ...set, modules: Object.fromEntries(Object.entries(modules).filter(([id]) => !owners.has(id))) }
}

/** What to do about the modules of Workloads that run another version of the image; empty without one. */
function leftOutOf(
  set: SetContent,
  owners: ReadonlyMap<string, string>,
  { spec }: ArtefactVersion,
): Pick<Result, 'message'> {
  const names = Object.keys(imageUpdates(set, [spec])).flatMap((id) => owners.get(id) ?? [])
  if (names.length === 0) return {}
  const shown = firstOf(names.sort(compareText).map((name) => `'${name}'`))
  return { message: `change the image in the Workload ${shown}` }
}

function isUnchanged(set: SetContent, versions: readonly ArtefactVersion[]): boolean {
  return (
    Object.keys(
      imageUpdates(
        set,
        versions.map(({ spec }) => spec),
      ),
    ).length === 0
  )
}

function ruleOf(versions: readonly ArtefactVersion[], environmentName: string): string {
  const [first] = versions
  return (first && targetIn(first, environmentName)?.ruleNames[0]) ?? ''
}

function mutable(updates: ImageUpdates) {
  return Object.fromEntries(Object.entries(updates).map(([id, operations]) => [id, [...operations]]))
}
