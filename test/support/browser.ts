import type { Browser, Page } from 'playwright-core'

export { openBrowser } from '../../dev/browser.ts'

/** A page takes long on a busy machine; the limit fails the test. */
const patienceMs = 120_000

/** A page, its errors, and its requests to other hosts; both lists stay empty. */
export interface WatchedPage {
  readonly page: Page
  /** Errors in the console, uncaught errors, and violations of the policy of the page. */
  readonly faults: string[]
  /** Addresses asked for that are not of the first page's host. */
  readonly foreign: string[]
}

/** Opens a page in a new profile and watches it from the beginning. */
export async function openPage(browser: Browser, address: string): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1200 } })
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  const faults: string[] = []
  const foreign: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (line) => {
    if (line.type() === 'error') faults.push(line.text())
  })
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol !== 'data:' && host !== new URL(address).host) foreign.push(request.url())
  })
  await page.exposeFunction('reportViolation', (what: string) => faults.push(what))
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      reportViolation(violatedDirective + ' ' + blockedURI))`,
  })
  await page.goto(address)
  return { page, faults, foreign }
}
