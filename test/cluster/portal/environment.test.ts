import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import { eventually } from '../support/client.ts'
import { makeMember, makeUser } from '../support/everything.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { running, startKubelet, waiting } from '../workloads/kubelet.ts'
import { makeStage, type Stage } from '../workloads/stage.ts'
import { accessibilityProblems, visit, widerThanWindow } from './visitor.ts'

const cluster = sharedCluster()
const app = '/apps/shop'
let browser: Browser
let stage: Stage
let kubelet: ReturnType<typeof startKubelet>
let viewer: Awaited<ReturnType<typeof makeUser>>
let developer: Awaited<ReturnType<typeof makeUser>>
let root = ''

/** A workload whose deployment succeeds when its pods are available. */
const web = (image: string) => ({
  profile: 'quartermaster/default-module',
  deploy: { success: 'available' },
  spec: { containers: { main: { id: 'main', image: `images.example.test/${image}` } }, replicas: 2 },
  externals: { db: { type: 'postgres' } },
})

beforeAll(async () => {
  ;[browser, stage, viewer, developer] = await Promise.all([
    openBrowser(),
    makeStage(),
    makeUser(cluster, 'viewer'),
    makeUser(cluster, 'developer'),
  ])
  const { organization } = stage
  await organization.environment('shop', 'run')
  const onShop = (role: 'viewer' | 'developer') => [{ applicationName: 'shop', role }]
  await makeMember(organization, viewer, { role: 'member', applications: onShop('viewer') })
  await makeMember(organization, developer, {
    role: 'member',
    applications: onShop('developer'),
    environmentTypes: [{ environmentTypeName: 'development', role: 'deployer' }],
  })
  kubelet = startKubelet(stage, 'run', ({ spec }) =>
    JSON.stringify(spec).includes('broken') ? waiting('CrashLoopBackOff') : running,
  )
  await organization.deploy('shop.run', { modules: { web: web('web:1') } })
  root = `${cluster.gatewayUrl}/o/${organization.id}${app}/envs/run`
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
})
afterAll(async () => {
  await Promise.all([browser?.close(), kubelet?.stop(), viewer?.remove(), developer?.remove()])
})

async function nothingLoads(page: Page): Promise<void> {
  await eventually(
    'the content',
    30_000,
    async () => (await page.locator('.loading').count()) === 0 || undefined,
  )
}

/** The statuses of requests that the page itself would send, with the session of its user. */
function sendFrom(
  page: Page,
  requests: readonly (readonly [method: string, path: string, body?: unknown])[],
) {
  const environment = `/orgs/${stage.organization.id}${app}/envs/run`
  return page.evaluate<number[]>(`Promise.all(${JSON.stringify(requests)}.map(async ([method, path, body]) =>
    (await fetch('${environment}' + path, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })).status))`)
}

describe('two users at once', () => {
  test('a viewer sees what a developer deploys, without a reload, until it has ended', async () => {
    const seen = await visit(browser, `${root}/deployments`, viewer.token)
    await seen.page.getByText('Live').waitFor()
    await seen.page.evaluate('window.isSamePage = true')
    const { page } = await visit(browser, `${root}/deploy`, developer.token)
    await page.getByRole('combobox', { name: 'Workload' }).fill('second')
    await page.getByLabel('Image').fill('images.example.test/second:1')
    await page.getByLabel('Comment').fill('from the other desk')
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('button', { name: 'Deploy', exact: true }).click()
    const entry = seen.page.getByRole('listitem').filter({ hasText: 'from the other desk' })
    await entry.getByText('succeeded').waitFor()
    await seen.page.getByRole('link', { name: 'Graph', exact: true }).click()
    await seen.page.getByRole('button', { name: /^second workload/ }).waitFor()
    expect(await seen.page.evaluate('window.isSamePage')).toBe(true)
    expect([...seen.faults, ...seen.foreign]).toEqual([])
    const { body } = await stage.organization.rest('GET', `${app}/deltas`)
    expect(body).toEqual([])
  })

  test('a viewer is offered nothing that the role forbids, and the server refuses it too', async () => {
    const { page } = await visit(browser, root, viewer.token)
    await page.getByRole('heading', { name: 'web', exact: false, level: 3 }).waitFor()
    const forbidden = /^(deploy|pause|scale|restart|redeploy|delete|detach|show the plan)/i
    const shownOn = {
      '': page.getByText('2 of 2 pods ready').first(),
      '/graph': page.getByRole('button', { name: /^web workload/ }),
      '/deployments/shop.run.1': page.getByRole('heading', { name: 'Deployment 1', level: 2 }),
      '/deploy': page.getByText('Your roles do not allow you to deploy here'),
    }
    for (const [path, shown] of Object.entries(shownOn)) {
      await page.goto(root + path)
      await shown.waitFor()
      if (path === '/graph') {
        await shown.press('Enter')
        await page.getByText(/^Conditions/).waitFor()
      }
      await nothingLoads(page)
      for (const role of ['button', 'link'] as const)
        expect(
          await page
            .getByRole(role, { name: forbidden })
            .filter({ hasNotText: /^Deployment/ })
            .count(),
        ).toBe(0)
    }
    const statuses = await sendFrom(page, [
      ['POST', '/deploys', {}],
      ['POST', '/deploys?dry_run=true', { delta: {} }],
      ['PUT', '/runtime/paused', true],
      ['PATCH', '/runtime/replicas', { web: 0 }],
      ['POST', '/runtime/actions/restart', {}],
      ['DELETE', '/resources/postgres/modules.web.externals.db'],
      ['GET', '/resources/postgres/modules.web.externals.db/events'],
    ])
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 200])
  })
})

