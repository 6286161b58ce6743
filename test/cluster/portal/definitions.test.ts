import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import type { Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { makeManagedOrganization, tokenOf } from './managed-organization.ts'
import { visit } from './visitor.ts'

const cluster = sharedCluster()
let browser: Browser
let organization: Organization

beforeAll(async () => {
  browser = await openBrowser()
  organization = await makeManagedOrganization(cluster, 'portal-defs')
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
})
afterAll(() => browser.close())

const definitions = () => `${cluster.gatewayUrl}/o/${organization.id}/definitions`

test('a static definition is created from a form with one field for each output, after a preview', async () => {
  const { page, faults } = await visit(browser, definitions(), cluster.adminToken)
  await page.getByRole('link', { name: 'New definition' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  const id = page.getByLabel(/^ID/)
  await id.and(page.locator(':focus')).waitFor()
  await id.fill('shop-bucket')
  await page.getByLabel(/^Type/).selectOption({ label: 'S3 Bucket (s3)' })
  await page.getByLabel(/^Driver/).selectOption({ label: 'quartermaster/echo' })
  await page.getByLabel(/^bucket/i).fill('of-the-shop')
  await page.getByLabel(/^region/i).fill('eu')
  await page.getByLabel('Application').fill('shop')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('row').filter({ hasText: 'any-bucket → shop-bucket' }).waitFor()
  await page.getByRole('button', { name: 'Create the definition' }).click()
  await page.getByRole('heading', { name: 'shop-bucket', level: 1 }).waitFor()
  const { body } = await organization.rest('GET', '/resources/defs/shop-bucket')
  expect(body).toMatchObject({
    name: 'shop-bucket',
    type: 's3',
    driver_inputs: { values: { bucket: 'of-the-shop', region: 'eu' } },
    criteria: [{ app_id: 'shop' }],
  })
  expect(faults).toEqual([])
})

test('a definition of a driver is created from a form with the inputs and accounts of the driver', async () => {
  await organization.rest('POST', '/resources/accounts', {
    id: 'here',
    name: 'Here',
    type: 'local',
    credentials: {},
  })
  const { page, faults } = await visit(browser, `${definitions()}?new`, cluster.adminToken)
  await page.getByLabel(/^ID/).fill('entry')
  await page.getByLabel(/^Type/).selectOption({ label: 'Ingress (ingress)' })
  await page.getByLabel(/^Driver/).selectOption({ label: 'quartermaster/ingress' })
  await page.getByLabel(/^Account/).selectOption({ label: 'Here (here)' })
  const inputs = page.getByRole('region', { name: 'Driver inputs' })
  await inputs.getByLabel(/^api_version/).selectOption({ label: 'v1' })
  await inputs.getByLabel(/^class/).fill('nginx')
  await inputs.getByLabel('New key of annotations').fill('a/b')
  await inputs.getByRole('button', { name: 'Add to annotations' }).click()
  await inputs.getByLabel('a/b', { exact: true }).fill('c')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('No resource would change.').waitFor()
  await page.getByRole('button', { name: 'Create the definition' }).click()
  await page.getByRole('heading', { name: 'entry', level: 1 }).waitFor()
  const { body } = await organization.rest('GET', '/resources/defs/entry')
  expect(body).toMatchObject({
    driver_account: 'here',
    driver_inputs: { values: { api_version: 'v1', class: 'nginx', annotations: { 'a/b': 'c' } } },
  })
  expect(faults).toEqual([])
})

test('a taken ID is refused with what to do, and nothing typed is lost', async () => {
  const { page } = await visit(browser, `${definitions()}?new`, cluster.adminToken)
  await page.getByLabel(/^ID/).fill('any-bucket')
  await page.getByLabel(/^Type/).selectOption({ label: 'Redis (redis)' })
  await page.getByLabel(/^Driver/).selectOption({ label: 'quartermaster/echo' })
  await page.getByLabel(/^host/i).fill('cache')
  await page.getByLabel(/^port/i).fill('6379')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('alert').filter({ hasText: 'already exists' }).waitFor()
  await page.getByText('Choose another, or change the existing one.').waitFor()
  expect(await page.getByLabel(/^host/i).inputValue()).toBe('cache')
})

test('criteria are changed after a preview of the resources that change their definition', async () => {
  await organization.rest('POST', '/resources/defs', {
    id: 'other-bucket',
    name: 'Other',
    type: 's3',
    driver_type: 'quartermaster/echo',
    driver_inputs: { values: { bucket: 'other', region: 'eu' } },
    criteria: [{ app_id: 'none' }],
  })
  const { page, faults } = await visit(browser, `${definitions()}/other-bucket`, cluster.adminToken)
  await page.getByRole('link', { name: 'Change the criteria' }).click()
  await page.getByLabel('Application').fill('')
  await page.getByLabel('Environment type').fill('development')
  await page.getByLabel('Application').fill('shop')
  await page.getByRole('button', { name: 'Add to Criteria' }).click()
  await page.getByLabel('Class').nth(1).fill('large')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('row').filter({ hasText: '→ other-bucket' }).waitFor()
  expect((await organization.rest('GET', '/resources/defs/other-bucket')).body.criteria).toMatchObject([
    { app_id: 'none' },
  ])
  await page.getByRole('button', { name: 'Save the criteria' }).click()
  await page.getByText('for env_type=development app_id=shop; class=large').waitFor()
  expect(faults).toEqual([])
})

test('a saved form keeps what another user changed meanwhile, and shows that it is saved', async () => {
  const body = { id: 'shared', name: 'Shared', type: 's3', driver_type: 'quartermaster/echo' }
  await organization.rest('POST', '/resources/defs', { ...body, driver_inputs: { values: { bucket: 'a' } } })
  const { page, faults } = await visit(browser, `${definitions()}/shared`, cluster.adminToken)
  await page.getByLabel(/^bucket/i).fill('mine')
  await organization.rest('PATCH', '/resources/defs/shared', { name: 'Renamed' })
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  expect(await page.getByLabel(/^Name/).inputValue()).toBe('Renamed')
  const { body: stored } = await organization.rest('GET', '/resources/defs/shared')
  expect(stored).toMatchObject({ name: 'Renamed', driver_inputs: { values: { bucket: 'mine' } } })
  expect(faults).toEqual([])
})

test('an answer that arrives while a user types takes nothing away, also when another user changed the definition', async () => {
  const body = { id: 'slow', name: 'Slow', type: 's3', driver_type: 'quartermaster/echo' }
  await organization.rest('POST', '/resources/defs', { ...body, driver_inputs: { values: { bucket: 'a' } } })
  const { page, faults } = await visit(browser, `${definitions()}/slow`, cluster.adminToken)
  await page.getByLabel(/^bucket/i).waitFor()
  await page.getByRole('link', { name: 'Definitions' }).last().click()
  await page.getByRole('heading', { name: 'Definitions', level: 1 }).waitFor()
  await organization.rest('PATCH', '/resources/defs/slow', { name: 'Renamed' })
  const typed = Promise.withResolvers<void>()
  await page.route('**/resources/defs/slow?deleted=true', async (route) => {
    await typed.promise
    await route.continue()
  })
  await page.goBack()
  await page.getByLabel(/^bucket/i).fill('typed')
  typed.resolve()
  await page.getByRole('heading', { name: 'Renamed', level: 1 }).waitFor()
  expect(await page.getByLabel(/^bucket/i).inputValue()).toBe('typed')
  expect(faults).toEqual([])
})

test('a used definition is deleted after a preview and a confirmation, and shown as deleted', async () => {
  const { page, faults } = await visit(browser, `${definitions()}/any-bucket`, cluster.adminToken)
  await page.getByRole('link', { name: 'Delete' }).click()
  await page.getByText('Active resources use this definition: 1.').waitFor()
  await page.getByRole('heading', { name: 'What would change' }).waitFor()
  const button = page.getByRole('button', { name: 'Delete the definition' })
  expect(await button.isDisabled()).toBe(true)
  await page.getByLabel('Delete it although active resources use it').check()
  await button.click()
  const row = page.getByRole('row').filter({ hasText: 'any-bucket' })
  await row.getByText('deleted, still in use').waitFor()
  await row.getByRole('link').click()
  await page.getByText('The definition is deleted.').waitFor()
  expect(await page.getByRole('link', { name: 'Delete' }).count()).toBe(0)
  expect(faults).toEqual([])
})

describe('text without a meaning in the field for other values', () => {
  test('is an error at the field, and the definition is not saved', async () => {
    await organization.rest('POST', '/resources/defs', {
      id: 'any-thing',
      name: 'Any',
      type: 'redis',
      driver_type: 'quartermaster/echo',
      driver_inputs: { values: { host: 'cache', port: 6379 } },
    })
    const { page } = await visit(browser, `${definitions()}/any-thing`, cluster.adminToken)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('No resource would change.').waitFor()
    await page.getByText('Other values', { exact: true }).click()
    const field = page.getByLabel('Other values as a JSON object')
    await field.fill('{ "more": ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('must be a JSON object').waitFor()
    await page.getByRole('button', { name: 'Preview' }).click()
    await field.and(page.locator(':focus')).waitFor()
    expect((await organization.rest('GET', '/resources/defs/any-thing')).body.driver_inputs.values).toEqual({
      host: 'cache',
      port: 6379,
    })
    await field.fill('{ "more": 1 }')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await organization.untilRest('/resources/defs/any-thing', (body) => body.driver_inputs.values.more === 1)
  })
})

test('a member sees definitions, but is offered no change', async () => {
  const token = await tokenOf(cluster, organization, { role: 'member' })
  const { page, faults } = await visit(browser, `${definitions()}?new`, token)
  await page.getByRole('heading', { name: 'Definitions', level: 1 }).waitFor()
  expect(await page.getByRole('link', { name: 'New definition' }).count()).toBe(0)
  await page.goto(`${definitions()}/other-bucket?edit=delete`)
  await page.getByLabel(/^bucket/i).waitFor()
  expect(await page.getByLabel(/^bucket/i).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: /Delete|Save|Preview/ }).count()).toBe(0)
  expect(faults).toEqual([])
})
