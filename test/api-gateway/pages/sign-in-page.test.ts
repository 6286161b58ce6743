import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, openPage } from '../../support/browser.ts'
import { startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'

let gateway: TestGateway
let browser: Browser

beforeAll(async () => {
  gateway = await startGateway()
  browser = await openBrowser()
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
})
afterAll(async () => {
  await browser.close()
  await gateway.close()
})

const open = ({ url }: TestGateway = gateway) => openPage(browser, `${url}/auth/sign-in`)

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('API token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** The text of the page after the answer. */
async function saidIn(page: Page): Promise<string> {
  const output = page.getByRole('status').filter({ hasText: /\.$/ })
  return output.innerText()
}

describe('the sign-in page', () => {
  test('sets the cookie of a session, says until when, and forgets the token', async () => {
    const { page, faults, foreign } = await open()
    await signIn(page, ` ${tokenOf('admin')} `)
    expect(await saidIn(page)).toMatch(/^You are signed in\. The session expires at .*\d.*\.$/)
    expect(await page.context().cookies()).toEqual([
      expect.objectContaining({ name: 'token', value: expect.stringMatching(/^ey/), httpOnly: true }),
    ])
    expect(await page.getByLabel('API token').inputValue()).toBe('')
    expect(JSON.stringify([await page.content(), page.url(), gateway.logged])).not.toContain(
      'secret-of-admin',
    )
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] })
  })

  test.each([
    ['an unknown token', 'qm_nobody_secret'],
    ['a wrong secret', 'qm_admin_secret'],
    ['markup', '<script>'],
  ])('says in words that %s does not sign in', async (_, token) => {
    const { page } = await open()
    await signIn(page, token)
    expect(await saidIn(page)).toBe('Sign-in failed: the token does not grant access.')
    expect(await page.context().cookies()).toEqual([])
  })

  test('shows that there were too many attempts', async () => {
    // The page, and one attempt.
    const limited = await startGateway({ settings: { requestsPerSecond: 0.01, burst: 2 } })
    const { page } = await open(limited)
    await signIn(page, 'qm_nobody_secret')
    expect(await saidIn(page)).toContain('Sign-in failed')
    await signIn(page, tokenOf('admin'))
    const output = page.getByRole('status').filter({ hasText: 'Too many' })
    expect(await output.innerText()).toMatch(/^Too many attempts\. Try again in \d+ seconds\.$/)
    await limited.close()
  })

  test('says in words that the gateway cannot be reached', async () => {
    const { page } = await open()
    await page.context().setOffline(true)
    await signIn(page, tokenOf('admin'))
    expect(await saidIn(page)).toBe('The gateway cannot be reached. Try again.')
  })

  test('takes the cookie away', async () => {
    const { page } = await open()
    await signIn(page, tokenOf('admin'))
    expect(await saidIn(page)).toContain('You are signed in')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('status').filter({ hasText: 'The session cookie has been deleted.' }).waitFor()
    expect(await page.context().cookies()).toEqual([])
  })

  test('announces each sign-in and sign-out to the tabs of the portal', async () => {
    const { page } = await open()
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    await tab.evaluate(`new BroadcastChannel('quartermaster-session').addEventListener('message', ({ data }) => {
      document.querySelector('output').textContent = 'announced: ' + data
    })`)
    await signIn(page, tokenOf('admin'))
    await tab.getByText('announced: signed in').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await tab.getByText('announced: signed out').waitFor()
  })

  test('never puts the token into an address: without a script, nothing is sent', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${gateway.url}/auth/sign-in`)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    await page.getByLabel('API token').fill(tokenOf('admin'))
    await page.getByLabel('API token').press('Enter', { noWaitAfter: true }) // no page follows
    await page.waitForTimeout(200)
    expect({ sent, address: page.url() }).toEqual({ sent: [], address: `${gateway.url}/auth/sign-in` })
  })
})
