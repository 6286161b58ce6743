import { setImmediate } from 'node:timers/promises'
import { ArtefactVersion } from '../../api/artefact-version.ts'
import { AutomationRule } from '../../api/automation-rule.ts'
import { DeploymentSet } from '../../api/deployment-set.ts'
import { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { sameJson } from '../../domain/base/json.ts'
import { type KeyedMutex, withLock } from '../../domain/base/keyed-mutex.ts'
import { isFinished } from '../../domain/deployment/deployment.ts'
import { imageOf } from '../../domain/image/artefact.ts'
import {
  environmentOfRule,
  isFittingRule,
  type TargetEnvironment,
  targetsOf,
} from '../../domain/image/automation.ts'
import { isImageReference } from '../../domain/module/image-reference.ts'
import { createCacheBarrier } from '../../kube/cache/cache-barrier.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { createFirstVersions } from '../../kube/cache/history.ts'
import { environmentKeyOf, scoped } from '../../kube/cache/kinds-in-store.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { type Controller, type ReconcileContext, type Watch, watchKind } from '../../kube/loop/controller.ts'
import type { Observed } from '../../kube/loop/status.ts'
import { observedOf } from '../objects/observed.ts'
import { watchLifecycle } from '../shared/watch-lifecycle.ts'
import { AutomaticDeployments } from './automatic-deployments.ts'
import { effectiveVersionOf } from './automation-rule.ts'

type Status = Observed<typeof ArtefactVersion>
type Context = ReconcileContext<typeof ArtefactVersion>

/** Deploys new versions to the environments whose automation rules they fit, each once. */
export function artefactVersionController(
  cluster: Cluster,
  settleSeconds: number,
): Controller<typeof ArtefactVersion> {
  const reconciler = new VersionReconciler(cluster, settleSeconds)
  return {
    kind: ArtefactVersion,
    watches: reconciler.watches,
    reconcile: (version, context) => reconciler.reconcile(version, context),
  }
}

class VersionReconciler {
  readonly #cluster: Cluster
  readonly #deployments: AutomaticDeployments
  readonly #firstVersionOf: (version: ArtefactVersion) => bigint
  readonly #waitForRules: (namespace: string) => Promise<void>
  /** One version of an environment at a time, so that one deployment has all of them. */
  readonly #locks: KeyedMutex = new Map()

  constructor(cluster: Cluster, settleSeconds: number) {
    this.#cluster = cluster
    this.#deployments = new AutomaticDeployments(cluster, settleSeconds)
    this.#firstVersionOf = createFirstVersions(cluster.store.cacheOf(ArtefactVersion))
    this.#waitForRules = createCacheBarrier(cluster, [AutomationRule])
  }

  get watches(): Watch[] {
    const { store } = this.#cluster
    const openIn = (environmentKey: string) =>
      store.byIndex(ArtefactVersion, 'openEnvironment', environmentKey).map(keyOf)
    const openFor = (set: DeploymentSet) =>
      store
        .byIndex(Environment, 'application', scoped(set, set.spec.applicationName))
        .flatMap((each) => openIn(keyOf(each)))
    return [
      watchKind(store.cacheOf(EnvironmentDeployment), ({ before, after }) => {
        const hasEnded = before && !isFinished(before) && (!after || isFinished(after))
        return hasEnded ? openIn(environmentKeyOf(before)) : []
      }),
      watchLifecycle(store.cacheOf(Environment), (each) => openIn(keyOf(each))),
      watchKind(store.cacheOf(Environment), ({ before, after }) =>
        before && after && !sameJson(baseFactsOf(before), baseFactsOf(after)) ? openIn(keyOf(after)) : [],
      ),
      watchKind(store.cacheOf(DeploymentSet), ({ before, after }) =>
        before || !after ? [] : openFor(after),
      ),
      watchKind(store.cacheOf(AutomationRule), ({ before, after }) =>
        before && before.spec !== after?.spec ? openIn(scoped(before, environmentOfRule(before))) : [],
      ),
    ]
  }

  /**
   * 1. decide: finds the environments whose rules the version fits, once; rules that are changed later do not count.
   * 2. report: writes them to the status, so that a crash does not lose them.
   * 3. settle: for each environment, deploys the version or finds out why not; throws Waiting until that is known, and the
   *    error of an environment when all others are known or wait.
   */
  async reconcile(version: ArtefactVersion, context: Context): Promise<Status> {
    const isDecided = version.status?.createdVersion !== undefined
    const decided: Status = isDecided ? observedOf(version) : await this.#decide(version)
    const { environments = [] } = decided
    if (!isDecided && environments.length > 0) await context.report(decided, 'looking at the environments')
    let wait: Waiting | undefined
    const failures: unknown[] = []
    const settled: TargetEnvironment[] = []
    for (const target of environments) {
      await setImmediate() // hundreds of environments take time
      try {
        settled.push(target.outcome ? target : await this.#settle(version, target, context))
      } catch (error) {
        if (error instanceof Waiting) wait = soonerOf(wait, error)
        else failures.push(error)
        settled.push(target)
      }
    }
    const status = { ...decided, environments: settled }
    // An environment that cannot be deployed to keeps no other one from its deployment.
    if (failures.length > 0 && !sameJson(settled, environments))
      await context.report(status, 'some environments have their outcome')
    const failure = failures.find((each) => !wait || !(each instanceof Stalled))
    if (failure !== undefined) throw failure
    if (wait) throw new Waiting(wait.reason, wait.message, wait.retryAfterSeconds, status)
    this.#deployments.forget(version)
    return status
  }

  async #decide(version: ArtefactVersion): Promise<Status> {
    const { namespace } = version.metadata
    await this.#waitForRules(namespace)
    const created = this.#firstVersionOf(version)
    if (!isImageReference(imageOf(version.spec))) return { createdVersion: String(created), environments: [] }
    const fitting: AutomationRule[] = []
    for (const rule of this.#cluster.store.list(AutomationRule, namespace)) {
      if (effectiveVersionOf(rule) < created && isFittingRule(rule, version)) fitting.push(rule)
      await setImmediate() // patterns of users take time
    }
    return { createdVersion: String(created), environments: targetsOf(fitting) }
  }

  #settle(version: ArtefactVersion, target: TargetEnvironment, context: Context): Promise<TargetEnvironment> {
    const { environmentName } = target
    return context.releaseWorker(() =>
      withLock(this.#locks, scoped(version, environmentName), async () => ({
        ...target,
        ...(await this.#deployments.settle(this.#current(version), environmentName)),
      })),
    )
  }

  /** The version with the status that was written last. */
  #current(version: ArtefactVersion): ArtefactVersion {
    const { namespace, name, uid } = version.metadata
    const current = this.#cluster.store.get(ArtefactVersion, namespace, name)
    return current?.metadata.uid === uid ? current : version
  }
}

/** What says which set the next deployment to an environment changes. */
function baseFactsOf({ spec, status }: Environment) {
  const { fromDeploymentName, fromRequest } = spec
  return { fromDeploymentName, fromRequest, start: status?.start, lastPlanned: status?.lastPlanned }
}

/** The wait that ends first; one without a time ends with an event. */
function soonerOf(left: Waiting | undefined, right: Waiting): Waiting {
  if (!left) return right
  const [before, after] = [left, right].map((each) => each.retryAfterSeconds ?? Number.POSITIVE_INFINITY)
  return (after ?? 0) < (before ?? 0) ? right : left
}
