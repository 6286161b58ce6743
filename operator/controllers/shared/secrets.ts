import { isUtf8 } from 'node:buffer'
import type { ActiveResource } from '../../api/active-resource.ts'
import type { StoredObject } from '../../api/kind.ts'
import { apiVersion } from '../../api/names.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Mismatch, ReferenceNotFound } from '../../domain/base/errors.ts'
import { ownValue } from '../../domain/base/json.ts'
import { throwProblems } from '../../domain/base/object-problem.ts'
import { shareReads } from '../../domain/base/shared-read.ts'
import { isTextLeaf } from '../../domain/secret/secret-inputs.ts'
import { isStoreReference, problemOfStore } from '../../domain/secret/secret-stores.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { readObject } from '../../kube/client/read-object.ts'
import { secretResource } from '../../kube/client/resource.ts'

const jsonEnding = '.json'
/** Secrets are not watched. */
const retrySeconds = 5

/** The error for a Secret that does not exist, with the status that is known by now. */
export function secretNotFound(name: string, observed?: object): ReferenceNotFound {
  return new ReferenceNotFound('SecretNotFound', `waiting for the Secret '${name}'`, retrySeconds, observed)
}

/** Reads Secrets by exact name, each once per reader; one that cannot be read is read again. */
export interface SecretReader {
  /** Returns the whole Secret as an object; throws Waiting while it does not exist. */
  read(namespace: string, name: string): Promise<FreeForm>
}

export function createSecretReader(client: KubeClient): SecretReader {
  const known = new Map<string, Promise<FreeForm>>()
  async function fetch(namespace: string, name: string): Promise<FreeForm> {
    const secret = await sharedReads(client)(`${namespace}/${name}`)
    if (!secret) throw secretNotFound(name)
    return contentOf(secret)
  }
  return {
    read(namespace, name) {
      const key = `${namespace}/${name}`
      const found = known.get(key)
      if (found) return found
      const answer = fetch(namespace, name)
      known.set(key, answer)
      void answer.catch(() => known.delete(key))
      return answer
    },
  }
}

/** Resources that need the same Secret at the same time share a read of it. */
const readsOf = new WeakMap<KubeClient, (key: string) => Promise<StoredObject | undefined>>()

function sharedReads(client: KubeClient) {
  const reads =
    readsOf.get(client) ??
    shareReads((key) => {
      const [namespace, name = ''] = key.split('/')
      return readObject(client, secretResource, namespace, name)
    })
  readsOf.set(client, reads)
  return reads
}

/** Replaces each leaf `{secret, key}` or `{secret}` of secret inputs by the content of the Secret, and `{value}` by its value. */
export async function resolveSecretRefs(
  refs: FreeForm,
  namespace: string,
  reader: SecretReader,
): Promise<FreeForm> {
  const entries = await Promise.all(
    Object.entries(refs).map(
      async ([name, value]) => [name, await resolveLeaf(value, namespace, reader)] as const,
    ),
  )
  return Object.fromEntries(entries)
}

async function resolveLeaf(value: unknown, namespace: string, reader: SecretReader): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => resolveLeaf(item, namespace, reader)))
  if (typeof value !== 'object' || value === null) return value
  throwProblems(isStoreReference(value) ? [problemOfStore(value, 'a secret input')] : [])
  const { secret, key } = value as { secret?: unknown; key?: unknown } // user data, checked below
  if (isTextLeaf(value)) return value['value']
  if (typeof secret !== 'string') return resolveSecretRefs(value as FreeForm, namespace, reader)
  const content = await reader.read(namespace, secret)
  if (key === undefined) return content
  const wanted = String(key)
  const found = ownValue(content, wanted) ?? ownValue(content, withoutEnding(wanted))
  if (found === undefined)
    throw new Mismatch(
      'SecretKeyNotFound',
      `the Secret '${secret}' has no key '${wanted}', or its value is not text in UTF-8`,
    )
  return found
}

/** The Secret of the secret outputs of a resource, owned by the resource. */
export function outputsSecret(resource: ActiveResource, secrets: FreeForm) {
  const { name, namespace, uid } = resource.metadata
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `${name}-outputs`,
      namespace,
      ownerReferences: [{ apiVersion, kind: 'ActiveResource', name, uid }],
    },
    data: Object.fromEntries(Object.entries(secrets).map(([key, value]) => encode(key, value))),
  }
}

/** The key of an output: a value that is no text, or text whose name ends in `.json`, is JSON under a key with that suffix. */
export function outputKey(name: string, value: unknown): string {
  return typeof value === 'string' && !name.endsWith(jsonEnding) ? name : `${name}${jsonEnding}`
}

function encode(name: string, value: unknown): readonly [string, string] {
  const key = outputKey(name, value)
  return [key, Buffer.from(key === name ? String(value) : JSON.stringify(value)).toString('base64')]
}

/**
 * The content of a Secret: a key with the suffix `.json` is parsed, and loses the suffix unless there is such a key too. Throws
 * Mismatch for one whose value is not JSON. Values that are not text, such as key stores, are left out: JSON would change them.
 */
export function contentOf({ metadata: { name: secretName }, data }: StoredObject): FreeForm {
  const encoded = (data ?? {}) as Record<string, string>
  return Object.fromEntries(
    Object.entries(encoded).flatMap(([key, value]) => {
      const bytes = Buffer.from(value, 'base64')
      if (!isUtf8(bytes)) return []
      const text = bytes.toString()
      if (!key.endsWith(jsonEnding)) return [[key, text]]
      const name = withoutEnding(key)
      // A name with the suffix is that of an output, whose text is encoded.
      const isTaken = Object.hasOwn(encoded, name) && !name.endsWith(jsonEnding)
      return [[isTaken ? key : name, parse(secretName, key, text)]]
    }),
  )
}

function withoutEnding(key: string): string {
  return key.endsWith(jsonEnding) ? key.slice(0, -jsonEnding.length) : key
}

function parse(secretName: string, key: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Mismatch('InvalidSecret', `key '${key}' of the Secret '${secretName}' is not JSON`)
  }
}
