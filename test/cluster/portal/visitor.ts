import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { openPage } from '../../support/browser.ts'

const axe = readFileSync(join(import.meta.dirname, '../../../node_modules/axe-core/axe.min.js'), 'utf8')

/** A person in front of the portal. */
export interface Visitor {
  readonly page: Page
  /** Errors of the page; stays empty. */
  readonly faults: string[]
  /** Requests to other hosts; stays empty. */
  readonly foreign: string[]
}

/** Opens a page of the portal and signs in with a token. */
export async function visit(browser: Browser, address: string, token: string): Promise<Visitor> {
  const visitor = await openPage(browser, address)
  await visitor.page.getByLabel('API token').fill(token)
  await visitor.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await visitor.page.locator('h1').filter({ hasNotText: 'Sign in' }).waitFor()
  return visitor
}

/** Problems that axe-core finds, as `rule: elements`. The policy of the page allows no script of others, so it is evaluated. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const found: { id: string; targets: string[] }[] = await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target.join(' ')) })))`,
  )
  return found.map(({ id, targets }) => `${id}: ${targets.join(', ')}`)
}

/** Fails if the page is wider than the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overflow: number = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  expect(overflow).toBeLessThanOrEqual(0)
}
