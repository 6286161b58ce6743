import { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { findTokenUser } from '../../../api-gateway/authenticate.ts'
import { takeSteps } from '../../support/steps.ts'
import { addEnvironment } from '../support/objects.ts'
import { setUpGateway } from '../support/set-up.ts'

/** Only the steps of the product are compared. */
const ours = /\/(operator|api-gateway)\//

const gateway = await setUpGateway((gateway) => {
  gateway.addUser('ana')
  gateway.addMember('acme', 'ana', {
    role: 'member',
    applications: [{ applicationName: 'shop', role: 'owner' }],
  })
  addEnvironment(gateway)
  addEnvironment(gateway, 'development', 'development', 'blog')
  addEnvironment(gateway, 'development', 'development', 'blog', 'globex')
})

describe('the time of a refusal does not depend on whether the token exists', () => {
  const refused = ['qm_nobody_wrong', 'qm_ana_wrong', 'qm_ana_secret-of-anax']

  test('since each takes the same steps', () => {
    const { store } = gateway.cluster
    const steps = (text: string) => {
      takeSteps()
      const user = findTokenUser(text, store, 0)
      const taken = takeSteps(ours)
      expect(user).toBeUndefined()
      return taken
    }
    refused.map(steps) // the first time takes more
    // Code that V8 optimizes meanwhile is counted in part, never twice.
    const rounds = Array.from({ length: 15 }, () => refused.map(steps))
    const whole = refused.map((_, at) => Math.max(...rounds.map((round) => round[at] ?? 0)))
    expect(whole[0]).toBeGreaterThan(0)
    expect(whole).toEqual(refused.map(() => whole[0]))
  })

  test('since each is one lookup of the same kind', () => {
    const journals = refused.map((text) => {
      const journal: string[] = []
      const watched = new Proxy(gateway.cluster.store, {
        get(target, name, receiver) {
          journal.push(String(name))
          return Reflect.get(target, name, receiver) as unknown
        },
      })
      expect(findTokenUser(text, watched, 0)).toBeUndefined()
      return journal
    })
    expect(journals).toEqual([journals[0], journals[0], journals[0]])
  })
})

const { end } = ServerResponse.prototype
let stepsUntilAnswer = 0

beforeAll(() => {
  ServerResponse.prototype.end = function (this: ServerResponse, ...given: Parameters<typeof end>) {
    stepsUntilAnswer = takeSteps(ours)
    return end.apply(this, given)
  } as typeof end
})
afterAll(() => {
  ServerResponse.prototype.end = end
})

test.each([
  ['an organization of others', '/orgs/globex/apps', '/orgs/absent/apps'],
  ['an application of another organization', '/orgs/globex/apps/blog', '/orgs/globex/apps/none'],
  ['an application without a role in it', '/orgs/acme/apps/blog', '/orgs/acme/apps/none'],
  ['an environment of another application', '/orgs/acme/apps/shop/envs/dev', '/orgs/acme/apps/shop/envs/xyz'],
])('%s is refused in as many steps as one that is not there', async (_, foreign, missing) => {
  const answer = (path: string) => gateway.send(`GET ${path}`, { as: 'ana' })
  expect((await answer(foreign)).status).toBe((await answer(missing)).status)
  const steps = async (path: string) => {
    takeSteps()
    await answer(path)
    return stepsUntilAnswer
  }
  for (const path of [foreign, missing]) await answer(path) // the first time takes more
  // A lookup within a condition is part of that one.
  expect(Math.abs((await steps(foreign)) - (await steps(missing)))).toBeLessThanOrEqual(1)
})
