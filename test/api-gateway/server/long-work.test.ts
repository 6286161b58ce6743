import { setImmediate as nextLoop, setTimeout } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { endpoint, ok } from '../../../api-gateway/endpoint.ts'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { createLongWork, type NextTurn } from '../../../api-gateway/long-work.ts'
import { User } from '../../../operator/api/access.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import { object } from '../../../operator/api/schema.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { fc } from '../../support/properties.ts'
import { newSessionKey, startGateway, tokenOf } from '../support/gateway.ts'
import { addEnvironment } from '../support/objects.ts'
import { setUpGateway } from '../support/set-up.ts'

const app = '/orgs/acme/apps/shop'
const gateway = await setUpGateway((prepared) => {
  addEnvironment(prepared)
  for (const user of ['eve', 'bob']) {
    prepared.addUser(user)
    prepared.addMember('acme', user, { role: 'administrator' })
  }
})

/** As many as that, numbered. */
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('long work of several users', () => {
  const works = fc.array(
    fc.record({ owner: fc.constantFrom('ada', 'bob', 'eve'), parts: fc.integer({ min: 1, max: 5 }) }),
    {
      maxLength: 12,
    },
  )

  test('has one part at a time, in the order in which the users ask, each for one at a time', async () => {
    await fc.assert(
      fc.asyncProperty(works, async (all) => {
        const longWork = createLongWork()
        const asked: string[] = []
        const had: string[] = []
        const loops: number[] = []
        let loop = 0
        const over = new AbortController()
        const counting = (async () => {
          for (; !over.signal.aborted; loop += 1) await nextLoop()
        })()
        const open = all.map(({ owner, parts }, work) =>
          longWork.run(owner, async (next) => {
            for (let part = 0; part < parts; part += 1) {
              asked.push(`${owner} ${work}.${part}`)
              await next()
              had.push(`${owner} ${work}.${part}`)
              loops.push(loop)
            }
          }),
        )
        await Promise.all(open)
        over.abort()
        await counting
        expect(had).toEqual(asked)
        // Requests that arrive are served between two parts.
        expect(new Set(loops).size).toBe(loops.length)
        for (const owner of ['ada', 'bob', 'eve']) {
          const wanted = all.flatMap((each, work) =>
            each.owner === owner ? numbers(each.parts).map((part) => `${owner} ${work}.${part}`) : [],
          )
          expect(had.filter((each) => each.startsWith(owner))).toEqual(wanted)
        }
      }),
    )
  })

  test('continues after work that fails', async () => {
    const longWork = createLongWork()
    const fail = (next: NextTurn) =>
      next().then(() => {
        throw new Error('broken')
      })
    const failed = longWork.run('ada', fail)
    const second = longWork.run('ada', async (next) => {
      await next()
      return 'done'
    })
    await expect(failed).rejects.toThrow('broken')
    expect(await second).toBe('done')
  })

  test('is refused when too much of one user waits, and only of that user', async () => {
    const longWork = createLongWork()
    const work = (next: NextTurn) => next()
    const open = numbers(100).map(() => longWork.run('eve', work))
    await expect(longWork.run('eve', work)).rejects.toMatchObject({
      reason: 'TooManyRequests',
      retryAfterSeconds: 1,
    })
    await longWork.run('ada', work)
    await Promise.all(open)
    await longWork.run('eve', work)
  })
})

test('long work of one user waits only with few bytes of bodies', async () => {
  const longWork = createLongWork()
  const mebibyte = 1024 * 1024
  const work = (next: NextTurn) => next()
  const open = numbers(4).map(() => longWork.run('eve', work, mebibyte))
  await expect(longWork.run('eve', work, 1)).rejects.toMatchObject({ reason: 'TooManyRequests' })
  open.push(longWork.run('eve', work), longWork.run('ada', work, mebibyte))
  await Promise.all(open)
  await longWork.run('eve', work, 10 * mebibyte)
})

