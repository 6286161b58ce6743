import type { Fields, Static, TSchema } from '../operator/api/schema.ts'
import type { Requirement } from '../operator/domain/access/roles.ts'
import type { KeyedMutex } from '../operator/domain/base/keyed-mutex.ts'
import type { Cluster } from '../operator/kube/cache/cluster.ts'
import type { Log } from '../operator/log.ts'
import type { Planning } from '../operator/planning/planning.ts'
import type { Tracing } from '../operator/tracing/tracing.ts'
import type { Audit } from './audit/audit.ts'
import type { Caller } from './authenticate.ts'
import type { Changes } from './changes/changes.ts'
import type { OpenStreams } from './changes/open-streams.ts'
import type { DriverInputsCheck } from './driver-inputs.ts'
import type { LongWork, NextTurn } from './long-work.ts'
import type { Metrics } from './metrics.ts'
import type { Viewer } from './pages/viewer.ts'
import { plainSchema } from './request/wire.ts'
import type { GatewaySettings } from './settings.ts'
import type { Oidc } from './sign-in/oidc.ts'
import type { Sessions } from './sign-in/session.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Who may call an operation: everyone, authenticated users, or members of the organization with a role. */
export type Access = 'public' | 'authenticated' | Requirement

type ParameterName<P extends string> = P extends `${string}{${infer N}}${infer R}`
  ? N | ParameterName<R>
  : never

/** Parameters of a path template such as `/orgs/{org_id}/apps`. */
export type Parameters<P extends string> = string extends P
  ? Readonly<Record<string, string>>
  : Readonly<Record<ParameterName<P>, string>>

/** One authenticated, authorized and validated request. */
export interface Call<
  P extends string = string,
  Q extends Fields = Fields,
  B extends TSchema = TSchema,
  H extends string = string,
> {
  readonly params: Parameters<P>
  readonly query: { readonly [K in keyof Q]?: Static<Q[K]> }
  readonly body: Static<B>
  readonly caller: Caller
  /** Whether the caller is still authenticated and authorized, for responses that take long. */
  isStillAllowed(): Promise<boolean>
  /** Returns the caller with the roles of now, for requests that wait; throws if the access has ended. */
  currentCaller(): Promise<Caller>
  /** Runs work that holds up other requests when it is the caller's turn; `next` gives others theirs. */
  inTurn<T>(work: (next: NextTurn) => T | Promise<T>): Promise<T>
  /** Counts bytes of a long answer while it is made; throws RateLimited if too many are in memory. */
  reserveAnswer(bytes: number): void
  /** Returns a header that the operation declares, by its lowercase name. */
  header(name: Lowercase<H>): string | undefined
}

/** Events that follow over time; aborting the controller ends them. */
export interface EventsResponse {
  readonly events: AsyncIterable<string>
  readonly controller: AbortController
}

/** Response of an endpoint: without a body, with a JSON body, with text of another type, or with events. */
export interface EndpointResponse {
  readonly status: number
  readonly body?: unknown
  readonly text?: { readonly contentType: string; readonly content: string | Buffer }
  readonly events?: EventsResponse
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** The user whom this request signed in. Such requests are audited even if they are reads. */
  readonly actor?: string
}

/** What handlers have access to. */
export interface Gateway {
  readonly cluster: Cluster
  readonly sessions: Sessions
  /** Undefined if no identity provider is configured. */
  readonly oidc: Oidc | undefined
  /** Planning, shared with the operator. */
  readonly planning: Planning
  readonly checkDriverInputs: DriverInputsCheck
  /** Locks for writing criteria, by organization and type. */
  readonly criteriaLocks: KeyedMutex
  /** Locks for deployments with an idempotency key, by organization, application and key. */
  readonly idempotencyLocks: KeyedMutex
  /** Locks for checking or changing credentials, by organization and account. */
  readonly accountLocks: KeyedMutex
  readonly settings: GatewaySettings
  readonly log: Log
  readonly metrics: Metrics
  readonly tracing: Tracing
  readonly audit: Audit
  /** Changes of environments. */
  readonly changes: Changes
  readonly streams: OpenStreams
  readonly longWork: LongWork
  /** Whether an operator is running, as far as is known. */
  hasOperator(): boolean
  /** Whether the process works, or must be restarted. */
  isAlive(): boolean
  /** The OpenAPI document as JSON, made on first use. */
  document(): string
  /** Files of the API reference page. */
  readonly viewer: Viewer
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds since 1970 by the clock of the API server. */
  serverNow(): number
}

/** One operation of the REST API: the source of its route, validation, authorization and OpenAPI description. */
export interface Endpoint<
  P extends string = string,
  Q extends Fields = Fields,
  B extends TSchema = TSchema,
  H extends string = string,
> {
  readonly method: Method
  readonly path: P
  readonly summary: string
  readonly tag: string
  readonly access: Access
  /** Exempts health checks from the rate limit. */
  readonly isUnlimited?: boolean
  readonly query?: Q
  /** Query parameters that must be present. */
  readonly requiredQuery?: readonly (keyof Q & string)[]
  /** Request headers that the operation reads, except those that every operation reads. */
  readonly headers?: Readonly<Record<H, TSchema>>
  readonly body?: B
  /** Whether also a short body can take long, such as a schema that is compiled. */
  readonly takesTurn?: boolean
  /** Schema of the body by status; undefined for an empty body. Common errors are added automatically. */
  readonly responses: Readonly<Record<number, TSchema | undefined>>
  /** Response headers on success, in addition to the common ones. */
  readonly responseHeaders?: Fields
  /** Schemas of the body of a 200 by other media types, for clients whose header `Accept` names one. */
  readonly alternatives?: Readonly<Record<string, TSchema>>
  /** Media type on success, if it is not JSON. */
  readonly textType?: string
  /** Whether the body of a 404 is a JSON string, as clients of deltas and sets expect. */
  readonly plainNotFound?: boolean
  /** Whether an object that is missing is 400 instead of 404, as clients of values expect. */
  readonly isInvalidIfMissing?: boolean
  handle(call: Call<P, Q, B, H>, gateway: Gateway): EndpointResponse | Promise<EndpointResponse>
}

/** Declares an operation and infers the types of its handler. */
export function endpoint<
  const P extends string,
  Q extends Fields = Fields,
  B extends TSchema = TSchema,
  H extends string = never,
>(declaration: Endpoint<P, Q, B, H>): Endpoint {
  const { query, body, responses, alternatives } = declaration
  const plain = {
    ...declaration,
    query: query && mapValues(query, plainSchema),
    body: body && plainSchema(body),
    responses: mapValues(responses, (schema) => schema && plainSchema(schema)),
    alternatives: alternatives && mapValues(alternatives, plainSchema),
  }
  // The list of operations erases the types of each handler, which only receives validated requests.
  return plain as unknown as Endpoint
}

function mapValues<T, U>(map: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]))
}

export function ok(body: unknown): EndpointResponse {
  return { status: 200, body }
}

export function created(body: unknown): EndpointResponse {
  return { status: 201, body }
}

export const noContent: EndpointResponse = { status: 204 }

export const accepted: EndpointResponse = { status: 202, body: {} }
