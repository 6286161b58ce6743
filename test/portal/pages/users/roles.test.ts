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
    gateway.addUser('ada')
    gateway.addMember('acme', 'ada', { role: 'administrator' })
  },
  { portalDirectory },
)
let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

test('an administrator who gives up the role is offered no more than the new role allows', async () => {
  const { page } = await openPage(browser, `${gateway.url}/o/acme/users/ada/roles`)
  await page.getByLabel('API token').fill(tokenOf('ada'))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Role on organization acme').selectOption('member')
  await page.getByRole('button', { name: 'Save the role on organization acme' }).click()
  await page.getByRole('link', { name: 'Audit' }).waitFor({ state: 'detached' })
  expect(await page.getByLabel(/^Role on/).count()).toBe(0)
})
