import type { Environment } from '../../../operator/api/environment.ts'
import { Environment as EnvironmentKind } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { type KubeObject, type ObjectMeta } from '../../../operator/api/kind.ts'
import { Webhook } from '../../../operator/api/webhook.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { storedObject } from '../../support/builders.ts'
import { createFakeObjects, type FakeObjects } from './fake-objects.ts'

/** A fake cluster with Secrets that can be read, made once under a name, and deleted; and whose status can be written. */
export function withSecrets(fake: FakeCluster): { cluster: FakeCluster; objects: FakeObjects } {
  const objects = createFakeObjects()
  const cluster: FakeCluster = {
    ...fake,
    client: objects.client,
    async createSecret(secret) {
      if (objects.get('Secret', secret.metadata.name))
        throw new ApiError(409, 'AlreadyExists', `secrets "${secret.metadata.name}" already exists`)
      const deleted = fake.secrets.findIndex(({ metadata }) => metadata.name === secret.metadata.name)
      if (deleted >= 0) fake.secrets.splice(deleted, 1)
      await fake.createSecret(secret)
      objects.put(secret)
    },
    async replaceStatus(kind, { metadata }, status) {
      const { namespace, name } = metadata
      fake.setStatus(kind, namespace, name, JSON.parse(JSON.stringify(status)))
      const object = fake.store.get(kind, namespace, name)
      if (!object) throw new ApiError(404, 'NotFound', 'not found')
      return object
    },
  }
  return { cluster, objects }
}

/** A Secret in `acme` with a signing secret. */
export function signingSecret(name: string, text: string, metadata: Partial<ObjectMeta> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'acme', ...metadata },
    data: { secret: Buffer.from(text).toString('base64') },
  } as KubeObject // with the field that Secrets have
}

/** A webhook of the application `shop` in `acme`. */
export function webhook(
  name: string,
  spec: Partial<Webhook['spec']> = {},
  metadata: Partial<ObjectMeta> = {},
): Webhook {
  const own = { namespace: 'acme', name, uid: `uid-of-${name}`, generation: 1, ...metadata }
  return storedObject(Webhook, own, { applicationName: 'shop', url: 'hooks.example.com', ...spec })
}

/** The environment `shop.staging` in `acme`. */
export function environment(metadata: Partial<ObjectMeta> = {}): Environment {
  const own = { namespace: 'acme', name: 'shop.staging', ...metadata }
  return storedObject(EnvironmentKind, own, { applicationName: 'shop', typeName: 'staging' })
}

/** The deployment `shop.staging.1`, with a status. */
export function deployment(status: object = {}, metadata: Partial<ObjectMeta> = {}): EnvironmentDeployment {
  const own = { namespace: 'acme', name: 'shop.staging.1', ...metadata }
  const made = storedObject(EnvironmentDeployment, own, { environmentName: 'shop.staging' })
  return { ...made, status } as EnvironmentDeployment // as a status holds it
}
