import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { ensurePortal } from '../../../dev/portal.ts'
import { tokenOf } from '../../api-gateway/support/gateway.ts'
import { addEnvironment } from '../../api-gateway/support/objects.ts'
import { setUpGateway } from '../../api-gateway/support/set-up.ts'
import { openBrowser, openPage } from '../../support/browser.ts'

const portalDirectory = pathToFileURL(`${await ensurePortal()}/`)
const gateway = await setUpGateway(() => addEnvironment(gateway), { portalDirectory })
let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

test('Escape does not close it while a request waits for the session, and nothing typed is lost', async () => {
  const { page } = await openPage(browser, `${gateway.url}/o/acme/apps/shop/values?new`)
  const signIn = async () => {
    await page.getByLabel('API token').fill(tokenOf('admin'))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  await signIn()
  await page.getByLabel(/^Key/).fill('KEPT')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Create the value' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  for (const _ of ['cancels', 'closes']) await page.keyboard.press('Escape')
  await dialog.waitFor()
  await signIn()
  await page.getByRole('row').filter({ hasText: 'KEPT' }).waitFor()
})
