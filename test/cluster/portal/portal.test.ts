import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import { hostileTexts } from '../../support/portal-texts.ts'
import { eventually, makeTestOrganization, moduleWith, type Organization } from '../support/client.ts'
import { startSecondGateway } from '../support/second-gateway.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { expectSoundPage, visit } from './visitor.ts'

const cluster = sharedCluster()
const canary = 'canary-7f3d9a51c2'
let browser: Browser
let organization: Organization
let environment = ''
let robot = ''

beforeAll(async () => {
  browser = await openBrowser()
  organization = await makeTestOrganization(cluster, 'portal')
  await organization.application('shop')
  await organization.environment('shop', 'staging')
  const echo = { driverType: 'quartermaster/echo' }
  await organization.define('any-bucket', {
    ...echo,
    type: 's3',
    driverInputs: { values: { bucket: 'plain', region: 'eu' } },
    criteria: [{}],
  })
  await organization.define('shop-bucket', {
    ...echo,
    type: 's3',
    driverInputs: { values: { bucket: hostileTexts.join(' '), region: 'eu' }, secretRefs: {} },
    criteria: [{ appId: 'shop' }],
  })
  await organization.define('workload', { ...echo, type: 'workload', criteria: [{}] })
  await organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'password' },
    stringData: { value: canary },
  })
  await organization.define('cache', {
    ...echo,
    type: 'redis',
    driverInputs: {
      values: { host: 'cache', port: 6379 },
      secretRefs: { password: { secret: 'password', key: 'value' } },
    },
    criteria: [{}],
  })
  const externals = { files: { type: 's3' }, cache: { type: 'redis' } }
  const spec = { containers: { main: { id: 'main', image: 'registry.example.com/web:1' } } }
  await organization.deploy('shop.staging', { modules: { web: moduleWith(externals, spec) } })
  await organization.untilRest('/apps/shop/envs/staging/resources', (list) => list.length >= 3)
  const service = { name: 'Robot', role: 'member' }
  robot = (await organization.rest('POST', '/users', service)).body.id
  environment = `${cluster.gatewayUrl}/o/${organization.id}/apps/shop/envs/staging`
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
})
afterAll(() => browser.close())

const pages = [
  ['applications', '/o/ORG', 'Applications of ORG'],
  ['an application', '/o/ORG/apps/shop', 'Application shop'],
  ['an environment', '/o/ORG/apps/shop/envs/staging', 'Overview – shop staging'],
  ['the graph', '/o/ORG/apps/shop/envs/staging/graph', 'Graph – shop staging'],
  ['resources', '/o/ORG/apps/shop/envs/staging/resources', 'Resources – shop staging'],
  ['deployments', '/o/ORG/apps/shop/envs/staging/deployments', 'Deployments – shop staging'],
  ['a deployment', '/o/ORG/apps/shop/envs/staging/deployments/shop.staging.1', 'Deployment 1 – shop staging'],
  ['deploying', '/o/ORG/apps/shop/envs/staging/deploy', 'Deploy – shop staging'],
  ['definitions', '/o/ORG/definitions', 'Definitions of ORG'],
  ['a definition', '/o/ORG/definitions/cache', 'Definition cache'],
  ['types', '/o/ORG/types', 'Types of ORG'],
  ['users', '/o/ORG/users', 'Users of ORG'],
  ['tokens', '/o/ORG/users/ROBOT', 'Tokens of ROBOT'],
  ['accounts', '/o/ORG/accounts', 'Accounts of ORG'],
  ['drivers', '/o/ORG/drivers', 'Drivers of ORG'],
  ['the audit log', '/o/ORG/audit', 'Audit of ORG'],
] as const

test('every page has a title and an address, is accessible, fits 360 and 1440 pixels, and shows no secret', async () => {
  const { page, faults, foreign } = await visit(browser, environment, cluster.adminToken)
  for (const [name, path, title] of pages) {
    const named = (text: string) => text.replace('ORG', organization.id).replace('ROBOT', robot)
    await page.goto(cluster.gatewayUrl + named(path))
    const wanted = `${named(title)} – Quartermaster`
    await eventually(
      `the title '${wanted}'`,
      60_000,
      async () => (await page.title()) === wanted || undefined,
    )
    await eventually(
      'the content',
      30_000,
      async () => (await page.locator('.loading').count()) === 0 || undefined,
    )
    await expectSoundPage(page, name)
    expect(await page.content()).not.toContain(canary)
  }
  expect({ faults, foreign }).toEqual({ faults: [], foreign: [] })
})

