import { get } from 'node:http'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { openBrowser } from '../../dev/browser.ts'
import type { Stage } from '../client-steps.ts'
import { application, organization } from '../objects.ts'
import { quantile, rounded } from '../statistics.ts'
import { sampleResources } from './sample-resources.ts'

/** The portal in a browser on this machine. */
export interface PortalFigures {
  /** Compressed scripts that the first page loads, in KiB. */
  readonly scriptKiB: number
  /** First pages with an empty cache, on a processor slowed down four times. */
  readonly first: FirstPage
  /** Longest times from an input to the next frame that shows its effect, median of the rounds. */
  readonly interactionsMs: Readonly<Record<'graph' | 'table', number>>
  readonly nodes: number
  readonly rows: number
}

interface FirstPage {
  /** Until the content is shown and no long task runs. */
  readonly interactiveMs: number
  readonly longestTaskMs: number
  /** Sum of what long tasks take beyond 50 ms. */
  readonly blockingMs: number
  readonly layoutShift: number
}

const slowdown = 4
const nodes = 1000
const rows = 5000

/** Notes, from the start of the document, when it shows its content, its long tasks, shifts, and slow inputs. */
const recorder = `(() => {
  const figures = { shownAt: 0, tasks: [], shift: 0, inputs: [] }
  window.figures = figures
  const observe = (type, take, options = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...options })
  observe('longtask', ({ startTime, duration }) => figures.tasks.push({ end: startTime + duration, duration }))
  observe('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) figures.shift += value })
  observe('event', ({ duration, interactionId, name }) => { if (interactionId || name === 'wheel') figures.inputs.push(duration) }, { durationThreshold: 16 })
  const look = () => {
    if (document.querySelector('main .card') && !document.querySelector('.loading')) figures.shownAt ||= performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})()`

interface Recorded {
  readonly shownAt: number
  readonly tasks: readonly { readonly end: number; readonly duration: number }[]
  readonly shift: number
  readonly inputs: readonly number[]
}

/** Measures the first page, and how fast a large graph and a long table answer. */
export async function measurePortal(
  { gatewayUrl, adminToken }: Stage,
  environmentId: string,
  rounds: number,
): Promise<PortalFigures> {
  const browser = await openBrowser()
  try {
    const session = await signIn(browser, gatewayUrl, adminToken)
    const start = `${gatewayUrl}/o/${organization}`
    const environment = `${start}/apps/${application}/envs/${environmentId}`
    const samples: FirstPage[] = []
    let scripts: string[] = []
    for (let round = 0; round < rounds; round += 1) {
      const sample = await firstPage(browser, session, start)
      samples.push(sample.figures)
      scripts = sample.scripts
    }
    const sizes = await Promise.all(scripts.map(compressedSize))
    return {
      scriptKiB: rounded(sizes.reduce((sum, size) => sum + size, 0) / 1024, 1),
      first: medianOf(samples),
      interactionsMs: {
        graph: await slowest(rounds, () => onPage(browser, session, `${environment}/graph`, nodes, useGraph)),
        table: await slowest(rounds, () =>
          onPage(browser, session, `${environment}/resources`, rows, useTable),
        ),
      },
      nodes,
      rows,
    }
  } finally {
    await browser.close()
  }
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>

async function signIn(browser: Browser, url: string, token: string): Promise<Session> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(url)
  await page.getByLabel('API token').fill(token)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('h1').filter({ hasNotText: 'Sign in' }).waitFor()
  const state = await context.storageState()
  await context.close()
  return state
}

