import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Browser, Locator } from 'playwright-core'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { openApiDocument } from '../../../api-gateway/openapi/document.ts'
import { openBrowser, openPage, type WatchedPage } from '../../support/browser.ts'
import { startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'

const document = openApiDocument(endpoints, 'test')

let gateway: TestGateway
let browser: Browser
let watched: WatchedPage

beforeAll(async () => {
  gateway = await startGateway()
  browser = await openBrowser()
})
beforeEach(async () => {
  watched = await openPage(browser, `${gateway.url}/docs`)
  await watched.page.waitForSelector('.opblock-tag')
})
afterAll(async () => {
  await browser.close()
  await gateway.close()
})

/** Opens a tag of the reference. */
const openTag = (name: string) => watched.page.locator(`.opblock-tag[data-tag="${name}"]`).click()

const operationAt = (id: string) => watched.page.locator(`.opblock[id$="-${id}"]`)

/** Opens an operation of a tag that is open. */
async function openOperation(id: string): Promise<Locator> {
  const operation = operationAt(id)
  await operation.locator('.opblock-summary-control').click()
  await operation.locator('.responses-wrapper').waitFor()
  return operation
}

async function authorize(token: string) {
  const { page } = watched
  await page.locator('.btn.authorize').click()
  const dialog = page.locator('.dialog-ux')
  await dialog.locator('input').first().fill(token)
  await dialog.locator('button[type=submit]').first().click()
  await dialog.locator('.btn-done').first().click()
}

/** Sends a request as the reference does it; answers the status that it shows. */
async function execute(operation: Locator): Promise<string> {
  await operation.locator('.try-out__btn').click()
  await operation.locator('.execute').click()
  return operation.locator('.live-responses-table .response-col_status').last().innerText()
}

test('every operation of the document is listed under its tag, in the order of the document', async () => {
  const { page, faults, foreign } = watched
  expect(
    await page.locator('.opblock-tag').evaluateAll((all) => all.map((each) => each.dataset['tag'])),
  ).toEqual(document.tags.map(({ name }) => name))
  for (const { name } of document.tags) {
    await openTag(name)
    const expected = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, { tags }]) => tags.includes(name))
        .map(([method, { summary }]) => [method.toUpperCase(), path, summary]),
    )
    const rows = page.locator('.opblock-summary')
    await rows.nth(expected.length - 1).waitFor()
    const found = await rows.evaluateAll((all) =>
      all.map((row) =>
        ['.opblock-summary-method', '.opblock-summary-path', '.opblock-summary-description'].map((part) =>
          row.querySelector(part)?.textContent.replaceAll('\u200b', ''),
        ),
      ),
    )
    expect(found).toEqual(expected)
    await openTag(name) // which closes it
  }
  expect({ faults, foreign }).toEqual({ faults: [], foreign: [] })
})

test('an operation shows its parameters, the schema of its body, its answers and who may call it', async () => {
  const { faults, foreign } = watched
  await openTag('Deployments')
  const operation = await openOperation('post_orgs_org_id_apps_app_id_pipeline_runs')
  const text = await operation.innerText()
  for (const part of [
    'app_id',
    'Application ID.',
    'Idempotency-Key',
    'dry_run',
    'developer',
    '"delta_id"',
    '409',
  ])
    expect(text).toContain(part)
  await operation.getByRole('tab', { name: 'Schema' }).first().click()
  expect(await operation.locator('.opblock-section-request-body').innerText()).toContain('deployment_id')
  expect({ faults, foreign }).toEqual({ faults: [], foreign: [] })
})

test('a request can be tried with a token, and a reload forgets the token but not the place', async () => {
  const { page, faults, foreign } = watched
  await authorize(tokenOf('admin'))
  await openTag('Organizations')
  expect(await execute(await openOperation('get_orgs'))).toBe('200')
  expect(await page.locator('.live-responses-table').innerText()).toContain('"acme"')

  expect(
    await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'),
  ).toBe('[{},{},""]')
  expect({ faults, foreign }).toEqual({ faults: [], foreign: [] })
  await page.reload()
  // The address names the operation, which is open again.
  expect(await execute(operationAt('get_orgs'))).toBe('401')
})

test('a request can be tried behind a proxy that adds a prefix to all paths', async () => {
  const proxy = createServer((incoming, outgoing) => {
    const [, path] = /^\/prefix(\/.*)$/.exec(incoming.url ?? '') ?? []
    if (path === undefined) {
      outgoing.writeHead(418).end()
      return
    }
    const { method, headers } = incoming
    request(`${gateway.url}${path}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(outgoing)
    }).end()
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  try {
    const { port } = proxy.address() as AddressInfo // it listens on a port
    watched = await openPage(browser, `http://127.0.0.1:${port}/prefix/docs`)
    await watched.page.waitForSelector('.opblock-tag')
    await authorize(tokenOf('admin'))
    await openTag('Organizations')
    expect(await execute(await openOperation('get_orgs'))).toBe('200')
    expect(watched.faults).toEqual([])
  } finally {
    proxy.closeAllConnections()
    proxy.close()
  }
})