test('why a definition won is found in five clicks, and markup of users is text', async () => {
  const { page, faults } = await visit(
    browser,
    `${cluster.gatewayUrl}/o/${organization.id}`,
    cluster.adminToken,
  )
  await page.getByRole('link', { name: /staging/ }).click()
  await page.getByRole('link', { name: 'Graph', exact: true }).click()
  await page.getByRole('button', { name: /^web \/ files s3/ }).click()
  const panel = page.getByRole('complementary')
  await panel.getByText('Provisioned by shop-bucket').waitFor()
  await panel.getByRole('listitem').filter({ hasText: 'any-bucket' }).waitFor()
  await panel
    .getByText(hostileTexts[0] ?? '', { exact: false })
    .first()
    .waitFor()
  expect(await page.evaluate('window.hacked')).toBeUndefined()
  await page.goBack()
  await panel.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('the graph is used by keyboard alone: arrows move, Enter shows a resource', async () => {
  const { page } = await visit(browser, `${environment}/graph`, cluster.adminToken)
  await page.getByRole('button', { name: /^web workload/ }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.getByRole('complementary').getByText('Why this definition').waitFor()
  expect(new URL(page.url()).searchParams.get('resource')).toMatch(/^[0-9a-f]{40}$/)
})

test('a new bucket is deployed in five clicks after its plan, and its deployment is followed as it happens', async () => {
  const { page, faults } = await visit(browser, environment, cluster.adminToken)
  await page.getByRole('link', { name: 'Deploy', exact: true }).click()
  await page.getByRole('combobox', { name: 'Workload' }).fill('web')
  await page.getByRole('button', { name: 'Add a dependency' }).click()
  await page.getByLabel('Name').fill('pictures')
  await page.getByLabel('Type').selectOption('s3')
  await page.getByRole('button', { name: 'Show the plan' }).click()
  await page.getByText('s3.default#modules.web.externals.pictures').waitFor()
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByRole('heading', { name: 'Deployment', level: 2 }).waitFor()
  await page.getByText('succeeded').first().waitFor()
  await page.getByText('workload web: externals › pictures').waitFor()
  expect(faults).toEqual([])
})

test('a definition is repaired in five clicks, after a preview of every resource that changes', async () => {
  const { page, faults } = await visit(
    browser,
    `${cluster.gatewayUrl}/o/${organization.id}`,
    cluster.adminToken,
  )
  await page.getByRole('link', { name: 'Definitions', exact: true }).click()
  await page.getByRole('link', { name: 'any-bucket' }).click()
  await page.getByLabel(/^bucket/i).fill('repaired')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await eventually('the new input', 30_000, async () => {
    const { body } = await organization.rest('GET', '/resources/defs/any-bucket')
    return body.driver_inputs.values.bucket === 'repaired' || undefined
  })
  expect(faults).toEqual([])
})

test('a token is shown once, and revoked in five clicks', async () => {
  const { page, faults } = await visit(
    browser,
    `${cluster.gatewayUrl}/o/${organization.id}`,
    cluster.adminToken,
  )
  await page.getByRole('link', { name: 'Users', exact: true }).click()
  await page.getByRole('link', { name: /^Tokens of/ }).click()
  await page.getByLabel('ID of a new token').fill('nightly')
  await page.getByRole('button', { name: 'Create a token' }).click()
  const token = await page.locator('output.token').textContent()
  const status = async () => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${cluster.gatewayUrl}/orgs/${organization.id}/apps`, { headers })).status
  }
  expect(await status()).toBe(200)
  await page.reload()
  await page.getByRole('button', { name: 'Revoke nightly' }).click()
  expect(await page.content()).not.toContain(token)
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await eventually('the end of the token', 30_000, async () => (await status()) === 403 || undefined)
  expect(faults).toEqual([])
})

describe('a session', () => {
  test('that ends under an open page asks for a new one over the page, and nothing typed is lost', async () => {
    const { page } = await visit(browser, `${environment}/deploy`, cluster.adminToken)
    await page.getByRole('combobox', { name: 'Workload' }).fill('web')
    await page.getByLabel('Comment').fill('typed before the end')
    await page.getByLabel(/image/i).fill('registry.example.com/web:2')
    await page.context().clearCookies()
    // A request of the page itself may open the dialog first, which the click then waits for.
    const shown = page.getByRole('button', { name: 'Show the plan' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('API token').fill(cluster.adminToken)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await shown
    await page.getByRole('heading', { name: 'Plan', exact: true }).waitFor()
    expect(await page.getByLabel('Comment').inputValue()).toBe('typed before the end')
  })

  test('is not started by an unknown token', async () => {
    const page = await browser.newPage()
    await page.goto(environment)
    await page.getByLabel('API token').fill('qm_nobody_secret')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'The token does not grant access.' }).waitFor()
  })

  test('ends with sign-out', async () => {
    const { page } = await visit(browser, environment, cluster.adminToken)
    await page.locator('.menu summary').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.context().cookies()).toEqual([])
  })
})

describe('a failing API', () => {
  test('is shown with what to do, and the page recovers by its button', async () => {
    const { page } = await visit(browser, `${cluster.gatewayUrl}/o/${organization.id}`, cluster.adminToken)
    await page.route('**/orgs/**/resources*', (route) =>
      route.fulfill({
        status: 500,
        contentType: 'application/json',
        body: '{"error":"Internal","message":"broken"}',
      }),
    )
    // After an interruption of its events, the page reads everything again by itself.
    await page.route('**/envs/**/changes', (route) => route.abort())
    await page.goto(`${environment}/resources`)
    await page.getByRole('alert').filter({ hasText: 'broken' }).waitFor()
    await page.unroute('**/orgs/**/resources*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('row').nth(1).waitFor()
  })

  test('that is slow shows what is being read', async () => {
    const { page } = await visit(browser, `${cluster.gatewayUrl}/o/${organization.id}`, cluster.adminToken)
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/orgs/**/deploys*', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${environment}/deployments`)
    await page.getByText('Reading deployments …').waitFor()
    answer()
    await page.getByRole('link', { name: 'Deployment 1', exact: true }).waitFor()
  })

  test('of a gateway that restarts under an open page: the page shows later changes without a reload', async () => {
    const first = await startSecondGateway(cluster, 'portal-first', {})
    const { page } = await visit(
      browser,
      `${first.url}/o/${organization.id}/apps/shop/envs/staging/deployments`,
      cluster.adminToken,
    )
    await page.getByText('Live').waitFor()
    await first.stop()
    await page.getByText('Connecting …').waitFor()
    const second = await startSecondGateway(cluster, 'portal-second', {}, Number(new URL(first.url).port))
    await page.getByText('Live').waitFor()
    const { body } = await organization.rest('POST', '/apps/shop/envs/staging/deploys', {
      comment: 'made meanwhile',
    })
    await page.getByText('made meanwhile').waitFor()
    await organization.ended(body.id)
    await second.stop()
  })
})
