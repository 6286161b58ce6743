import { Registry } from '../../api/registry.ts'
import { isPresent, type ObjectProblem, throwProblems } from '../../domain/base/object-problem.ts'
import { registryAddress } from '../../domain/image/image-reference.ts'
import { type RegistrySecret, secretOfRegistry } from '../../domain/image/pull-secret.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { type Controller, watchKind } from '../../kube/loop/controller.ts'
import { createOwnedSecrets } from '../shared/owned-secrets.ts'
import { keysOfRivals } from '../shared/rivals.ts'
import { olderFirst, readPullCredentials } from './pull-credentials.ts'

/** A registry is ready when its credentials can be used, and no older object is for the same registry. */
export function registryController(cluster: Cluster): Controller<typeof Registry> {
  const { store } = cluster
  const ownedSecrets = createOwnedSecrets(cluster, Registry, ({ spec }) =>
    spec.credentialsSecretName === undefined ? [] : [spec.credentialsSecretName],
  )
  const othersFor = (registry: Registry) =>
    store
      .list(Registry, registry.metadata.namespace)
      .filter((each) => isPresent(each) && each.metadata.name !== registry.metadata.name)
      .filter(({ spec }) => registryAddress(spec.registry) === registryAddress(registry.spec.registry))
  return {
    kind: Registry,
    watches: [
      // A registry that one object gives up is free for another one, and one that it takes may be for another one already.
      watchKind(store.cacheOf(Registry), (change) =>
        keysOfRivals(change, othersFor, ({ spec }) => spec.registry),
      ),
    ],
    async reconcile(registry, context) {
      throwProblems(problemsOf(registry))
      // `removeUnused` deletes the old credentials, so the new ones must exist.
      await readPullCredentials(registry, cluster)
      const seen = await ownedSecrets.removeUnused(registry, context)
      const older = othersFor(registry).find((each) => olderFirst(each, registry) < 0)
      const message = `'${older?.metadata.name}' is already for the registry '${registry.spec.registry}'`
      throwProblems(older ? [{ reason: 'DuplicateRegistry', message }] : [], seen)
      return seen
    },
  }
}

/** Why images cannot be pulled, by type of the registry; undefined when they can. */
const problemOfType: Readonly<
  Record<Registry['spec']['type'], (registry: Registry, secret?: RegistrySecret) => string | undefined>
> = {
  public: () => undefined,
  basic: problemOfCredentials,
  google_gcr: problemOfCredentials,
  amazon_ecr: () => "tokens of type 'amazon_ecr' expire and are not renewed; use type 'secret_ref'",
  secret_ref({ metadata }, secret) {
    if (!secret) return "'secrets' must have one entry, or the entry '*' for this cluster"
    if (secret.namespace === metadata.namespace) return undefined
    return `the Secret must be in the namespace '${metadata.namespace}', not in '${secret.namespace}'`
  },
}

function problemOfCredentials({ spec }: Registry, secret?: RegistrySecret): string | undefined {
  return secret ? undefined : `a registry of type '${spec.type}' needs credentials`
}

function problemsOf(registry: Registry): ObjectProblem[] {
  const message = problemOfType[registry.spec.type](registry, secretOfRegistry(registry.spec))
  return message === undefined ? [] : [{ reason: 'RegistryNotSupported', message }]
}
