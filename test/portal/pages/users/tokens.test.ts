import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { ensurePortal } from '../../../../dev/portal.ts'
import { tokenOf } from '../../../api-gateway/support/gateway.ts'
import { setUpGateway } from '../../../api-gateway/support/set-up.ts'
import { openBrowser, openPage } from '../../../support/browser.ts'

const portalDirectory = pathToFileURL(`${await ensurePortal()}/`)
const gateway = await setUpGateway(
  () => {
    gateway.addUser('robot', { type: 'service', organizationName: 'acme' })
    gateway.addMember('acme', 'robot', { role: 'member' })
  },
  { portalDirectory },
)
let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

test('a double click creates one token', async () => {
  const { page, faults } = await openPage(browser, `${gateway.url}/o/acme/users/robot`)
  await page.getByLabel('API token').fill(tokenOf('admin'))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('ID of a new token').fill('nightly')
  // Both clicks come before the answer.
  await page.route('**/users/robot/tokens', async (route) => {
    await page.waitForTimeout(500)
    await route.continue()
  })
  await page.getByRole('button', { name: 'Create a token' }).dblclick()
  await page.locator('output.token').waitFor()
  await page.getByRole('heading', { name: 'nightly' }).waitFor()
  // The first read without a session says so.
  expect(faults.filter((each) => !each.includes('401'))).toEqual([])
})
