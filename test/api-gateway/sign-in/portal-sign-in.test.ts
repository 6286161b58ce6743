import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { ensurePortal } from '../../../dev/portal.ts'
import { openBrowser, openPage } from '../../support/browser.ts'
import { addEnvironment } from '../support/objects.ts'
import { type SignIn, startSignIn } from '../support/sign-in.ts'

let browser: Browser
let world: SignIn

beforeAll(async () => {
  world = await startSignIn({ portalDirectory: pathToFileURL(`${await ensurePortal()}/`) })
  world.gateway.addUser('ada', { email: 'ada@example.test' })
  world.gateway.addMember('acme', 'ada', { role: 'administrator' })
  addEnvironment(world.gateway)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

const providerLink = (page: Page) =>
  page.getByRole('link', { name: `Sign in with ${new URL(world.provider.issuer).host}` })
const choose = (page: Page, person: string) => page.getByRole('button', { name: person }).click()
const person = 'ada, ada@example.test'

test('a person who opens a page of the portal signs in at the provider and returns to that page', async () => {
  const address = `${world.gateway.url}/o/acme/definitions?new`
  const { page, faults } = await openPage(browser, address)
  await providerLink(page).click()
  await choose(page, person)
  await page.getByRole('heading', { name: 'New definition', level: 1 }).waitFor()
  expect(page.url()).toBe(address)
  // The first read without a session says so.
  expect(faults.filter((each) => !each.includes('401'))).toEqual([])
})

test('a session that ended continues after a sign-in in another tab, and nothing typed is lost', async () => {
  const { page } = await openPage(browser, `${world.gateway.url}/o/acme/apps/shop/envs/development/deploy`)
  await providerLink(page).click()
  await choose(page, person)
  await page.getByRole('combobox', { name: 'Workload' }).fill('web')
  await page.getByLabel(/image/i).fill('registry.example.com/web:2')
  await page.getByLabel('Comment').fill('typed before the end')
  await page.context().clearCookies()
  // A request of the page itself may open the dialog first, which the click then waits for.
  const shown = page.getByRole('button', { name: 'Show the plan' }).click()
  const dialog = page.getByRole('dialog')
  const [other] = await Promise.all([page.context().waitForEvent('page'), providerLink(page).click()])
  await choose(other, person)
  await dialog.waitFor({ state: 'detached' })
  await shown
  expect(await page.getByLabel('Comment').inputValue()).toBe('typed before the end')
})

test('a stranger to Quartermaster returns without a session', async () => {
  const { page } = await openPage(browser, `${world.gateway.url}/o/acme`)
  await providerLink(page).click()
  await choose(page, 'stranger')
  await page.getByText('Forbidden').waitFor()
  await page.goto(`${world.gateway.url}/o/acme`)
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
})
