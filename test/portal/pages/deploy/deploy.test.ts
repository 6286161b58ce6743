import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { ensurePortal } from '../../../../dev/portal.ts'
import { tokenOf } from '../../../api-gateway/support/gateway.ts'
import { addEnvironment, finish } from '../../../api-gateway/support/objects.ts'
import { setUpGateway } from '../../../api-gateway/support/set-up.ts'
import { openBrowser, openPage } from '../../../support/browser.ts'

const portalDirectory = pathToFileURL(`${await ensurePortal()}/`)
const gateway = await setUpGateway(() => addEnvironment(gateway), { portalDirectory })
let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

test('a plan is shown until another deployment changes the set that it was composed from', async () => {
  const address = `${gateway.url}/o/acme/apps/shop/envs/development/deploy`
  const { page, faults } = await openPage(browser, address)
  await page.getByLabel('API token').fill(tokenOf('admin'))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('combobox', { name: 'Workload' }).fill('web')
  await page.getByLabel(/image/i).fill('registry.example.com/web:2')
  const show = page.getByRole('button', { name: 'Show the plan' })
  await show.click()
  const plan = page.getByRole('heading', { name: 'Plan', exact: true })
  await plan.waitFor()

  const web = {
    profile: 'quartermaster/default-module',
    spec: { containers: { main: { id: 'main', image: 'web:1' } } },
  }
  const deploys = 'POST /orgs/acme/apps/shop/envs/development/deploys'
  expect((await gateway.send(deploys, { body: { delta: { modules: { add: { web } } } } })).status).toBe(201)
  finish(gateway, 'shop.development.1')
  await plan.waitFor({ state: 'detached', timeout: 20_000 })

  const [request] = await Promise.all([page.waitForRequest(/dry_run/), show.click()])
  const update = [{ op: 'replace', path: '/spec/containers/main/image', value: 'registry.example.com/web:2' }]
  expect(request.postDataJSON()).toEqual({ delta: { modules: { update: { web: update } } } })
  await plan.waitFor()
  // The first read without a session says so.
  expect(faults.filter((each) => !each.includes('401'))).toEqual([])
})
