import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { type KeyedMutex, withLock } from '../../../../operator/domain/base/keyed-mutex.ts'
import { startGateway, type TestGateway } from '../../support/gateway.ts'

describe('the mutex of criteria', () => {
  test('of one key follow each other in the order of asking, those of another do not wait', async () => {
    const turns: KeyedMutex = new Map()
    const seen: string[] = []
    const work = (name: string, ms: number) => async () => {
      seen.push(`${name} begins`)
      await setTimeout(ms)
      seen.push(`${name} ends`)
      return name
    }
    const first = withLock(turns, 'a', work('first', 30))
    const second = withLock(turns, 'a', work('second', 0))
    const other = withLock(turns, 'b', work('other', 0))
    expect(await Promise.all([first, second, other])).toEqual(['first', 'second', 'other'])
    expect(seen.filter((each) => !each.startsWith('other'))).toEqual([
      'first begins',
      'first ends',
      'second begins',
      'second ends',
    ])
    expect(seen.indexOf('other ends')).toBeLessThan(seen.indexOf('first ends'))
    expect(turns.size).toBe(0)
  })

  test('that fail do not block the next, and only their own caller gets the error', async () => {
    const turns: KeyedMutex = new Map()
    const failing = async () => {
      throw new Error('no')
    }
    const asked = [
      withLock(turns, 'a', failing),
      withLock(turns, 'a', failing),
      withLock(turns, 'a', async () => 1),
    ]
    const ends = await Promise.allSettled(asked)
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
    expect(turns.size).toBe(0)
  })
})

describe('of ten that ask for one criterion at once', () => {
  let gateway: TestGateway
  const numbers = Array.from({ length: 10 }, (_, number) => number)
  const defs = '/orgs/acme/resources/defs'
  const definition = (number: number, more: object = {}) => ({
    id: `d${number}x`,
    name: 'n',
    type: 'dns',
    driver_type: 'quartermaster/echo',
    ...more,
  })

  beforeAll(async () => {
    gateway = await startGateway()
    const { create, replace } = gateway.cluster
    // A write takes a while, and is known once it is done.
    const slow = <A extends unknown[], T>(write: (...given: A) => Promise<T>) => {
      return async (...given: A) => {
        await setTimeout(5)
        return write(...given)
      }
    }
    Object.assign(gateway.cluster, { create: slow(create), replace: slow(replace) })
  })
  beforeEach(() => gateway.reset())
  afterAll(() => gateway.close())

  test.each<[string, boolean, (number: number) => [operation: string, body: unknown]]>([
    ['in new definitions', false, (number) => [`POST ${defs}`, definition(number, { criteria: [{}] })]],
    [
      'in new definitions, in both spellings',
      false,
      (number) => [
        `POST /orgs/acme/resources/${number % 2 ? 'defs' : 'dynamic'}`,
        definition(number, { criteria: [{ app_id: '*' }] }),
      ],
    ],
    ['for existing definitions', true, (number) => [`POST ${defs}/d${number}x/criteria`, {}]],
    [
      'with all others',
      true,
      (number) => [`PUT ${defs}/d${number}x/criteria`, [{}, { app_id: `a${number}` }]],
    ],
  ])('%s: one succeeds, nine are refused with the name of the holder', async (_, exist, request) => {
    if (exist) for (const number of numbers) await gateway.send(`POST ${defs}`, { body: definition(number) })
    const answers = await Promise.all(
      numbers.map((number) => {
        const [operation, body] = request(number)
        return gateway.send(operation, { body })
      }),
    )
    expect(answers.map(({ status }) => status).sort((left, right) => left - right)).toEqual([
      200,
      ...Array(9).fill(409),
    ])
    const { body } = await gateway.send(`GET ${defs}`)
    const holders = body.filter(({ criteria }: ResourceDefinition['spec']) => criteria?.length)
    expect(holders).toHaveLength(1)
    for (const each of answers.filter(({ status }) => status === 409))
      expect(each.body.details).toEqual({ definition: holders[0].id })
  })

  test('of ten types each gets it', async () => {
    const types = [
      'dns',
      's3',
      'mysql',
      'postgres',
      'redis',
      'acme/dns',
      'acme/s3',
      'route',
      'ingress',
      'volume',
    ]
    const answers = await Promise.all(
      types.map((type, number) =>
        gateway.send(`POST ${defs}`, { body: definition(number, { type, criteria: [{}] }) }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(types.map(() => 200))
  })

  test('the next gets it when the first could not be written', async () => {
    gateway.cluster.failNext('create ResourceDefinition', new Error('no answer'))
    const bodies = [0, 1].map((number) => definition(number, { criteria: [{}] }))
    const answers = await Promise.all(bodies.map((body) => gateway.send(`POST ${defs}`, { body })))
    expect(answers.map(({ status }) => status).sort((left, right) => left - right)).toEqual([200, 500])
  })
})
