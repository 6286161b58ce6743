import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ActiveResource } from '../../api/active-resource.ts'
import { systemNamespace } from '../../api/names.ts'
import { canonicalJson } from '../../domain/base/json.ts'
import { isAlreadyExists } from '../../kube/client/api-error.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { readObject } from '../../kube/client/read-object.ts'
import { namespaceResource, pathOf, secretResource } from '../../kube/client/resource.ts'

type ResourceSpec = ActiveResource['spec']

/** The secret key of this installation, and what it proves. */
export interface Installation {
  /** Keyed hash of any data; without the key, it does not help to guess weak secrets. */
  hash(value: unknown): string
  /** Signature of a resource's spec, which proves that the operator wrote it. */
  signature(namespace: string, name: string, spec: Omit<ResourceSpec, 'signature'>): string
  /** Whether the resource has that signature. Remembers the specs that have: objects of a cache never change. */
  isSigned(resource: ActiveResource): boolean
}

const secretName = 'quartermaster-installation'

/**
 * Prepares the start and reads the key of this installation. A first start makes the key after its preparation, so that the
 * start after one that ended halfway is a first one too.
 */
export async function openInstallation(
  client: KubeClient,
  prepare: (start: { readonly isFirstStart: boolean }) => Promise<void>,
): Promise<Installation> {
  const known = await readKey(client)
  await prepare({ isFirstStart: known === undefined })
  return installationWith(known ?? (await makeKey(client)))
}

/** An installation with this key. */
export function installationWith(key: Buffer): Installation {
  const secretKey = createSecretKey(key)
  const hash = (value: unknown) => createHmac('sha256', secretKey).update(canonicalJson(value)).digest('hex')
  const signature = (namespace: string, name: string, spec: Omit<ResourceSpec, 'signature'>) =>
    hash(['active-resource', namespace, name, spec])
  function verify({ metadata, spec }: ActiveResource): boolean {
    const { signature: given, ...rest } = spec
    // The schema requires a signature, but an object that an older version stored has none.
    if (typeof (given as unknown) !== 'string') return false
    const wanted = Buffer.from(signature(metadata.namespace, metadata.name, rest))
    const found = Buffer.from(given)
    return wanted.length === found.length && timingSafeEqual(wanted, found)
  }
  /** Specs with a signature, and the resource that it is for. */
  const signed = new WeakMap<ResourceSpec, Pick<ActiveResource['metadata'], 'namespace' | 'name'>>()
  return {
    hash,
    signature,
    isSigned(resource) {
      const { metadata, spec } = resource
      const known = signed.get(spec)
      if (known?.name === metadata.name && known.namespace === metadata.namespace) return true
      if (!verify(resource)) return false
      signed.set(spec, metadata)
      return true
    },
  }
}

/** Id of this cluster, for marks outside of it: 8 hexadecimal digits that never change. */
export async function readInstallationId(client: KubeClient): Promise<string> {
  const namespace = await readObject(client, namespaceResource, undefined, 'kube-system')
  const uid = namespace?.metadata.uid
  if (uid === undefined) throw new Error("the namespace 'kube-system' cannot be read")
  return uid.replaceAll('-', '').slice(0, 8)
}

async function readKey(client: KubeClient): Promise<Buffer | undefined> {
  const secret = await readObject(client, secretResource, systemNamespace, secretName)
  const data = secret?.data as Record<string, string> | undefined // a Secret
  return data?.key ? Buffer.from(data.key, 'base64') : undefined
}

async function makeKey(client: KubeClient): Promise<Buffer> {
  const key = randomBytes(32)
  try {
    await client.request('POST', pathOf(secretResource, systemNamespace), {
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: secretName, namespace: systemNamespace },
        immutable: true,
        data: { key: key.toString('base64') },
      },
    })
    return key
  } catch (error) {
    const made = isAlreadyExists(error) ? await readKey(client) : undefined
    if (!made) throw error
    return made
  }
}
