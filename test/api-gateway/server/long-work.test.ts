import { setImmediate as nextLoop } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { createLongWork, type NextTurn } from '../../../api-gateway/long-work.ts'
import { User } from '../../../operator/api/access.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import { fc } from '../../support/properties.ts'
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

describe('many previews of a large environment by one user', () => {
  async function previews(count: number) {
    const shared = numbers(1000).map((each) => ({ op: 'add', path: `/r${each}`, value: { type: 's3' } }))
    const { body } = await gateway.send(`POST ${app}/deltas`, { body: { shared }, as: 'eve' })
    const statuses: number[] = []
    const all = numbers(count).map(async () => {
      const operation = `POST ${app}/envs/development/deploys?dry_run=true`
      const answer = await gateway.send(operation, { body: { delta_id: body.id }, as: 'eve' })
      statuses.push(answer.status)
    })
    return { statuses, all: Promise.all(all) }
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
})
