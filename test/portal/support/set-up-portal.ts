import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { ensurePortal } from '../../../dev/portal.ts'
import { type TestGateway, tokenOf } from '../../api-gateway/support/gateway.ts'
import { setUpGateway } from '../../api-gateway/support/set-up.ts'
import { openBrowser, openPage } from '../../support/browser.ts'

/** Signs in on a page that asks for it, and waits until it is done: who leaves the page before ends the request. */
export async function signIn(page: Page, as = 'admin'): Promise<void> {
  const token = page.getByLabel('API token')
  await token.fill(tokenOf(as))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await token.waitFor({ state: 'detached' })
}

/** Starts the gateway of a test file with the portal, and a browser. Every test begins with the objects of `prepare`. */
export async function setUpPortal(prepare: (gateway: TestGateway) => unknown = () => {}) {
  const portalDirectory = pathToFileURL(`${await ensurePortal()}/`)
  const gateway = await setUpGateway(prepare, { portalDirectory })
  let browser: Browser

  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
  })
  afterAll(() => browser.close())

  /** Opens a page of the organization `acme` and signs in; `faults` are the errors of the page. */
  async function open(path: string, as?: string) {
    const { page, faults } = await openPage(browser, `${gateway.url}/o/acme${path}`)
    await signIn(page, as)
    // The first read without a session says so.
    return { page, faults: () => faults.filter((each) => !each.includes('401')) }
  }
  return { gateway, open }
}
