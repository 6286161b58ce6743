import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import { type SignIn, startSignIn } from '../support/sign-in.ts'

let browser: Browser
let world: SignIn

beforeAll(async () => {
  world = await startSignIn()
  world.gateway.addUser('ada', { email: 'ada@example.test' })
  world.gateway.addMember('acme', 'ada', { role: 'member' })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

/** From the page of the gateway to the one of the provider, where a person is chosen. */
async function signInAs(person: string) {
  const { gateway } = world
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${gateway.url}/auth/sign-in`)
  await page.getByRole('link', { name: `Sign in with ${new URL(world.provider.issuer).host}` }).click()
  await page.getByRole('button', { name: person }).click()
  await page.waitForURL(`${gateway.url}/**`)
  const cookies = await context.cookies(gateway.url)
  const result = { url: page.url(), text: await page.content(), cookies }
  await context.close()
  return result
}

test('in a browser, people choose a user at the provider and return signed in', async () => {
  const { url, text, cookies } = await signInAs('ada, ada@example.test')
  expect(url).toBe(`${world.gateway.url}/auth/sign-in#signed-in`)
  expect(text).toContain('You are signed in')
  expect(cookies).toEqual([
    expect.objectContaining({ name: 'token', path: '/', httpOnly: true, sameSite: 'Lax' }),
  ])
  for (const scheme of ['Bearer', 'JWT']) {
    const headers = { authorization: `${scheme} ${cookies[0]?.value}` }
    expect((await world.gateway.send('GET /orgs/acme', { as: null, headers })).status).toBe(200)
  }
})

test('in a browser, an unknown user returns without a session', async () => {
  const { url, text, cookies } = await signInAs('stranger')
  expect(url).toMatch(/\/auth\/oidc\/callback\?/)
  expect(text).toContain('Forbidden')
  expect(cookies.filter(({ name }) => name === 'token')).toEqual([])
})
