import { isUtf8 } from 'node:buffer'
import type { KubeObject } from '../../api/kind.ts'
import type { FreeForm } from '../../api/schema.ts'
import { isObject } from '../../domain/base/json.ts'
import { isSecret } from '../secret-leak.ts'

type Objects = readonly (readonly [name: string, object: KubeObject | undefined])[]

/** Objects for templates of secret outputs, with decoded Secrets; values that are not text, such as key stores, are left out. */
export function withSecrets(objects: Objects): FreeForm {
  return byName(objects, (object) => (isSecret(object) ? { ...object, data: decoded(object.data) } : object))
}

/** Objects for templates of plain outputs, without the content of Secrets; `absent` omits Secrets. */
export function withoutSecrets(objects: Objects, { absent = false } = {}): FreeForm {
  const kept = absent ? objects.filter(([, object]) => !object || !isSecret(object)) : objects
  return byName(kept, ({ apiVersion, kind, metadata, ...rest }) =>
    isSecret({ apiVersion, kind })
      ? { apiVersion, kind, metadata: bare(metadata) }
      : { apiVersion, kind, metadata, ...rest },
  )
}

// An annotation may repeat the whole object.
function bare({ name, namespace, uid }: KubeObject['metadata']): FreeForm {
  return { name, namespace, uid }
}

/** One object by its name, several of one name as a list. */
function byName(objects: Objects, seen: (object: KubeObject) => FreeForm): FreeForm {
  const found: FreeForm = {}
  for (const [name, object] of objects) {
    if (!object) continue
    const value = seen(object)
    const present = Object.hasOwn(found, name) ? found[name] : undefined
    const next = present === undefined ? value : [...(Array.isArray(present) ? present : [present]), value]
    Object.defineProperty(found, name, { value: next, writable: true, enumerable: true, configurable: true })
  }
  return found
}

function decoded(data: unknown): FreeForm {
  if (!isObject(data)) return {}
  return Object.fromEntries(
    Object.entries(data).flatMap(([key, value]) => {
      const bytes = Buffer.from(String(value), 'base64')
      return isUtf8(bytes) ? [[key, bytes.toString()]] : []
    }),
  )
}
