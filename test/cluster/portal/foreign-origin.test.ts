import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, Request } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import { eventually, makeTestOrganization, type Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { visit } from './visitor.ts'

const cluster = sharedCluster()
let browser: Browser
let organization: Organization
let server: Server

beforeAll(async () => {
  ;[browser, organization] = await Promise.all([openBrowser(), makeTestOrganization(cluster, 'foreign')])
  await organization.application('shop')
  server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<h1>Other</h1>'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await browser?.close()
  server?.close()
})

/** Hosts of the other page: the port does not count for a site, so the browser sends the cookie to the first. */
describe.each([
  ['another port of the host, to which the cookie is sent', '127.0.0.1'],
  ['another site', 'localhost'],
])('a page of %s', (_, host) => {
  async function open() {
    const root = `${cluster.gatewayUrl}/o/${organization.id}`
    const { page } = await visit(browser, root, cluster.adminToken)
    await page.goto(`http://${host}:${(server.address() as AddressInfo).port}`)
    return page
  }

  test('cannot show the portal in a frame', async () => {
    const page = await open()
    await page.evaluate(
      `document.body.innerHTML = '<iframe src="${cluster.gatewayUrl}/o/${organization.id}"></iframe>'`,
    )
    const frame = await eventually('the frame', 30_000, async () =>
      page.frames().find((each) => each.parentFrame() && each.url() !== 'about:blank'),
    )
    await frame.waitForLoadState()
    expect(frame.url()).toBe('chrome-error://chromewebdata/')
    expect(await frame.locator('h1').filter({ hasText: 'Applications' }).count()).toBe(0)
  })

  test('cannot act for the user by requests or forms', async () => {
    const page = await open()
    const answers: [string, number][] = []
    let formEnded = false
    const onEnd = (request: Request) => {
      if (request.method() === 'POST' && request.isNavigationRequest()) formEnded = true
    }
    // The answer to a form may not be shown in a frame either.
    page.on('requestfinished', onEnd)
    page.on('requestfailed', onEnd)
    page.on('response', (response) => {
      if (response.url().startsWith(cluster.gatewayUrl))
        answers.push([response.request().method(), response.status()])
    })
    const apps = `${cluster.gatewayUrl}/orgs/${organization.id}/apps`
    const app = JSON.stringify({ id: 'forged', name: 'Forged' })
    await page.evaluate(`(async () => {
      const send = (address, options) => fetch(address, { credentials: 'include', ...options }).catch(() => {})
      await send('${apps}', { mode: 'no-cors', method: 'POST', body: '${app}' })
      await send('${apps}', { method: 'POST', body: '${app}', headers: { 'content-type': 'application/json' } })
      await send('${apps}/shop', { method: 'DELETE' })
      await send('${cluster.gatewayUrl}/auth/session', { method: 'DELETE' })
      const image = new Image()
      image.src = '${apps}'
      await new Promise((resolve) => { image.onerror = resolve })
      document.body.innerHTML =
        '<iframe name="target"></iframe><form method="post" enctype="text/plain" target="target" action="${apps}"><input name=\\'{"id":"forged","name":"\\' value=\\'"}\\'></form>'
      document.forms[0].submit()
    })()`)
    await eventually('the end of the form', 30_000, async () => formEnded || undefined)
    const accepted = answers.filter(([, status]) => status < 400)
    expect(accepted).toEqual([])
    expect((await organization.rest('GET', '/apps')).body.map(({ id }: { id: string }) => id)).toEqual([
      'shop',
    ])
    await page.goto(`${cluster.gatewayUrl}/o/${organization.id}`)
    await page.getByRole('heading', { name: 'Applications' }).waitFor()
  })
})
