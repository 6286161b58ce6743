import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { ensurePortal } from '../../../../dev/portal.ts'
import { tokenOf } from '../../../api-gateway/support/gateway.ts'
import { setUpGateway } from '../../../api-gateway/support/set-up.ts'
import { openBrowser, openPage } from '../../../support/browser.ts'

const portalDirectory = pathToFileURL(`${await ensurePortal()}/`)
const gateway = await setUpGateway(() => {}, { portalDirectory })
let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

test('credentials that were typed for one type are not sent for another', async () => {
  const { page } = await openPage(browser, `${gateway.url}/o/acme/accounts?new`)
  await page.getByLabel('API token').fill(tokenOf('admin'))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel(/^ID/).fill('mine')
  const type = page.getByLabel(/^Type/)
  await type.selectOption({ label: 'Cloudflare (cloudflare)' })
  await page.locator('#credentials-heading ~ * input').first().fill('for-cloudflare')
  await type.selectOption({ label: 'This cluster (local)' })
  const [request] = await Promise.all([
    page.waitForRequest((each) => each.method() === 'POST'),
    page.getByRole('button', { name: 'Create the account' }).click(),
  ])
  expect(request.postDataJSON()).toEqual({ id: 'mine', name: 'mine', type: 'local', credentials: {} })
})
