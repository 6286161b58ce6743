import { isDeepStrictEqual } from 'node:util'
import { expect, test } from '@jest/globals'
import { eventually, makeTestOrganization, type Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

/** A request of a client, the one status that it accepts, and the fields that it reads of the answer. */
interface WalkStep {
  /** Method and path; `~` is the organization, `<name>` is a value from an earlier step, in bodies too. */
  readonly request: string
  readonly body?: unknown
  readonly status: number
  readonly expected?: unknown
  /** Paths of fields that must not be in the answer: they were not sent. */
  readonly absent?: readonly string[]
  /** Fields of the answer that later steps need, by the name that they give them. */
  readonly keep?: Readonly<Record<string, string>>
  /** Statuses after which the client polls again; an object deleted between two polls counts as deleted. */
  readonly again?: readonly number[]
  /** Whether the operator made the change, which reaches the gateway a moment later. */
  readonly later?: boolean
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** A client with that name, in a separate organization. */
export interface Walker {
  readonly organization: Organization
  send(request: string, body?: unknown): Promise<Answer>
  follow(step: WalkStep): Promise<void>
}

/** Makes an organization and a client for it. */
export async function makeWalker(userAgent: string): Promise<Walker> {
  const { gatewayUrl, adminToken } = sharedCluster()
  const organization = await makeTestOrganization(sharedCluster(), 'walk')
  const known = new Map<string, string>()

  const filled = (text: string) =>
    text
      .replace('~', `/orgs/${organization.id}`)
      .replaceAll(/<(\w+)>/g, (_, name: string) => known.get(name) ?? `unknown-${name}`)

  async function send(request: string, body?: unknown): Promise<Answer> {
    const [method = '', path = ''] = request.split(' ')
    const answer = await fetch(`${gatewayUrl}${filled(path)}`, {
      method,
      headers: {
        authorization: `Bearer ${adminToken}`,
        'humanitec-user-agent': userAgent,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: filled(JSON.stringify(body)) }),
    })
    const text = await answer.text()
    if (text === '') return { status: answer.status, body: undefined }
    // Clients search for this word before they parse an answer.
    expect(answer.headers.get('content-type')).toContain('json')
    return { status: answer.status, body: JSON.parse(text) }
  }

  async function follow({
    request,
    body,
    status,
    expected,
    absent = [],
    keep = {},
    again = [],
    later = false,
  }: WalkStep): Promise<void> {
    const check = (answer: Answer) =>
      expect(answer).toMatchObject({ status, ...(expected === undefined ? {} : { body: expected }) })
    let wasAsked = false
    const answer = await eventually(`another answer to ${request}`, 30_000, async () => {
      const found = await send(request, body)
      if (again.includes(found.status)) {
        wasAsked = true
        return undefined
      }
      if (later) check(found)
      return wasAsked && status === 204 && found.status === 404 ? { ...found, status } : found
    })
    check(answer)
    for (const field of absent) expect(answer.body).not.toHaveProperty(field)
    for (const [name, field] of Object.entries(keep))
      known.set(name, String((answer.body as Record<string, unknown>)[field]))
  }

  return { organization, send, follow }
}

/** Tests of steps that build on each other. */
export function walk(walker: () => Walker, steps: readonly WalkStep[]): void {
  test.each(steps)('$request: $status', (step) => walker().follow(step))
}

/** Matches exactly this value: omitted fields must be absent. */
export function exactly(wanted: unknown): unknown {
  return { asymmetricMatch: (found: unknown) => isDeepStrictEqual(found, wanted) }
}

/** Matches a list with an element like that. */
export function listWith(element: object): unknown {
  return expect.arrayContaining([expect.objectContaining(element)])
}
