import { expect } from '@jest/globals'
import { responseText } from '../../api-gateway/support/response-text.ts'
import type { Organization } from '../support/client.ts'
import type { SharedCluster } from '../support/shared-cluster.ts'
import { plantCanaries } from './canaries.ts'

/** Secrets that a test plants, by their purpose. */
const names = [
  'account text',
  'account object',
  'account change',
  'account refused',
  'account refused by the provider',
  'account by kubectl',
  'definition secrets',
  'definition secret_refs',
  'definition change',
  'definition refused',
  'template secret',
  'webhook header',
  'webhook address',
  'value',
  'value by secret_ref',
  'value of an environment',
  'cookie',
  'secret output',
  'token in Authorization',
  'malformed body',
  'unexpected field',
  'token in a path',
  'token in a query',
  'token in a header',
  'token in a body',
  'session in a path',
]

/** A client of REST that keeps all answers, to search them for secrets later. */
export interface CanaryClient {
  readonly organization: Organization
  /** All secrets so far; those that the gateway makes are added when it shows them. */
  readonly canaries: Record<string, string>
  /** The secret for this use. */
  of(name: string): string
  /** Answers that were kept. */
  readonly answers: { readonly where: string; readonly text: string }[]
  /** Sends `POST /path` and the like to the organization, a text as it is, and keeps the answer. */
  rest(operation: string, body?: unknown, expected?: number, headers?: Record<string, string>): Promise<void>
  /** The same for a request that shows a secret once: its answer is not kept. */
  shownOnce(operation: string, body: unknown): Promise<Record<string, string>>
}

/** A client for the organization, with secrets that are its own. */
export function createCanaryClient(
  { gatewayUrl, adminToken }: SharedCluster,
  organization: Organization,
): CanaryClient {
  const canaries: Record<string, string> = plantCanaries(names)
  const answers: CanaryClient['answers'] = []

  async function send(operation: string, body?: unknown, headers: Record<string, string> = {}) {
    const [method = '', path = ''] = operation.split(' ')
    const answer = await fetch(`${gatewayUrl}/orgs/${organization.id}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${adminToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: answer.status, headers: [...answer.headers], text: await responseText(answer) }
  }

  return {
    organization,
    canaries,
    answers,
    of: (name) => canaries[name] ?? '',
    async rest(operation, body, expected, more) {
      const { status, headers, text } = await send(operation, body, more)
      if (expected !== undefined)
        expect([operation, status, text]).toEqual([operation, expected, expect.any(String)])
      answers.push({ where: operation, text: `${JSON.stringify(headers)}${text}` })
    },
    async shownOnce(operation, body) {
      const { status, text } = await send(operation, body)
      expect([operation, status < 300]).toEqual([operation, true])
      return JSON.parse(text)
    },
  }
}
