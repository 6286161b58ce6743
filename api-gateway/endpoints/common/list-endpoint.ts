import type { KubeObject } from '../../../operator/api/kind.ts'
import { type Fields, string, type TSchema } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { type Call, type Endpoint, type EndpointResponse, endpoint, type Gateway } from '../../endpoint.ts'
import { maxListBytes, serializeItems } from '../../response/item-list.ts'
import { maxUnpagedItems, pageOf } from '../../response/paging.ts'
import { createdAt } from './find.ts'

/** The longest names have 512 characters, each up to 6 bytes in the text of a position. */
const longestCursor = 8192

/** Items that are sorted at once. */
const itemsWithoutTurn = 500

const mebibyte = 1024 * 1024
const tooManyBytes = `the list has more than ${maxListBytes / mebibyte} MiB: read it in pages, with the query parameter 'limit'`

const pageQuery = {
  limit: string(
    `Maximum number of items per page, from 1 to 1000. All items when absent, up to ${maxUnpagedItems}.`,
    { pattern: '^([1-9][0-9]{0,2}|1000)$' },
  ),
  cursor: string(
    'Where the page begins, as in the header `Link` of the previous page of the same list with the same filters.',
    {
      pattern: '^[A-Za-z0-9_-]+$',
      maxLength: longestCursor,
    },
  ),
}

/** Response header of a page. */
export const linkHeader = {
  Link: string('Link to the next page with `rel="next"`, relative to this page. Absent on the last page.', {
    maxLength: 2 * longestCursor,
  }),
}

type Inherited =
  | 'path'
  | 'summary'
  | 'tag'
  | 'access'
  | 'query'
  | 'headers'
  | 'plainNotFound'
  | 'isInvalidIfMissing'

interface ListDeclaration<P extends string, Q extends Fields, H extends string, T>
  extends Pick<Endpoint<P, Q, TSchema, H>, Inherited> {
  readonly response: TSchema
  /** Returns all items, in any order. */
  find(call: Call<P, Q, TSchema, H>, gateway: Gateway): readonly T[]
  /** Returns the position of an item, unique in the list: texts that are compared one after the other. */
  positionOf(item: NoInfer<T>): readonly string[]
  readonly isDescending?: boolean
  show(item: NoInfer<T>, gateway: Gateway, call: Call<P, Q, TSchema, H>): unknown
}

/** Position in a list by name. */
export function nameOf({ metadata }: KubeObject): string[] {
  return [metadata.name]
}

const longestNumber = 20

/**
 * Position in a list by creation time, then by name with numbers in numeric order. The name itself makes it unique: `d1`
 * and `d01` have the same numbers.
 */
export function ageOf(object: KubeObject): string[] {
  const { name } = object.metadata
  return [createdAt(object), inNumericOrder(name), name]
}

/** A text whose order among others is that of the numbers in it: `d2` comes before `d10`. */
export function inNumericOrder(text: string): string {
  return text.replaceAll(/\d+/g, (digits) => digits.padStart(longestNumber, '0'))
}

/** Declares an operation that lists items in the order of their positions, as a whole or in pages. */
export function listEndpoint<
  const P extends string,
  T,
  Q extends Fields = Fields,
  const H extends string = never,
>(declaration: ListDeclaration<P, Q, H, T>): Endpoint {
  const { response, find, positionOf, isDescending = false, show, ...inherited } = declaration
  const declaredQuery = { ...declaration.query, ...pageQuery }
  return endpoint({
    ...inherited,
    method: 'get',
    query: declaredQuery,
    responses: { 200: response },
    responseHeaders: linkHeader,
    async handle(given, gateway) {
      const call = given as unknown as Call<P, Q, TSchema, H> // the query has more parameters
      // Without undeclared query parameters, which may contain a token.
      const entries = Object.entries(given.query).filter(([name]) => Object.hasOwn(declaredQuery, name))
      const query = Object.fromEntries(entries)
      const list = JSON.stringify([inherited.path, given.params])
      const items = find(call, gateway)
      const toPage = () => pageOf(items, { list, query, positionOf, isDescending })
      const page = items.length > itemsWithoutTurn ? await call.inTurn(toPage) : toPage()
      const { content, count } = await serializeItems(page.items, (item) => show(item, gateway, call), call)
      const last = page.items[count - 1]
      const isShort = count < page.items.length && last !== undefined
      if (isShort && query['limit'] === undefined) throw new Problem('Invalid', tooManyBytes)
      const link = isShort ? page.linkAfter(last) : page.link
      const headers: EndpointResponse['headers'] = link === undefined ? {} : { link }
      return { status: 200, text: { contentType: 'application/json', content }, headers }
    },
  })
}
