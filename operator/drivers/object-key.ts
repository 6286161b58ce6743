import type { KubeObject } from '../api/kind.ts'

/** A text that is equal for two manifests of one object; versions of an API have the same objects. */
export function objectKey({ apiVersion, kind, metadata }: KubeObject): string {
  const group = apiVersion.split('/').slice(0, -1).join('')
  return [group, kind, metadata.namespace, metadata.name].join(' ')
}
