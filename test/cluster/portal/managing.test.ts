import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import { eventually, type Organization } from '../support/client.ts'
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { makeManagedOrganization, tokenOf } from './managed-organization.ts'
import { tabTo, visit } from './visitor.ts'

const cluster = sharedCluster()
const canary = 'canary-51f0a7be93'
let browser: Browser
let organization: Organization
let receiver: Receiver

beforeAll(async () => {
  browser = await openBrowser()
  organization = await makeManagedOrganization(cluster, 'portal-manage')
  receiver = await startReceiver(cluster.directory)
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
})
afterAll(async () => {
  await browser.close()
  await receiver.close()
})

const at = (path: string) => `${cluster.gatewayUrl}/o/${organization.id}${path}`

describe('users', () => {
  test('a service user is created, gets roles, and is deleted', async () => {
    const { page, faults } = await visit(browser, at('/users'), cluster.adminToken)
    await page.getByRole('link', { name: 'New service user' }).click()
    await page.getByLabel(/^Name/).fill('Night build')
    await page.getByRole('button', { name: 'Create the service user' }).click()
    await page.getByText('is required').waitFor()
    await page.getByLabel(/^Role in the organization/).selectOption({ index: 1 })
    await page.getByRole('button', { name: 'Create the service user' }).click()
    await page.getByRole('heading', { name: 'Roles of Night build' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-2) ?? ''
    const roleOn = (name: string) => page.getByLabel(`Role on ${name}`, { exact: true })
    for (const [name, role] of [
      ['application shop', 'developer'],
      ['environment type development', 'deployer'],
      ['application shop', 'owner'],
      ['environment type development', 'no role'],
    ] as const) {
      await roleOn(name).selectOption({ label: role })
      const button = page.getByRole('button', { name: `Save the role on ${name}` })
      await button.click()
      await button.waitFor({ state: 'detached' })
    }
    const { body } = await organization.rest('GET', `/users/${id}/perms`)
    expect(body.objects).toEqual({
      [`/orgs/${organization.id}`]: { permissions: ['member'] },
      [`/orgs/${organization.id}/apps/shop`]: { permissions: ['owner'] },
    })
    await page.getByRole('button', { name: 'Delete the service user' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
    expect((await organization.rest('GET', `/users/${id}`)).status).toBe(404)
    expect(faults).toEqual([])
  })

  test('who is no administrator is offered none of it, and the gateway refuses it', async () => {
    const token = await tokenOf(cluster, organization, { role: 'manager' })
    const { page } = await visit(browser, at('/users?new'), token)
    await page.getByRole('alert').filter({ hasText: 'Ask an administrator' }).waitFor()
    expect(await page.getByRole('link', { name: /Users|New/ }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /Create/ }).count()).toBe(0)
  })
})

describe('webhooks', () => {
  test('one is created with its signing secret, and its calls are shown and sent again', async () => {
    const { page, faults } = await visit(browser, at('/apps/shop'), cluster.adminToken)
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('link', { name: 'New webhook' }).click()
    const id = `${organization.id}-hook`
    await page.getByLabel(/^ID/).fill(id)
    await page.getByLabel(/^URL/).fill('http://example.com')
    await page.getByRole('button', { name: 'Add to Triggers' }).click()
    await page.getByRole('button', { name: 'Create the webhook' }).click()
    await page.getByText('the protocol must be HTTPS').waitFor()
    await page.getByLabel(/^URL/).and(page.locator(':focus')).fill(receiver.url('/portal'))
    await page.getByRole('button', { name: 'Create the webhook' }).click()
    const secret = await page.locator('output.token').textContent()
    expect(secret).toMatch(/^whsec_/)
    await page.getByRole('link', { name: 'Open the webhook' }).click()
    await organization.environment('shop', 'called')
    await receiver.awaitCalls('/portal', 1)
    await page.getByRole('heading', { name: id, level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Read the calls again' }).click()
    await page.getByRole('row').filter({ hasText: 'delivered' }).waitFor()
    await page.getByRole('button', { name: 'Send environment.created again' }).click()
    await receiver.awaitCalls('/portal', 2)
    expect(await page.content()).not.toContain(secret)
    // The browser reports the refused URL.
    expect(faults.filter((each) => !each.includes('status of 400'))).toEqual([])
  })

  test('one is changed and deleted', async () => {
    const id = `${organization.id}-other`
    const url = receiver.url('/other')
    await organization.rest('POST', '/apps/shop/webhooks', { id, url, payload: { a: 1 } })
    const { page, faults } = await visit(browser, at(`/apps/shop/webhooks/${id}`), cluster.adminToken)
    await page.getByLabel('Payload').fill('{ "text": "${app_id}" }')
    await page.getByLabel('State').selectOption({ label: 'disabled' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.').waitFor()
    const { body } = await organization.rest('GET', `/apps/shop/webhooks/${id}`)
    expect(body).toMatchObject({ url, payload: { text: '${app_id}' }, disabled: true, headers: {} })
    await page.getByRole('button', { name: 'Delete the webhook' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { name: 'Webhooks of shop' }).waitFor()
    expect((await organization.rest('GET', `/apps/shop/webhooks/${id}`)).status).toBe(404)
    expect(faults).toEqual([])
  })
})

describe('shared values', () => {
  test('a value is created, overridden in an environment, changed and deleted by keyboard alone', async () => {
    const { page, faults } = await visit(browser, at('/apps/shop/values'), cluster.adminToken)
    await page.reload()
    await page.getByRole('link', { name: 'New value' }).waitFor()
    await tabTo(page, 'Skip to content')
    await tabTo(page, 'New value')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New shared value' }).waitFor()
    await page.locator('main:focus').waitFor()
    await tabTo(page, /^Key/)
    await page.keyboard.type('LEVEL')
    await tabTo(page, /^Value/)
    await page.keyboard.type('info')
    await page.keyboard.press('Enter')
    await page.getByRole('row').filter({ hasText: 'LEVEL' }).filter({ hasText: 'info' }).waitFor()
    await page.goto(at('/apps/shop/envs/staging/values'))
    await page.getByRole('link', { name: 'Override LEVEL' }).waitFor()
    await page.goto(at('/apps/shop/envs/staging/values?edit=LEVEL'))
    await page.getByText('This value does not exist.').waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Override LEVEL' }).waitFor()
    await tabTo(page, 'Override LEVEL')
    await page.keyboard.press('Enter')
    await tabTo(page, /^Value/)
    await page.keyboard.type('debug')
    await page.keyboard.press('Enter')
    await page.getByRole('row').filter({ hasText: 'debug' }).filter({ hasText: 'environment' }).waitFor()
    await tabTo(page, 'Delete LEVEL')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await tabTo(page, 'Delete')
    await page.keyboard.press('Enter')
    await page.getByRole('row').filter({ hasText: 'info' }).filter({ hasText: 'application' }).waitFor()
    expect(faults).toEqual([])
  })

  test('a secret is entered masked, never shown, and kept when only its description changes', async () => {
    const { page, faults } = await visit(browser, at('/apps/shop/values?new'), cluster.adminToken)
    await page.getByLabel(/^Key/).fill('PASSWORD')
    await page
      .getByLabel(/^Secret/)
      .first()
      .selectOption({ index: 2 })
    const field = page.getByLabel(/Value/)
    expect(await field.getAttribute('type')).toBe('password')
    await field.fill(canary)
    await page.getByRole('button', { name: 'Create the value' }).click()
    await page.getByRole('row').filter({ hasText: 'secret, not shown' }).waitFor()
    await page.getByRole('link', { name: 'Change PASSWORD' }).click()
    expect(await page.getByLabel(/Value/).inputValue()).toBe('')
    await page.getByLabel('Description').fill('of the database')
    await page.getByRole('button', { name: 'Save the value' }).click()
    await page.getByRole('row').filter({ hasText: 'of the database' }).waitFor()
    expect(await page.content()).not.toContain(canary)
    const { body } = await organization.rest('GET', '/apps/shop/values')
    expect(body).toContainEqual(
      expect.objectContaining({ key: 'PASSWORD', is_secret: true, secret_version: '1' }),
    )
    expect(faults).toEqual([])
  })

  test('a viewer sees them, but is offered no change', async () => {
    const applications = [{ applicationName: 'shop', role: 'viewer' as const }]
    const token = await tokenOf(cluster, organization, { role: 'member', applications })
    const { page } = await visit(browser, at('/apps/shop/values?new'), token)
    await page.getByRole('heading', { name: 'Shared values of shop' }).waitFor()
    expect(await page.getByRole('link', { name: /New value|Change/ }).count()).toBe(0)
    await page.goto(at('/apps/shop'))
    await page.getByRole('link', { name: 'Shared values', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0)
  })
})

test('a form that is sent after the end of the session is sent again after the sign-in', async () => {
  const { page } = await visit(browser, at('/apps/shop/values?new'), cluster.adminToken)
  await page.getByLabel(/^Key/).fill('EXPIRED')
  await page.getByLabel(/^Value/).fill('typed before')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Create the value' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('API token').fill(cluster.adminToken)
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('row').filter({ hasText: 'typed before' }).waitFor()
})

test('an error of the gateway keeps what was typed, and the second attempt succeeds', async () => {
  const { page } = await visit(browser, at('/apps/shop/values?new'), cluster.adminToken)
  await page.getByLabel(/^Key/).fill('AGAIN')
  await page.getByLabel(/^Value/).fill('typed')
  await page.route('**/apps/shop/values', (route) => route.abort())
  await page.getByRole('button', { name: 'Create the value' }).click()
  await page.getByRole('alert').filter({ hasText: 'Check the connection' }).waitFor()
  await page.unroute('**/apps/shop/values')
  expect(await page.getByLabel(/^Value/).inputValue()).toBe('typed')
  await page.getByRole('button', { name: 'Create the value' }).click()
  await page.getByRole('row').filter({ hasText: 'AGAIN' }).waitFor()
  await eventually('the value', 30_000, async () => {
    const { body } = await organization.rest('GET', '/apps/shop/values')
    return body.some(({ key }: { key: string }) => key === 'AGAIN') || undefined
  })
})