describe('many previews of a large environment by one user', () => {
  async function previews(count: number, signal?: AbortSignal) {
    const shared = numbers(1000).map((each) => ({ op: 'add', path: `/r${each}`, value: { type: 's3' } }))
    const { body } = await gateway.send(`POST ${app}/deltas`, { body: { shared }, as: 'eve' })
    const statuses: number[] = []
    const all = numbers(count).map(async () => {
      const operation = `POST ${app}/envs/development/deploys?dry_run=true`
      const answer = await gateway.send(operation, { body: { delta_id: body.id }, as: 'eve', signal })
      statuses.push(answer.status)
    })
    return { statuses, all: Promise.allSettled(all) }
  }

  test('do not hold up the requests of others', async () => {
    const count = 50
    const { statuses, all } = await previews(count)
    expect((await gateway.send(`GET ${app}`, { as: 'bob' })).status).toBe(200)
    expect(statuses.length).toBeLessThan(count)
    await all
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  test('are answered only while their user has access', async () => {
    const { statuses, all } = await previews(20)
    while (statuses.length === 0) await nextLoop()
    gateway.cluster.drop(User, systemNamespace, 'eve')
    await all
    expect(statuses.filter((each) => each === 200).length).toBeLessThan(10)
    expect(statuses).toContain(403)
  })

  test('are not made any more when their client has left', async () => {
    const left = new AbortController()
    const { all } = await previews(20, left.signal)
    await nextLoop()
    left.abort()
    await all
    await gateway.send(`POST ${app}/envs/development/deploys?dry_run=true`, { body: {}, as: 'eve' })
    const statuses = gateway.logged.flatMap(({ message, fields }) =>
      message === 'audit' && isObject(fields) && fields['dry_run'] ? [fields['response_status']] : [],
    )
    expect(statuses).toHaveLength(21)
    expect(statuses.filter((each) => each === 400).length).toBeGreaterThan(10)
  })

  test('are no end of access while the cluster is silent', async () => {
    const { store } = gateway.cluster
    const { silentMs } = store
    const { statuses, all } = await previews(20)
    while (statuses.length === 0) await nextLoop()
    Object.assign(store, { silentMs: () => 301_000 })
    await all
    Object.assign(store, { silentMs })
    expect(new Set(statuses)).toEqual(new Set([200, 500]))
  })
})

test('long bodies of one user are read one after the other, while requests of others are served', async () => {
  const shared = numbers(2000).map((each) => ({ op: 'add', path: `/r${each}`, value: { type: 's3' } }))
  const statuses: number[] = []
  const all = numbers(20).map(async () => {
    statuses.push((await gateway.send(`POST ${app}/deltas`, { body: { shared }, as: 'eve' })).status)
  })
  while (statuses.length === 0) await nextLoop()
  expect((await gateway.send(`GET ${app}`, { as: 'bob' })).status).toBe(200)
  expect(statuses.length).toBeLessThan(20)
  await Promise.all(all)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test('long work of people with sessions has one part at a time, and requests are served in between', async () => {
  const loops: number[] = []
  let loop = 0
  const probe = endpoint({
    method: 'get',
    path: '/orgs/{org_id}/probe',
    summary: 'Probe',
    tag: 'Organizations',
    access: { organization: 'member' },
    responses: { 200: object({}, {}, 'Nothing.') },
    async handle({ inTurn }) {
      await inTurn(() => loops.push(loop))
      return ok({})
    },
  })
  const key = newSessionKey()
  let now = 0
  const other = await startGateway({
    endpoints: [...endpoints, probe],
    // The key in the cache is always old, so each request reads it.
    now: () => (now += 60_000),
    sessionKey: () => setTimeout(20, key),
  })
  const users = numbers(8).map((each) => `user${each}`)
  const answers = users.map(async (user) => {
    other.addUser(user)
    other.addMember('acme', user, { role: 'member' })
    const { body } = await other.send('POST /auth/session', { as: null, body: { token: tokenOf(user) } })
    return () => fetch(`${other.url}/orgs/acme/probe`, { headers: { authorization: `JWT ${body.token}` } })
  })
  const asks = await Promise.all(answers)
  const over = new AbortController()
  const counting = (async () => {
    for (; !over.signal.aborted; loop += 1) await nextLoop()
  })()
  const statuses = (await Promise.all(asks.map((ask) => ask()))).map(({ status }) => status)
  over.abort()
  await counting
  await other.close()
  expect(statuses).toEqual(users.map(() => 200))
  expect(new Set(loops).size).toBe(users.length)
})
