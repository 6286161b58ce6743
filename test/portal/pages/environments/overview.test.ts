import { expect, test } from '@jest/globals'
import { Environment } from '../../../../operator/api/environment.ts'
import { addEnvironment } from '../../../api-gateway/support/objects.ts'
import { setUpPortal } from '../../support/set-up-portal.ts'

const { gateway, open } = await setUpPortal((prepared) => {
  addEnvironment(prepared)
  prepared.addUser('ada')
  prepared.addMember('acme', 'ada', { role: 'member' })
})

test('of an environment that does not exist says so once, and nothing else', async () => {
  const { page } = await open('/apps/shop/envs/gone')
  const problem = page
    .getByRole('alert')
    .filter({ hasText: "environment 'gone' of application 'shop' not found" })
  await problem.first().waitFor()
  await page
    .getByText(/^Reading/)
    .first()
    .waitFor({ state: 'detached' })
  expect(await problem.count()).toBe(1)
  for (const untrue of ['No workloads.', 'No resources.', 'Connecting …'])
    expect(await page.getByText(untrue).count()).toBe(0)
})

test('does not call workloads absent that cannot be read', async () => {
  const { page } = await open('/apps/shop/envs/development')
  await page.getByText('No workloads.').waitFor()
  const body = JSON.stringify({ error: 'Internal', message: 'the cluster does not answer' })
  await page.route('**/development/runtime', (route) =>
    route.fulfill({ status: 500, contentType: 'application/json', body }),
  )
  await page.reload()
  await page.getByText('the cluster does not answer').waitFor()
  expect(await page.getByText('No workloads.').count()).toBe(0)
})

test('offers no deployment to an environment that is being deleted', async () => {
  const { page } = await open('/apps/shop/envs/development')
  const deploy = page.getByRole('link', { name: 'Deploy', exact: true })
  await deploy.waitFor()
  const { cluster } = gateway
  const { metadata, ...rest } = cluster.store.get(Environment, 'acme', 'shop.development') as Environment
  // The deletion waits for another client.
  const deletion = { finalizers: ['example.test/own'], deletionTimestamp: '2026-02-01T00:00:00Z' }
  cluster.put(Environment, { ...rest, metadata: { ...metadata, ...deletion } })
  await page.reload()
  await page.getByText('This environment is being deleted.').waitFor()
  expect(await deploy.count()).toBe(0)
})

test('asks seldom for changes that are refused', async () => {
  const { page } = await open('')
  await page.clock.install()
  const asked: string[] = []
  page.on('request', (request) => request.url().endsWith('/changes') && asked.push(request.url()))
  await page.goto(`${gateway.url}/o/acme/apps/shop/envs/gone`)
  await page.getByText("environment 'gone' of application 'shop' not found").first().waitFor()
  // The next pause begins only with the answer, which takes real time.
  for (let step = 0; step < 12; step += 1) {
    await page.clock.runFor(10_000)
    await page.waitForTimeout(300)
  }
  expect(asked.length).toBeLessThan(6)
})

test('follows the changes as soon as what was refused is allowed', async () => {
  const { page } = await open('/apps/shop/envs/development', 'ada')
  await page.getByText("this requires the role 'viewer' on application 'shop'").waitFor()
  const role = { body: { id: 'ada', role: 'viewer' } }
  expect((await gateway.send('POST /orgs/acme/apps/shop/users', role)).status).toBe(200)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Live', { exact: true }).waitFor({ timeout: 30_000 })
})

test('of the resources says when the words alone find none', async () => {
  const { page } = await open('/apps/shop/envs/development/resources')
  await page.getByText('No resources.').waitFor()
  await page.getByRole('searchbox').fill('redis')
  await page.getByText('No resource has these words.').waitFor()
})

test.each(['graph', 'resources'])('the %s says that a selected resource is absent', async (what) => {
  const { page } = await open(`/apps/shop/envs/development/${what}?resource=gone`)
  const notice = page.getByText('The environment does not have the selected resource')
  await notice.waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await notice.waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('')
})
