import { generateKeyPairSync } from 'node:crypto'
import { sessionKeySecret, systemNamespace } from '../api/names.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { isAlreadyExists } from '../kube/client/api-error.ts'
import { readObject } from '../kube/client/read-object.ts'
import { secretResource } from '../kube/client/resource.ts'

/** Creates the key that signs the sessions of the gateway, unless it exists. */
export async function ensureSessionKey(cluster: Cluster): Promise<void> {
  const { name, key } = sessionKeySecret
  if (await readObject(cluster.client, secretResource, systemNamespace, name)) return
  const { privateKey } = generateKeyPairSync('ed25519')
  try {
    await cluster.createSecret({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: systemNamespace },
      stringData: { [key]: privateKey.export({ type: 'pkcs8', format: 'pem' }) },
    })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
