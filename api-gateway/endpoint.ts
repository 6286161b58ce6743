import type { Fields, Static, TSchema } from '../operator/api/schema.ts'
import type { Requirement } from '../operator/domain/access/roles.ts'
import type { KeyedMutex } from '../operator/domain/base/keyed-mutex.ts'
import type { Cluster } from '../operator/kube/cache/cluster.ts'
import type { Log } from '../operator/log.ts'
import type { Planning } from '../operator/planning/planning.ts'
import type { Audit } from './audit/audit.ts'
import type { Caller } from './authenticate.ts'
import type { DriverInputsCheck } from './driver-inputs.ts'
import type { Metrics } from './metrics.ts'
import type { Viewer } from './pages/viewer.ts'
import { plainSchema } from './request/wire.ts'
import type { GatewaySettings } from './settings.ts'
import type { Oidc } from './sign-in/oidc.ts'
import type { Sessions } from './sign-in/session.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Who may call: anybody, anybody with a valid token, or a member of the organization in the path with that role. */
export type Access = 'public' | 'authenticated' | Requirement

type ParameterName<P extends string> = P extends `${string}{${infer N}}${infer R}`
  ? N | ParameterName<R>
  : never

/** Parameters of a path template such as `/orgs/{org_id}/apps`. */
export type Parameters<P extends string> = string extends P
  ? Readonly<Record<string, string>>
  : Readonly<Record<ParameterName<P>, string>>

/** One request, authenticated, authorized and validated. */
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
  /** A header that the operation declares, by its lower-case name. */
  header(name: Lowercase<H>): string | undefined
}

/** What an endpoint answers; without a body, or with text of another type than JSON. */
export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly text?: { readonly contentType: string; readonly content: string | Buffer }
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Who signed in with this request, which did not say so before; it is recorded, be it a read. */
  readonly actor?: string
}

/** What every handler may use. */
export interface Gateway {
  readonly cluster: Cluster
  readonly sessions: Sessions
  /** Undefined when nobody signs in with an identity provider. */
  readonly oidc: Oidc | undefined
  /** What plans are made from, as the operator sees it. */
  readonly planning: Planning
  readonly checkDriverInputs: DriverInputsCheck
  /** Who writes criteria, by organization and type. */
  readonly criteriaTurns: KeyedMutex
  /** Who deploys with a key, by organization, application and key. */
  readonly runTurns: KeyedMutex
  /** Who tries or changes credentials, by organization and account. */
  readonly accountTurns: KeyedMutex
  readonly settings: GatewaySettings
  readonly log: Log
  readonly metrics: Metrics
  readonly audit: Audit
  /** Whether an operator works on what is recorded, as far as is known. */
  hasOperator(): boolean
  /** The OpenAPI document as text. */
  readonly document: string
  /** What shows it to people. */
  readonly viewer: Viewer
  /** Milliseconds since 1970. */
  now(): number
}

/** One operation of the REST interface: from these come routes, validation, authorization and the OpenAPI document. */
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
  /** Whether it is answered beyond the limit of an address as well: for probes alone. */
  readonly isUnlimited?: boolean
  readonly query?: Q
  /** Query parameters without which it answers 400. */
  readonly requiredQuery?: readonly (keyof Q & string)[]
  /** Headers that it reads, by name; those that every operation reads are not its own. */
  readonly headers?: Readonly<Record<H, TSchema>>
  readonly body?: B
  /** Schema of the body by status; undefined where there is none. Common refusals are added by themselves. */
  readonly responses: Readonly<Record<number, TSchema | undefined>>
  /** Headers of what it answers when all is well, besides those of every answer. */
  readonly answerHeaders?: Fields
  /** Media type of what it answers when all is well, where that is not JSON. */
  readonly textType?: string
  /** Whether 404 is a JSON string, as clients of deltas and sets expect, and not the error object. */
  readonly plainNotFound?: boolean
  handle(call: Call<P, Q, B, H>, gateway: Gateway): Answer | Promise<Answer>
}

/** Declares an operation; the types of its parameters, query, headers and body reach its handler. */
export function endpoint<
  const P extends string,
  Q extends Fields = Fields,
  B extends TSchema = TSchema,
  H extends string = never,
>(declaration: Endpoint<P, Q, B, H>): Endpoint {
  const { query, body, responses } = declaration
  const plain = {
    ...declaration,
    ...(query ? { query: mapValues(query, plainSchema) } : {}),
    ...(body ? { body: plainSchema(body) } : {}),
    responses: mapValues(responses, (schema) => schema && plainSchema(schema)),
  }
  // The list of all operations forgets what each handler knows of its call; only the validated call ever reaches it.
  return plain as unknown as Endpoint
}

function mapValues<T, U>(map: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]))
}

/** 200 with a body. */
export function ok(body: unknown): Answer {
  return { status: 200, body }
}

/** 201 with a body. */
export function created(body: unknown): Answer {
  return { status: 201, body }
}

/** 204, no body. */
export const noContent: Answer = { status: 204 }

/** 202: it goes on. */
export const accepted: Answer = { status: 202 }
