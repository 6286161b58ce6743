import type { Operations } from './types.ts'

/** An operation of the REST API, for example `GET /orgs`; the media type follows if it is not the first one that it answers. */
export type OperationName = keyof Operations

/** The body of a successful answer. */
export type Answer<K extends OperationName> = Operations[K]['answer']

/** What a request gives: parameters of the path, of the query, and the body. */
export interface RequestInput<K extends OperationName> {
  readonly path?: Operations[K]['path']
  readonly query?: Operations[K]['query']
  readonly body?: Operations[K]['body']
}

/**
 * Returns method and address of a request, and the media type that it accepts if it is not the first one. Parameters are
 * encoded, so that `acme/s3` stays one segment.
 */
export function addressOf<K extends OperationName>(
  operation: K,
  { path = {}, query = {} }: Pick<RequestInput<K>, 'path' | 'query'>,
): { readonly method: string; readonly address: string; readonly accept: string | undefined } {
  const [method = 'GET', template = '', accept] = operation.split(' ')
  const given = new Map(Object.entries(path))
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(given.get(name) ?? ''),
  )
  const search = new URLSearchParams()
  // A list is a parameter that is repeated.
  for (const [name, value] of Object.entries<string | readonly string[] | undefined>(query))
    for (const each of [value ?? ''].flat()) if (each !== '') search.append(name, each)
  const text = search.toString()
  return { method, address: text === '' ? filled : `${filled}?${text}`, accept }
}
