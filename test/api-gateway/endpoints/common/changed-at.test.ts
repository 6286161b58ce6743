import { expect, test } from '@jest/globals'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const serverTime = '2027-01-01T00:00:00.000Z'
const gateway = await setUpGateway(addEnvironment, {
  now: () => Date.parse(serverTime) - 9 * 86_400_000,
  serverNow: () => Date.parse(serverTime),
})

const app = '/orgs/acme/apps/shop'
const defs = '/orgs/acme/resources/defs'

test.each<[what: string, create: string, body: object, change: string, changes: object]>([
  [
    'definition',
    `POST ${defs}`,
    { id: 'files', name: 'Files', type: 's3', driver_type: 'humanitec/echo' },
    `PATCH ${defs}/files`,
    { name: 'Other' },
  ],
  [
    'shared value',
    `POST ${app}/values`,
    { key: 'COLOUR', value: 'red', description: '', is_secret: false },
    `PATCH ${app}/values/COLOUR`,
    { value: 'blue' },
  ],
])('a %s is changed by the clock of the API server, so not before it is created', async (...row) => {
  const [, create, body, change, changes] = row
  expect((await gateway.send(create, { body })).status).toBeLessThan(300)
  expect((await gateway.send(change, { body: changes })).body.updated_at).toBe(serverTime)
})

test('a delta is changed by the clock of the API server too', async () => {
  const { body } = await gateway.send(`POST ${app}/deltas`, { body: { modules: {}, shared: [] } })
  expect(body.metadata.last_modified_at).toBe(serverTime)
})
