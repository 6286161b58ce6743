import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import type { Organization } from '../support/client.ts'
import { cloudflareAt } from '../support/cloudflare.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { makeManagedOrganization } from './managed-organization.ts'
import { visit } from './visitor.ts'

const cluster = sharedCluster()
const provider = cloudflareAt(cluster.cloudflare)
const canary = 'canary-c0ffee7712'
let browser: Browser
let organization: Organization

beforeAll(async () => {
  browser = await openBrowser()
  organization = await makeManagedOrganization(cluster, 'portal-platform')
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
})
afterAll(() => browser.close())

const at = (path: string) => `${cluster.gatewayUrl}/o/${organization.id}${path}`

describe('types', () => {
  test('one is created while its form is shown, and errors of the schema are at the editor', async () => {
    const { page, faults } = await visit(browser, at('/types'), cluster.adminToken)
    await page.getByRole('link', { name: 'New type' }).click()
    await page.getByLabel(/^Type name/).fill('queue')
    const editor = page.getByLabel('JSON Schema of the outputs, with values and secrets')
    const preview = page.getByRole('region', { name: 'Form of a static definition' })
    await editor.fill('{ "properties": { "values": { "properties": { "topic": { "type": "strin" } } } } }')
    await page.getByText('/properties/values/properties/topic/type must be one of').waitFor()
    await editor.fill('{ "properties": ')
    await page.getByText('is not JSON').waitFor()
    await page.getByRole('button', { name: 'Create the type' }).click()
    await editor.and(page.locator(':focus')).waitFor()
    const topic = { type: 'string', title: 'Topic of the queue' }
    const values = { type: 'object', properties: { topic }, required: ['topic'] }
    await editor.fill(JSON.stringify({ type: 'object', properties: { values } }))
    await preview.getByLabel(/^Topic of the queue/).fill('orders')
    await page.getByRole('button', { name: 'Create the type' }).click()
    await page.getByRole('heading', { name: `Type ${organization.id}/queue`, level: 1 }).waitFor()
    const { body } = await organization.rest('GET', `/resources/types/${organization.id}%2Fqueue`)
    expect(body.outputs_schema.properties.values).toEqual(values)
    await page.getByLabel('Display name').fill('Message queue')
    await page.getByRole('button', { name: 'Save the type' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('button', { name: 'Delete the type' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { name: 'Types', level: 1 }).waitFor()
    expect(faults).toEqual([])
  })

  test('a built-in one is overridden, beginning with its schema; what the gateway refuses is at the editor', async () => {
    const { page } = await visit(browser, at('/types?type=redis'), cluster.adminToken)
    await page.getByRole('link', { name: 'Override this type' }).click()
    const editor = page.getByLabel('JSON Schema of the outputs, with values and secrets')
    await page
      .getByLabel(/^Type name/)
      .and(page.locator('[id="type-id"]'))
      .waitFor()
    expect(await editor.inputValue()).toContain('"host"')
    await editor.fill('{ "$schema": "https://example.com/none" }')
    await page.getByRole('button', { name: 'Create the type' }).click()
    await page.getByText("has an unknown '$schema'").waitFor()
    await editor.fill('{}')
    await page.getByRole('button', { name: 'Create the type' }).click()
    await page.getByRole('heading', { name: `Type ${organization.id}/redis`, level: 1 }).waitFor()
  })
})

test('an account is created with the credentials of its type, changed without showing them, and deleted', async () => {
  const { page, faults } = await visit(browser, at('/accounts'), cluster.adminToken)
  await page.getByRole('link', { name: 'New account' }).click()
  await page.getByLabel(/^ID/).fill('dns')
  await page.getByLabel(/^Type/).selectOption({ label: 'Cloudflare (cloudflare)' })
  const token = page.getByLabel(/token/)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await token.and(page.locator(':focus')).waitFor()
  expect(await token.getAttribute('type')).toBe('password')
  await token.fill(canary)
  await page.getByLabel('Check the credentials with the provider before saving').check()
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('alert').filter({ hasText: 'does not accept the token' }).waitFor()
  await token.fill((await provider.makeToken(await provider.makeZone())).value)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('button', { name: 'Check dns' }).click()
  await page.getByText('The credentials of dns work.').waitFor()
  await page.getByRole('link', { name: 'dns', exact: true }).click()
  await page.getByLabel(/^Name/).fill('DNS of the shop')
  expect(await page.getByLabel(/token/).inputValue()).toBe('')
  await page.getByRole('button', { name: 'Save the account' }).click()
  await page.getByRole('link', { name: 'DNS of the shop' }).click()
  expect(await page.content()).not.toContain(canary)
  await page.getByRole('button', { name: 'Delete the account' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('0 of 0 accounts').waitFor()
  // The browser reports the refused credentials.
  expect(faults.filter((each) => !each.includes('status of 400'))).toEqual([])
})

test('a driver is registered with the form of its definitions, used, and not deleted while it is used', async () => {
  const { page } = await visit(browser, at('/drivers'), cluster.adminToken)
  await page.getByRole('link', { name: 'New driver' }).click()
  await page.getByLabel(/^ID/).fill('buckets')
  await page.getByLabel(/^Resource type/).fill('s3')
  await page.getByLabel(/^Target/).fill('driver://quartermaster/echo')
  await page.getByLabel('Template').fill('values: { bucket: "{{ .driver.values.name }}", region: eu }')
  const inputs = { properties: { values: { type: 'object', properties: { name: { type: 'string' } } } } }
  await page.getByLabel('JSON Schema of the inputs, with values and secrets').fill(JSON.stringify(inputs))
  await page.getByRole('region', { name: 'Form of a definition' }).getByLabel('name').waitFor()
  await page.getByRole('button', { name: 'Register the driver' }).click()
  const name = `${organization.id}/buckets`
  await page.getByRole('link', { name }).waitFor()
  const { body } = await organization.rest('GET', '/resources/drivers/buckets')
  expect(body).toMatchObject({ type: 's3', inputs_schema: inputs, account_types: [] })
  await organization.rest('POST', '/resources/defs', {
    id: 'own-bucket',
    name: 'Own',
    type: 's3',
    driver_type: name,
    criteria: [{ app_id: 'none' }],
  })
  await page.getByRole('link', { name }).click()
  await page.getByRole('button', { name: 'Delete the driver' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText("is used by the resource definition 'own-bucket'").waitFor()
})
