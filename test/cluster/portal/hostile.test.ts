import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page, Response } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import { hostileText } from '../../support/portal-texts.ts'
import { leaksIn } from '../security/canaries.ts'
import { createCanaryClient } from '../security/canary-client.ts'
import { plant } from '../security/canary-planting.ts'
import { eventually, makeTestOrganization } from '../support/client.ts'
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { type HostileOrganization, plantHostileTexts } from './hostile-organization.ts'
import { addressesOf, pagePatterns } from './page-addresses.ts'
import { type Visitor, visit, widerThanWindow } from './visitor.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'hostile')
const client = createCanaryClient(cluster, organization)
let browser: Browser
let receiver: Receiver
let hostile: HostileOrganization

beforeAll(async () => {
  ;[browser, receiver] = await Promise.all([openBrowser(), startReceiver(cluster.directory)])
  await organization.application('shop')
  for (const environment of ['works', 'broken']) await organization.environment('shop', environment)
  await plant(client, cluster, receiver)
  client.canaries['token of the visitor'] = cluster.adminToken
  hostile = await plantHostileTexts(client, cluster)
})
afterAll(() => Promise.all([browser?.close(), receiver?.close()]))

/** Elements that a page of the portal never has, and addresses that run or lead away. */
const oddElements = `(() => {
  const all = [...document.querySelectorAll('*:not(link[rel=icon])')]
  const isForeign = (address) => /^\\s*(javascript|data|vbscript):/i.test(address.replace(/[\\0-\\x20]/g, ''))
  const odd = all.filter((each) =>
    ['IFRAME', 'OBJECT', 'EMBED', 'BASE', 'STYLE', 'math', 'foreignObject'].includes(each.tagName) ||
    (each.tagName === 'SCRIPT' && !/^(\\.{1,2}\\/)*assets\\/[\\w.-]+$/.test(each.getAttribute('src'))) ||
    (each.tagName === 'META' && each.httpEquiv) ||
    [...each.attributes].some(({ name, value }) => /^on/i.test(name) ||
      (/^(href|src|action|formaction|xlink:href|srcdoc|data)$/i.test(name) && isForeign(value))))
  return odd.map((each) => each.outerHTML.slice(0, 200))
})()`

/** Opens everything that a page folds, which may read more. */
const unfold = `document.querySelectorAll('details').forEach((each) => { each.open = true })`

/** What a person sees of a page, with the content of its fields. */
const everythingShown = `(() => {
  const fields = [...document.querySelectorAll('input, textarea, option')].map(({ value }) => value)
  return [document.title, document.body.innerText, ...fields, document.documentElement.outerHTML].join('\\n')
})()`