describe('workloads', () => {
  test('show pods that are ready, and are paused, scaled and restarted', async () => {
    const { page, faults } = await visit(browser, root, developer.token)
    const workload = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^web/ }) })
    await workload.getByText('2 of 2 pods ready').waitFor()
    await workload.getByText('running', { exact: true }).waitFor()
    await page.setViewportSize({ width: 360, height: 900 })
    expect([...(await widerThanWindow(page)), ...(await accessibilityProblems(page))]).toEqual([])
    await workload.getByLabel('Pods of web').fill('3')
    await workload.getByRole('button', { name: 'Scale', exact: true }).press('Enter')
    await workload.getByText('3 of 3 pods ready').waitFor()
    await workload.getByRole('button', { name: 'Scale as deployed' }).click()
    await workload.getByText('2 of 2 pods ready').waitFor()
    const revision = async () =>
      (await stage.object('run', 'apis/apps/v1 deployments', 'web'))?.metadata.generation
    const before = await revision()
    await workload.getByRole('button', { name: 'Restart web' }).click()
    await eventually('the restart', 30_000, async () => (await revision()) !== before || undefined)
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('The environment is paused').waitFor()
    await workload.getByText('no pods wanted').waitFor()
    await page.getByRole('button', { name: 'Start all pods' }).click()
    await workload.getByText('2 of 2 pods ready').waitFor()
    expect(faults).toEqual([])
  })

  test('whose pods crash are not called ready, and say why', async () => {
    const { page } = await visit(browser, root, viewer.token)
    await stage.organization.ended(await stage.begin('run', { web: web('broken:1') }))
    const workload = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^web/ }) })
    await workload.getByText(/0 of 2 pods ready/).click()
    await workload.getByText('main: CrashLoopBackOff').first().waitFor()
    await page.getByText('Next step:').first().waitFor()
    await page
      .getByRole('link', { name: /^Deployment/ })
      .last()
      .waitFor()
  })
})

describe('the panel of a resource', () => {
  const open = async (token: string) => {
    const visitor = await visit(browser, `${root}/resources`, token)
    await visitor.page.getByRole('button', { name: 'modules.web', exact: true }).click()
    return { ...visitor, panel: visitor.page.getByRole('complementary') }
  }

  test('shows the events of a resource that fails', async () => {
    const { page, panel } = await open(viewer.token)
    await panel.getByText('Events', { exact: true }).press('Enter')
    await panel.locator('details[open] .state-bad').first().waitFor()
    await page.setViewportSize({ width: 360, height: 900 })
    expect([...(await widerThanWindow(page)), ...(await accessibilityProblems(page))]).toEqual([])
  })

  test('redeploys after a question', async () => {
    const { page, panel } = await open(developer.token)
    await panel.getByRole('button', { name: 'Redeploy' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Redeploy' }).click()
    await page.getByText('Redeploy for workload.default#modules.web').waitFor()
    expect(await panel.count()).toBe(0)
  })

  test('detaches after a warning, which can be declined', async () => {
    const { page } = await visit(browser, `${root}/resources`, cluster.adminToken)
    await stage.organization.ended(await stage.begin('run', { web: web('web:2') }))
    await page.getByRole('button', { name: 'modules.web.externals.db' }).click()
    const panel = page.getByRole('complementary')
    const dialog = page.getByRole('dialog')
    await panel.getByRole('button', { name: 'Detach' }).click()
    await dialog.getByText('The infrastructure remains and costs money').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await panel.getByRole('button', { name: 'Detach' }).click()
    await dialog.getByRole('button', { name: 'Detach' }).click()
    await panel.waitFor({ state: 'detached' })
  })
})

describe('the end of a session', () => {
  test('is announced with its time, and a new sign-in keeps what was typed', async () => {
    const { page } = await visit(browser, `${root}/deploy`, developer.token)
    const end = new Date(Date.now() + 9 * 60_000).toISOString()
    await page.route('**/auth/session', async (route) => {
      if (route.request().method() !== 'GET') return route.continue()
      return route.fulfill({ json: { expires_at: end } })
    })
    await page.reload()
    await page.getByLabel('Comment').fill('typed before the end')
    const notice = page.getByRole('status').filter({ hasText: /^Your session ends at \d/ })
    await notice.waitFor()
    await page.unroute('**/auth/session')
    await page.getByRole('button', { name: 'Sign in again' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Continue your session').waitFor()
    await dialog.getByLabel('API token').fill(developer.token)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await notice.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Comment').inputValue()).toBe('typed before the end')
  })
})
