import { AutomationRule } from '../api/automation-rule.ts'
import { Environment } from '../api/environment.ts'
import type { ObjectOf } from '../api/kind.ts'
import { SharedValue } from '../api/shared-value.ts'
import { shareReads } from '../domain/base/shared-read.ts'
import { contextOf } from '../domain/resource/identity.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { scoped } from '../kube/cache/kinds-in-store.ts'
import { inParallel } from '../kube/client/parallel.ts'
import { namespacedName } from '../kube/client/resource.ts'
import { requireStillPresent } from './shared/still-present.ts'

/** Kinds of objects that belong to one environment of an application, in addition to resources and deployments. */
const kinds = [SharedValue, AutomationRule] as const

type ContentKind = (typeof kinds)[number]

/**
 * Deletes the shared values and automation rules of an environment: a later environment of the id must not inherit them.
 * Asks the API server for those that the cache does not contain yet. Environments of one application that end at the same time
 * share the answers.
 */
export function createContentRemoval(cluster: Cluster): (environment: Environment) => Promise<void> {
  const readers = kinds.map((kind) => {
    const readNames = shareReads((application) => {
      const [namespace, name] = namespacedName(application)
      return cluster.readNames(kind, namespace, { 'spec.applicationName': name })
    })
    return { kind, readNames }
  })
  return async (environment) => {
    const { namespace } = environment.metadata
    const application = scoped(environment, environment.spec.applicationName)
    await inParallel(readers, async ({ kind, readNames }) => {
      const known = cluster.store.byIndex<ContentKind>(kind, 'application', application)
      const names = new Set(known.map(({ metadata }) => metadata.name))
      const unseen = (await readNames(application)).filter((name) => !names.has(name))
      const read = await Promise.all(unseen.map((name) => cluster.read<ContentKind>(kind, namespace, name)))
      const own = [...known, ...read].flatMap((each) => (each && isOf(environment, each) ? [each] : []))
      await requireStillPresent(cluster, Environment, environment, own)
      for (const each of own) await cluster.remove<ContentKind>(kind, each)
    })
  }
}

function isOf(environment: Environment, { spec }: ObjectOf<ContentKind>): boolean {
  const { applicationId, environmentId } = contextOf(environment)
  return spec.applicationName === applicationId && spec.environmentId === environmentId
}