/** Collects the answers that a page receives from the API, except for streams; the text is undefined if it left before the end. */
function collectAnswers(page: Page) {
  const answers: { readonly where: string; readonly text: string | undefined }[] = []
  const open = new Set<unknown>()
  const reading: Promise<void>[] = []
  const isStream = (url: string) => new URL(url).pathname.endsWith('/changes')
  const isFile = (url: string) => new URL(url).pathname.startsWith('/assets/')
  const read = async (response: Response) => {
    const where = `${response.request().method()} ${response.url()}`
    const headers = JSON.stringify(await response.allHeaders())
    const text = await response.text().catch(() => undefined)
    answers.push({ where, text: text === undefined ? undefined : headers + text })
  }
  page.on('request', (request) => !isStream(request.url()) && open.add(request))
  page.on('requestfailed', (request) => open.delete(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('response', (response) => {
    if (!isStream(response.url()) && !isFile(response.url())) reading.push(read(response))
  })
  return {
    answers,
    async settled() {
      // Between the code of a page and what it reads, nothing is open for a moment.
      let quiet = 0
      await eventually('the content', 30_000, async () => {
        const isShown = (await page.locator('main h1').count()) > 0
        const isLoading = (await page.locator('.loading, .starting').count()) > 0
        quiet = isShown && !isLoading && open.size === 0 ? quiet + 1 : 0
        return quiet >= 3 || undefined
      })
      await Promise.all(reading)
    },
  }
}

/** Faults of a visit; refused reads of addresses of nothing are written to the console too. */
function faultsOf({ faults, foreign }: Visitor): string[] {
  return [...faults.filter((each) => !each.startsWith('Failed to load resource')), ...foreign]
}

test('on every page, hostile texts of users run nothing, load nothing and widen nothing, and no secret reaches a page', async () => {
  const visitor = await visit(browser, `${cluster.gatewayUrl}/o/${organization.id}`, cluster.adminToken)
  const { page } = visitor
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  const { answers, settled } = collectAnswers(page)
  const patterns = await pagePatterns()
  const addresses = [
    ...patterns.flatMap((pattern) => addressesOf(pattern, hostile.parameters)),
    ...hostile.addresses,
  ]
  const seen: string[] = []
  const problems: unknown[] = []
  await page.setViewportSize({ width: 360, height: 900 })
  const look = async (address: string) => {
    await settled()
    await page.evaluate(unfold)
    await settled()
    const shown = await page.evaluate<string>(everythingShown)
    seen.push(shown)
    const found = [
      ...(await page.evaluate<string[]>(oddElements)),
      ...(await widerThanWindow(page)),
      ...leaksIn('the page', shown, client.canaries, (name) => name === 'webhook header'),
      ...((await page.evaluate('window.hacked')) === undefined ? [] : ['a script ran']),
      ...(new URL(page.url()).host === new URL(cluster.gatewayUrl).host ? [] : [page.url()]),
    ]
    if (found.length > 0) problems.push({ address, found })
  }
  for (const address of addresses) {
    await page.goto(cluster.gatewayUrl + address)
    await look(address)
  }
  // The form for the inputs of a dependency.
  await page.goto(`${cluster.gatewayUrl}/o/${organization.id}/apps/shop/envs/works/deploy`)
  await page.getByRole('button', { name: 'Add a dependency' }).click()
  await page.getByLabel('Type').selectOption(`${organization.id}/hostile`)
  await look('the inputs of a dependency')
  expect(problems).toEqual([])
  expect({ faults: faultsOf(visitor), dialogs }).toEqual({ faults: [], dialogs: [] })
  const read = new Map(answers.flatMap(({ where, text }) => (text === undefined ? [] : [[where, text]])))
  expect(answers.filter(({ where }) => !read.has(where))).toEqual([])
  expect(
    [...read].flatMap(([where, text]) => leaksIn(where, text, client.canaries, isHeaderOf(where))),
  ).toEqual([])
  const all = seen.join('\n')
  expect(hostile.texts.filter(({ mark, isShown }) => isShown && !all.includes(mark))).toEqual([])
})

/** Headers of webhooks are shown to those who may change the webhooks. */
function isHeaderOf(where: string) {
  return (name: string) => name === 'webhook header' && /\/webhooks(\/\w+)?(\?|$)/.test(where)
}

test('names of resources, which the API restricts, are texts in the graph and table even if they were hostile', async () => {
  const root = `${cluster.gatewayUrl}/o/${organization.id}`
  const visitor = await visit(browser, root, cluster.adminToken)
  const { page } = visitor
  const isList = (url: URL) => /^\/orgs\/.*\/envs\/works\/resources$/.test(url.pathname)
  await page.route(isList, async (route) => {
    const fields = ['res_id', 'type', 'class', 'def_id', 'driver_type', 'status_message']
    const resources = Array.from({ length: 3 }, (_, index) => ({
      gu_res_id: `${index}"><script>window.hacked = 1</script>`,
      depends_on: index === 0 ? [] : ['0"><script>window.hacked = 1</script>'],
      status: index === 1 ? 'pending' : 'active',
      is_failing: index === 1,
      updated_at: '"><script>window.hacked = 1</script>',
      ...Object.fromEntries(fields.map((each) => [each, hostileText(`${each}-${index}`, 900)])),
    }))
    await route.fulfill({ json: resources })
  })
  for (const view of ['graph', 'resources', '']) {
    await page.goto(`${root}/apps/shop/envs/works/${view}`)
    // The tooltip of a node of the graph is never visible.
    await page.getByText('res_id-1', { exact: false }).filter({ visible: true }).first().waitFor()
    if (view !== '') {
      await page.getByRole('button', { name: /^res_id-2/ }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('complementary').waitFor()
    }
    expect(await page.evaluate(oddElements)).toEqual([])
  }
  expect([faultsOf(visitor), await page.evaluate('window.hacked')]).toEqual([[], undefined])
})
