import { Agent, get, ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { authenticate, findTokenUser } from '../../api-gateway/authenticate.ts'
import type { Gateway } from '../../api-gateway/endpoint.ts'
import { type InputClass, oneOfThree, timeDifference } from '../support/timing.ts'
import { startGateway, type TestGateway, tokenOf } from './support/gateway.ts'
import { addEnvironment } from './support/objects.ts'

const isSoak = process.env.QUARTERMASTER_SOAK !== undefined
const [samples, requests] = isSoak ? [100_000, 30_000] : [5000, 500]
const users = 200
/** Beyond this the difference is no accident; below it nothing can be told. */
const telling = 4.5
const tries = 6

let gateway: TestGateway
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

beforeAll(async () => {
  gateway = await startGateway()
  gateway.addUser('ana')
  gateway.addMember('acme', 'ana', {
    role: 'member',
    applications: [{ applicationName: 'shop', role: 'owner' }],
  })
  addEnvironment(gateway)
  addEnvironment(gateway, 'development', 'development', 'blog')
  addEnvironment(gateway, 'development', 'development', 'blog', 'globex')
  for (let i = 0; i < users; i += 1) gateway.addUser(`user-${i}`)
})
afterAll(async () => {
  agent.destroy()
  await gateway.close()
})

/** The smallest difference of several tries: a machine that does something else shows now and then, a leak always. */
async function leastDifference(
  run: (input: string) => unknown,
  classes: readonly [InputClass, InputClass],
  count: number,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let each = 0; each < tries && least >= telling; each += 1)
    least = Math.min(least, Math.abs(await timeDifference(run, classes, count)))
  return least
}

const unknown = (n: number) => `qm_nser-${n % users}_wrong-secret-${n}`
const wrong = (n: number) => `qm_user-${n % users}_wrong-secret-${n}`
const bearer = (make: InputClass) => (n: number) => `Bearer ${make(n)}`

describe('the time that a refusal takes does not tell whether there is such a token', () => {
  test('by the search for its holder', async () => {
    const run = (text: string) => findTokenUser(text, gateway.cluster.store, 0)
    expect([unknown(1), wrong(1)].map(run)).toEqual([undefined, undefined])
    expect(await leastDifference(run, [unknown, wrong], samples)).toBeLessThan(telling)
  })

  test('by the whole of the authentication', async () => {
    const parts = { cluster: gateway.cluster, now: () => 0 } as unknown as Gateway // an API token needs no more
    const run = (value: string) => authenticate([value], parts)
    expect(await leastDifference(run, [bearer(unknown), bearer(wrong)], samples)).toBeLessThan(telling)
  })

  test('a comparison that ends at the first difference would be seen', async () => {
    const known = new Map(Array.from({ length: users }, (_, n) => [wrong(n).split('_')[1], wrong(n)]))
    const run = (text: string) => {
      const expected = known.get(text.split('_')[1]) ?? ''
      return expected.repeat(100).includes('#')
    }
    await oneOfThree(async () => {
      expect(Math.abs(await timeDifference(run, [unknown, wrong], samples))).toBeGreaterThan(telling)
    })
  })

  test('both are one look for the same thing', () => {
    const { store } = gateway.cluster
    const asked = ['qm_user-1_wrong', 'qm_nobody_wrong', 'qm_user-1_secret-of-user-1x'].map((text) => {
      const journal: string[] = []
      const watched = new Proxy(store, {
        get(target, name, receiver) {
          journal.push(String(name))
          return Reflect.get(target, name, receiver) as unknown
        },
      })
      expect(findTokenUser(text, watched, 0)).toBeUndefined()
      return journal
    })
    expect(asked).toEqual([asked[0], asked[0], asked[0]])
  })
})

const { end } = ServerResponse.prototype
let answeredAt = 0n

beforeAll(() => {
  // The client lives in this process too, and hears of an answer only when the server has done its other work.
  ServerResponse.prototype.end = function (this: ServerResponse, ...given: Parameters<typeof end>) {
    answeredAt = process.hrtime.bigint()
    return end.apply(this, given)
  } as typeof end
})
afterAll(() => {
  ServerResponse.prototype.end = end
})

function request(path: string): Promise<number> {
  const headers = { authorization: `Bearer ${tokenOf('ana')}` }
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: gateway.port, agent, path, headers }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode ?? 0))
    }).once('error', reject)
  })
}

/** When it was answered. */
async function answered(path: string): Promise<bigint> {
  await request(path)
  return answeredAt
}

test.each([
  ['an organization of others', '/orgs/globex/apps', '/orgs/nobody/apps'],
  ['an application of another organization', '/orgs/globex/apps/blog', '/orgs/globex/apps/none'],
  ['an application without a role in it', '/orgs/acme/apps/blog', '/orgs/acme/apps/none'],
  ['an environment of another application', '/orgs/acme/apps/shop/envs/dev', '/orgs/acme/apps/shop/envs/xyz'],
])(
  '%s is refused as fast as one that is not there',
  async (_, foreign, missing) => {
    expect(await request(foreign)).toBe(await request(missing))
    const classes = [() => foreign, () => missing] as const
    expect(await leastDifference(answered, classes, requests)).toBeLessThan(telling)
  },
  300_000,
)
