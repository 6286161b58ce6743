import { ResourceAccount } from '../api/resource-account.ts'
import type { Cluster } from '../kube/cluster.ts'
import type { Controller } from '../kube/controller.ts'
import { createOwnedSecrets } from './owned-secrets.ts'
import { createSecretReader } from './secrets.ts'

/** An account is ready when its credentials are there, or when it needs none; credentials that were replaced go. */
export function resourceAccountController(cluster: Cluster): Controller<typeof ResourceAccount> {
  const ownedSecrets = createOwnedSecrets(cluster, ResourceAccount, ({ spec }) =>
    spec.credentialsSecretName === undefined ? [] : [spec.credentialsSecretName],
  )
  return {
    kind: ResourceAccount,
    async reconcile(account) {
      const { credentialsSecretName } = account.spec
      const { namespace = '' } = account.metadata
      // The old credentials stay until the new ones are there.
      if (credentialsSecretName !== undefined)
        await createSecretReader(cluster.client).read(namespace, credentialsSecretName)
      return ownedSecrets.tidy(account)
    },
  }
}
