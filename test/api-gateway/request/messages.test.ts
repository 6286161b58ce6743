import { describe, expect, test } from '@jest/globals'
import { addEnvironment } from '../support/objects.ts'
import { setUpGateway } from '../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const org = '/orgs/acme'

describe('a message names what is wrong as the client wrote it', () => {
  test.each<[what: string, operation: string, status: number, message: string, body: object | undefined]>([
    [
      'a field below a key with a slash',
      `PATCH ${org}/resources/defs/queue`,
      422,
      "'provision.acme/redis.is_dependent' must be boolean",
      { provision: { 'acme/redis': { is_dependent: 'yes' } } },
    ],
    [
      'a key with a tilde',
      `POST ${org}/apps/shop/webhooks`,
      422,
      "'headers.X~1' must be string",
      { id: 'chat', url: 'hooks.example.com', headers: { 'X~1': 1 } },
    ],
    [
      'a parameter that is given twice',
      `GET ${org}/apps?limit=1&limit=2`,
      400,
      "query: 'limit' is given more than once",
      undefined,
    ],
    [
      'a boolean parameter that is given twice',
      `GET ${org}/apps/shop/deltas?archived=true&archived=true`,
      400,
      "query: 'archived' is given more than once",
      undefined,
    ],
  ])('%s', async (_, operation, status, message, body) => {
    const answer = await gateway.send(operation, body === undefined ? {} : { body })
    expect([answer.status, answer.body.message]).toEqual([status, message])
  })
})
