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

/** Elements that reach over the right edge of a window that scrolls sideways; none of a page that fits. */
export function widerThanWindow(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const isWide = (each) =>
      each.getBoundingClientRect().right > clientWidth ||
      (each.scrollWidth > each.clientWidth && getComputedStyle(each).overflowX === 'visible')
    const wide = [...document.querySelectorAll('main, main *')].filter(isWide)
    return ['wider than the window', ...wide.map((each) => each.outerHTML.slice(0, 100))]
  })()`)
}

/** Checks a page, in a wide and in a narrow window, for accessibility and for a width that fits. */
export async function expectSoundPage(page: Page, name: string): Promise<void> {
  for (const [width, scheme] of [
    [1440, 'light'],
    [360, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    const problems = [...(await widerThanWindow(page)), ...(await accessibilityProblems(page))]
    expect({ name, width, problems }).toEqual({ name, width, problems: [] })
    // To look at the pages: the folder for pictures of them.
    const { PORTAL_SCREENSHOTS: folder } = process.env
    if (folder)
      await page.screenshot({ path: `${folder}/${name.replaceAll(' ', '-')}-${width}.png`, fullPage: true })
  }
}

const maxTabs = 100

/** Presses Tab until the focused element has this label or text. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = []
  for (let presses = 0; presses < maxTabs; presses++) {
    await page.keyboard.press('Tab')
    const focused: string = await page.evaluate(`(() => {
      const { activeElement: element } = document
      const label = element?.labels?.[0] ?? element
      return (element?.getAttribute('aria-label') ?? label?.textContent ?? '').trim()
    })()`)
    if (typeof name === 'string' ? focused === name : name.test(focused)) return
    seen.push(focused)
  }
  throw new Error(`no element '${String(name)}' has the focus after ${maxTabs} tabs: ${seen.join(' | ')}`)
}
