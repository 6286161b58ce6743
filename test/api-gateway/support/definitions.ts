import { expect } from '@jest/globals'
import type { TestGateway } from './gateway.ts'

/** The definitions of the organization `acme`, in both spellings. */
export const defs = '/orgs/acme/resources/defs'
export const dynamic = '/orgs/acme/resources/dynamic'

/** A definition with all fields. */
export const fullDefinition = {
  id: 's3',
  name: 'S3',
  type: 's3',
  driver_type: 'quartermaster/echo',
  driver_account: 'aws',
  driver_inputs: {
    values: { region: 'a', size: 1 },
    secrets: { token: 'canary-1', tls: { key: 'canary-2' } },
  },
  provision: { config: { is_dependent: true } },
  criteria: [{ app_id: 'shop' }],
}

/** Creates a definition, and answers the body of the response. */
export async function createDefinition(gateway: TestGateway, body: object = fullDefinition) {
  const response = await gateway.send(`POST ${defs}`, { body })
  expect(response.status).toBe(200)
  return response.body
}
