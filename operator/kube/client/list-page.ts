import type { StoredObject } from '../../api/kind.ts'

/** A list, or a part of one. The API server writes null in place of no items, above all for lists of metadata. */
export interface ListPage<T = StoredObject> {
  readonly items: readonly T[] | null
  readonly metadata: { readonly continue?: string; readonly resourceVersion: string }
}
