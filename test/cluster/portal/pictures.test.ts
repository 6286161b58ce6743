import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import { eventually, makeTestOrganization, moduleWith, type Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { visit } from './visitor.ts'

const docs = join(import.meta.dirname, '../../../docs')
const cluster = sharedCluster()
let browser: Browser
let organization: Organization
let environment = ''

beforeAll(async () => {
  ;[browser, organization] = await Promise.all([openBrowser(), makeTestOrganization(cluster, 'pictures')])
  await organization.application('shop')
  await organization.environment('shop', 'staging')
  const echo = 'quartermaster/echo'
  const define = (name: string, type: string, values: object, criteria: object) =>
    organization.define(name, { type, driverType: echo, driverInputs: { values }, criteria: [criteria] })
  await define('bucket', 's3', { bucket: 'files', region: 'eu-north-1' }, {})
  await define('shop-bucket', 's3', { bucket: 'shop-files', region: 'eu-north-1' }, { appId: 'shop' })
  await define('cache', 'redis', { host: 'cache.internal', port: 6379 }, {})
  await define('host', 'dns', { host: 'shop.example.com' }, {})
  await define('workload', 'workload', {}, {})
  const spec = { containers: { main: { id: 'main', image: 'registry.example.com/web:1' } } }
  await organization.deploy('shop.staging', {
    modules: {
      web: moduleWith({ files: { type: 's3' }, cache: { type: 'redis' }, host: { type: 'dns' } }, spec),
      worker: moduleWith({ files: { type: 's3' }, cache: { type: 'redis' } }, spec),
    },
  })
  environment = `${cluster.gatewayUrl}/o/${organization.id}/apps/shop/envs/staging`
})
afterAll(() => browser?.close())

/** Takes a picture for the documentation; PORTAL_PICTURES=1 writes it, and the picture of the documentation has to be there. */
async function picture(page: Page, name: string): Promise<void> {
  await page.setViewportSize({ width: 1200, height: 900 })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await eventually(
    'the content',
    30_000,
    async () => (await page.locator('.loading').count()) === 0 || undefined,
  )
  // The name of the organization differs from run to run.
  await page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll('${organization.id}', 'acme')
    document.activeElement?.blur()
    scrollTo(0, 0)
  })()`)
  const taken = await page.screenshot({ type: 'png', animations: 'disabled', caret: 'hide' })
  const file = join(docs, 'pictures', `${name}.png`)
  if (process.env['PORTAL_PICTURES']) {
    mkdirSync(join(docs, 'pictures'), { recursive: true })
    writeFileSync(file, taken)
  }
  expect(readFileSync(join(docs, 'portal.md'), 'utf8')).toContain(`](pictures/${name}.png)`)
  for (const content of [taken, readFileSync(file)]) {
    expect(content.subarray(1, 4).toString()).toBe('PNG')
    // An empty page is smaller.
    expect(content.length).toBeGreaterThan(15_000)
    expect(content.length).toBeLessThan(150_000)
  }
}

test('the pictures of the documentation show the portal as it is', async () => {
  const { page, faults } = await visit(browser, `${environment}/graph`, cluster.adminToken)
  await page.getByRole('button', { name: /^web \/ files s3/ }).click()
  await page.getByRole('complementary').getByText('Provisioned by shop-bucket').waitFor()
  await picture(page, 'portal-graph')
  await page.goto(`${environment}/deploy`)
  await page.getByRole('combobox', { name: 'Workload' }).fill('web')
  await page.getByRole('button', { name: 'Add a dependency' }).click()
  await page.getByLabel('Name').fill('pictures')
  await page.getByLabel('Type').selectOption('s3')
  await page.getByRole('button', { name: 'Show the plan' }).click()
  await page.getByText('s3.default#modules.web.externals.pictures').waitFor()
  await picture(page, 'portal-plan')
  expect(faults).toEqual([])
})
