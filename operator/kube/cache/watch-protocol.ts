import type { StoredObject } from '../../api/kind.ts'
import { parseJson } from '../../domain/base/json.ts'
import { ApiError } from '../client/api-error.ts'
import type { Query } from '../client/client.ts'

/** One line of a watch. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: StoredObject & {
    readonly code?: number
    readonly reason?: string
    readonly message?: string
  }
}

/** The `Accept` header for the metadata of one object. */
export const metadataAccept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
/** The `Accept` header for the metadata of a list. */
export const metadataListAccept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
const initialEventsEnd = 'k8s.io/initial-events-end'

/** Parses a line of a watch. The error does not quote it. */
export function parseWatchEvent(line: string): WatchEvent {
  const event = parseJson(line)
  if (event === undefined) throw new Error('a line of the watch is not JSON; a proxy may have cut it')
  return event as WatchEvent // the shape of the watch protocol
}

/** Whether a bookmark ends the list that a watch streams first. */
export function isEndOfList({ metadata }: StoredObject): boolean {
  return metadata.annotations?.[initialEventsEnd] === 'true'
}

/** The query of a watch from a resource version, or else of one that streams a list first. */
export function watchQuery(from: string | undefined): Query {
  const common = {
    watch: true,
    allowWatchBookmarks: true,
    timeoutSeconds: 290 + Math.floor(Math.random() * 120),
  }
  if (from !== undefined) return { ...common, resourceVersion: from }
  return { ...common, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
}

/** The error that an event of the type ERROR reports. */
export function errorOf({ object }: WatchEvent): ApiError {
  return new ApiError(
    object.code ?? 500,
    object.reason ?? 'Unknown',
    object.message ?? 'the watch ended with an error',
  )
}
