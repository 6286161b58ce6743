import { setImmediate } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startGateway, type TestGateway, tokenOf } from './support/gateway.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

describe('the sign-in page', () => {
  /** The page in a browser, as far as its script goes. */
  async function open() {
    const { body } = await gateway.send('GET /auth/sign-in', { as: null })
    const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(body) ?? []
    const listeners = new Map<string, (event: object) => Promise<void>>()
    const element = (name: string) => ({
      addEventListener: (event: string, run: (event: object) => Promise<void>) => {
        listeners.set(`${name} ${event}`, run)
      },
    })
    const token = { value: '' }
    const form = { ...element('form'), elements: { token }, reset: () => (token.value = '') }
    const output = { textContent: '' }
    const elements: Record<string, object> = { form, output, '#end': element('#end') }
    const sent: { url: string; cookie: string | null }[] = []
    let isBroken = false
    runInNewContext(script, {
      document: { querySelector: (selector: string) => elements[selector] },
      fetch: async (target: string, init: RequestInit) => {
        if (isBroken) throw new Error('no network')
        const { href } = new URL(target, `${gateway.url}/auth/sign-in`)
        const response = await fetch(href, init)
        sent.push({ url: href, cookie: response.headers.get('set-cookie') })
        return response
      },
    })
    return {
      said: output,
      sent,
      field: token,
      breakNetwork: () => {
        isBroken = true
      },
      signIn: async (value: string) => {
        token.value = value
        await listeners.get('form submit')?.({ preventDefault: () => {} })
      },
      signOut: async () => {
        await listeners.get('#end click')?.({})
        await setImmediate()
      },
    }
  }

  test('sets the cookie of a session, says until when, and forgets the token', async () => {
    const page = await open()
    await page.signIn(` ${tokenOf('admin')}\n`)
    expect(page.said.textContent).toMatch(/^You are signed in: the session cookie is set until .*\d.*\.$/)
    expect(page.sent).toEqual([
      { url: `${gateway.url}/auth/session`, cookie: expect.stringMatching(/^token=ey/) },
    ])
    expect(page.field.value).toBe('')
    expect(JSON.stringify([page.said, gateway.logged])).not.toContain('secret-of-admin')
  })

  test.each([
    ['an unknown token', 'qm_nobody_secret'],
    ['a wrong secret', 'qm_admin_secret'],
    ['markup', '<script>'],
  ])('says in words that %s does not sign in', async (_, token) => {
    const page = await open()
    await page.signIn(token)
    expect(page.said.textContent).toBe('You are not signed in: the token does not grant access.')
    expect(page.sent[0]?.cookie).toBeNull()
  })

  test('says in words that there were too many attempts', async () => {
    const unlimited = gateway
    gateway = await startGateway({ settings: { requestsPerSecond: 1, burst: 1 } })
    const page = await open()
    await page.signIn('qm_nobody_secret')
    await page.signIn(tokenOf('admin'))
    expect(page.said.textContent).toMatch(/^Too many attempts\. Try again in \d+ seconds\.$/)
    await gateway.close()
    gateway = unlimited
  })

  test('says in words that the gateway cannot be reached', async () => {
    const page = await open()
    page.breakNetwork()
    await page.signIn(tokenOf('admin'))
    expect(page.said.textContent).toBe('The gateway cannot be reached. Try again.')
  })

  test('takes the cookie away', async () => {
    const page = await open()
    await page.signOut()
    expect(page.said.textContent).toBe('You are signed out: the session cookie is gone.')
    expect(page.sent[0]?.cookie).toMatch(/^token=; Path=\/; Max-Age=0/)
  })

  test('never puts the token into an address: without a script, nothing is sent', async () => {
    const { headers, body } = await gateway.send('GET /auth/sign-in', { as: null })
    expect(body).toContain('<form method="post">')
    expect(headers.get('content-security-policy')).toContain("form-action 'none'")
  })
})
