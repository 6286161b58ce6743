import { isDeepStrictEqual } from 'node:util'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { eventually, makeTestOrganization, type Organization } from '../support/client.ts'
import type { SharedCluster } from '../support/shared-cluster.ts'

/** The caller: anonymous, a user of another organization, or a user with exactly these roles. */
export type Who =
  | 'anonymous'
  | 'stranger'
  | 'member'
  | 'viewer'
  | 'developer'
  | 'owner'
  | 'manager'
  | 'administrator'

/** A request as an outside client sends it. */
export interface RestRequest {
  readonly as?: Who
  readonly body?: unknown
  /** The body as it is. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An HTTP response. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies of many shapes
  readonly body: any
}

/** An organization with the application `shop`, one user of each role, and nothing but HTTP to reach it. */
export interface RestOrganization {
  readonly id: string
  readonly organization: Organization
  /** User ids by role. */
  readonly users: Readonly<Partial<Record<Who, string>>>
  /** Sends `METHOD /path`; a path that begins with `~` is one of this organization. */
  send(operation: string, request?: RestRequest): Promise<HttpAnswer>
  /** Deploys the delta on top of the current content, and waits for the end; answers the deployment. */
  deploy(environment: string, delta: object): Promise<{ id: string; status: string }>
}

/** The fields of an active resource that show whether it is known. */
interface Shown {
  readonly resource: object
  readonly status: { readonly gu_res_id: string; readonly state: string }
}

/** Every answer is JSON or empty, with the content type that matches. */
function bodyOf(operation: string, answer: Response, text: string): unknown {
  const type = answer.headers.get('content-type')
  if (text === '') {
    if (type !== null) throw new Error(`${operation}: an empty answer of type '${type}'`)
    return undefined
  }
  if (type !== 'application/json') throw new Error(`${operation}: an answer of type '${type}'`)
  return JSON.parse(text)
}

/** Sends one request; the answer is JSON or empty, else it throws. */
export async function sendTo(
  url: string,
  operation: string,
  { body, text, headers = {} }: Omit<RestRequest, 'as'>,
  token?: string,
): Promise<HttpAnswer> {
  const [method = '', path = ''] = operation.split(' ')
  const payload = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
  })
  return {
    status: answer.status,
    headers: answer.headers,
    body: bodyOf(operation, answer, await answer.text()),
  }
}

const organizationRoles: Partial<Record<Who, string>> = {
  manager: 'manager',
  administrator: 'administrator',
}
const applicationRoles = new Set<Who>(['viewer', 'developer', 'owner'])
const everybody: readonly Who[] = ['member', 'viewer', 'developer', 'owner', 'manager', 'administrator']

/** Makes an organization, and all in it over REST. */
export async function makeRestOrganization(
  cluster: SharedCluster,
  prefix = 'twelve',
): Promise<RestOrganization> {
  const [organization, other] = await Promise.all([
    makeTestOrganization(cluster, prefix),
    makeTestOrganization(cluster, `${prefix}-other`),
  ])
  const { id } = organization
  const tokens = new Map<Who, string>()
  const users: Partial<Record<Who, string>> = {}
  const admin = async (operation: string, body: unknown, status: number) => {
    const answer = await sendTo(cluster.gatewayUrl, operation, { body }, cluster.adminToken)
    if (answer.status === status) return answer.body
    throw new Error(`${operation} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  }
  const addUser = async (who: Who, home: string, role: string) => {
    const user = await admin(`POST /orgs/${home}/users`, { name: who, role }, 200)
    const { token } = await admin(`POST /users/${user.id}/tokens`, { id: 'tests' }, 200)
    tokens.set(who, token)
    users[who] = user.id
    return user.id
  }
  await admin(
    `POST /orgs/${id}/apps`,
    { id: 'shop', name: 'Shop', env: { id: 'dev', name: 'Dev', type: 'development' } },
    201,
  )
  await addUser('stranger', other.id, 'administrator')
  for (const who of everybody) {
    const user = await addUser(who, id, organizationRoles[who] ?? 'member')
    if (!applicationRoles.has(who)) continue
    await admin(`POST /orgs/${id}/apps/shop/users`, { id: user, role: who }, 200)
  }

  const send: RestOrganization['send'] = (operation, { as = 'administrator', ...request } = {}) =>
    sendTo(cluster.gatewayUrl, operation.replace(' ~', ` /orgs/${id}`), request, tokens.get(as))
  /** Waits until the gateway knows all resources of an environment: each kind has a separate watch. */
  const untilShown = (environment: string) =>
    eventually(`the resources of '${environment}'`, 30_000, async () => {
      const all = await organization.allResources()
      const { body } = await send(`GET ~/apps/shop/envs/${environment}/resources`)
      const shown = new Map(body.map((each: Shown) => [each.status.gu_res_id, each.resource]))
      const there = all.filter(({ spec }) => spec.environmentName === `shop.${environment}`)
      const isShown = ({ metadata, status }: ActiveResource) =>
        isDeepStrictEqual(shown.get(metadata.name), status?.outputs ?? {})
      const isActive = (each: Shown) => each.status.state === 'active'
      return (body.length === there.length && there.every(isShown) && body.every(isActive)) || undefined
    })
  return {
    id,
    organization,
    users,
    send,
    async deploy(environment, delta) {
      const { body: made } = await send('POST ~/apps/shop/deltas', { body: delta })
      const path = `~/apps/shop/envs/${environment}/deploys`
      const { body: started } = await send(`POST ${path}`, { body: { delta_id: made.id } })
      const ended = await eventually(`the end of deployment '${started.id}'`, 60_000, async () => {
        const { body } = await send(`GET ${path}/${started.id}`)
        return ['succeeded', 'failed'].includes(body.status) ? body : undefined
      })
      if (ended.status === 'succeeded') await untilShown(environment)
      return ended
    },
  }
}