async function openPage(browser: Browser, storageState: Session): Promise<{ page: Page; cdp: CDPSession }> {
  // A new context has an empty cache.
  const context = await browser.newContext({ storageState, viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.addInitScript({ content: recorder })
  return { page, cdp: await context.newCDPSession(page) }
}

async function firstPage(browser: Browser, session: Session, url: string) {
  const { page, cdp } = await openPage(browser, session)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  const scripts: string[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response.url())
  })
  await page.goto(url)
  await page.locator('main .card').first().waitFor()
  // A task that began before counts too; it is reported when it ends.
  await page.waitForTimeout(1000)
  const { shownAt, tasks, shift } = await page.evaluate<Recorded>('window.figures')
  await page.context().close()
  const figures: FirstPage = {
    interactiveMs: rounded(Math.max(shownAt, ...tasks.map(({ end }) => end)), 0),
    longestTaskMs: rounded(Math.max(0, ...tasks.map(({ duration }) => duration)), 0),
    blockingMs: rounded(
      tasks.reduce((sum, { duration }) => sum + duration - 50, 0),
      0,
    ),
    layoutShift: rounded(shift),
  }
  return { figures, scripts }
}

function medianOf(samples: readonly FirstPage[]): FirstPage {
  const median = (pick: (sample: FirstPage) => number) => quantile(samples.map(pick), 0.5)
  return {
    interactiveMs: median(({ interactiveMs }) => interactiveMs),
    longestTaskMs: median(({ longestTaskMs }) => longestTaskMs),
    blockingMs: median(({ blockingMs }) => blockingMs),
    layoutShift: median(({ layoutShift }) => layoutShift),
  }
}

/** Bytes of a file as the gateway sends it with gzip. */
function compressedSize(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
      })
      response.on('end', () => resolve(size))
    }).on('error', reject)
  })
}

/** The median, over the rounds, of the slowest input. */
async function slowest(rounds: number, round: () => Promise<number>): Promise<number> {
  const found: number[] = []
  while (found.length < rounds) found.push(await round())
  return quantile(found, 0.5)
}

/** The longest time of an input on a page whose environment has so many resources. */
async function onPage(
  browser: Browser,
  session: Session,
  url: string,
  count: number,
  use: (page: Page) => Promise<void>,
): Promise<number> {
  const { page } = await openPage(browser, session)
  const resources = sampleResources(count)
  const isList = ({ pathname }: URL) => /^\/orgs\/.*\/envs\/[^/]+\/resources$/.test(pathname)
  await page.route(isList, (route) => route.fulfill({ json: resources }))
  await page.goto(url)
  await use(page)
  await page.waitForTimeout(500)
  const { inputs } = await page.evaluate<Recorded>('window.figures')
  await page.context().close()
  return Math.max(0, ...inputs)
}

async function useGraph(page: Page): Promise<void> {
  const graph = page.locator('.graph svg').first()
  await page.locator('.node').nth(100).waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  for (const name of ['Zoom in', 'Zoom in', 'Zoom out', 'Show all']) {
    await page.getByRole('button', { name }).click()
    await page.waitForTimeout(100)
  }
  const { x = 0, y = 0 } = (await graph.boundingBox()) ?? {}
  await page.mouse.move(x + 10, y + 10)
  await page.mouse.down()
  for (let step = 1; step <= 20; step += 1) await page.mouse.move(x + 10 + step * 10, y + 10 + step * 5)
  await page.mouse.up()
  await page.locator('.node[tabindex="0"]').focus()
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowLeft', 'Enter']) {
    await page.keyboard.press(key)
    await page.waitForTimeout(100)
  }
  await page.getByRole('complementary').waitFor()
}

async function useTable(page: Page): Promise<void> {
  await page.getByRole('row').nth(40).waitFor()
  await page.getByRole('searchbox').focus()
  for (const key of ['s', '3', ' ', '4', ...Array.from({ length: 4 }, () => 'Backspace')]) {
    await page.keyboard.press(key)
    await page.waitForTimeout(100)
  }
  for (let more = 0; more < 5; more += 1) {
    await page.getByRole('button', { name: 'Next' }).click()
    await page.waitForTimeout(100)
  }
  await page.getByRole('row').nth(45).getByRole('button').click()
  await page.getByRole('complementary').waitFor()
}
