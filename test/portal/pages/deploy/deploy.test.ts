import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { addEnvironment, finish } from '../../../api-gateway/support/objects.ts'
import { setUpPortal } from '../../support/set-up-portal.ts'

const { gateway, open } = await setUpPortal(addEnvironment)

/** Opens the form for a deployment of a workload. */
async function openForm(workload: string) {
  const { page, faults } = await open('/apps/shop/envs/development/deploy')
  await page.getByRole('combobox', { name: 'Workload' }).fill(workload)
  await page.getByLabel(/image/i).fill(`registry.example.com/${workload}:2`)
  return { page, show: page.getByRole('button', { name: 'Show the plan' }), faults }
}

/** Deploys the workload `web`, as another user does. */
async function deployWeb(): Promise<void> {
  const web = {
    profile: 'quartermaster/default-module',
    spec: { containers: { main: { id: 'main', image: 'web:1' } } },
  }
  const deploys = 'POST /orgs/acme/apps/shop/envs/development/deploys'
  expect((await gateway.send(deploys, { body: { delta: { modules: { add: { web } } } } })).status).toBe(201)
  finish(gateway, 'shop.development.1')
}

/** Adds a dependency of a type, without its name. */
async function addDependency(page: Page, type: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a dependency' }).click()
  await page.getByRole('combobox', { name: 'Type' }).last().selectOption(type)
}

test('a plan is shown until another deployment changes the set that it was composed from', async () => {
  const { page, show, faults } = await openForm('web')
  await show.click()
  const plan = page.getByRole('heading', { name: 'Plan', exact: true })
  await plan.waitFor()

  await deployWeb()
  await plan.waitFor({ state: 'detached' })
  await page.getByText('Another deployment has changed this environment').waitFor()

  const [request] = await Promise.all([page.waitForRequest(/dry_run/), show.click()])
  const update = [{ op: 'replace', path: '/spec/containers/main/image', value: 'registry.example.com/web:2' }]
  expect(request.postDataJSON()).toEqual({ delta: { modules: { update: { web: update } } } })
  await plan.waitFor()
  expect(faults()).toEqual([])
})

test('what is deployed is what its plan shows, also if another deployment came a moment ago', async () => {
  const { page, show } = await openForm('web')
  const [plan] = await Promise.all([page.waitForResponse(/dry_run/), show.click()])
  const deployed = page.waitForRequest((each) => each.url().endsWith('/deploys') && each.method() === 'POST')
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  expect((await deployed).postDataJSON().base_set_id).toBe((await plan.json()).base_set_id)
})

test('a text that is marked as wrong is never left out of a plan', async () => {
  const { page, show, faults } = await openForm('api')
  await addDependency(page, 'postgres')
  await addDependency(page, 'horizontal-pod-autoscaler')
  for (const [at, name] of ['db', 'scale'].entries())
    await page.getByRole('textbox', { name: 'Name' }).nth(at).fill(name)
  await page.getByLabel('minReplicas').fill('1')
  await page.getByLabel('minReplicas').fill('1O')
  await page.getByLabel('extensions').fill('{"uuid-ossp": {}')
  await page.getByText('Correct the fields that are marked.').waitFor()
  expect(await show.isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Remove', exact: true }).first().click()
  await page.getByText('must be a whole number').waitFor()
  expect(await show.isDisabled()).toBe(true)
  await page.getByLabel('minReplicas').fill('10')
  const [request] = await Promise.all([page.waitForRequest(/dry_run/), show.click()])
  expect(request.postDataJSON()).toMatchObject({
    delta: {
      modules: {
        add: {
          api: { externals: { scale: { type: 'horizontal-pod-autoscaler', params: { minReplicas: 10 } } } },
        },
      },
    },
  })
  expect(faults()).toEqual([])
})

test('the form keeps its focus and texts while the set of another deployment is read', async () => {
  const { page, faults } = await openForm('api')
  await addDependency(page, 'postgres')
  const field = page.getByLabel('extensions')
  await field.fill('{"uuid')
  const read = Promise.withResolvers<void>()
  const asked = page.waitForRequest(/\/sets\//)
  await page.route('**/sets/*', async (route) => {
    await read.promise
    await route.continue()
  })
  await deployWeb()
  await asked
  await page.keyboard.type('-ossp": {}}')
  read.resolve()
  await page.locator('datalist option[value=web]').waitFor({ state: 'attached' })
  expect(await field.inputValue()).toBe('{"uuid-ossp": {}}')
  expect(faults()).toEqual([])
})

test('a plan begins with what loses data, says so, and shows thousands of steps a part at a time', async () => {
  const { page, show } = await openForm('web')
  const steps = Array.from({ length: 3000 }, (_, index) => ({
    action: index === 2999 ? 'replace' : 'create',
    descriptor: `s3.default#shared.files-${index}`,
    gu_res_id: String(index),
    changed_inputs: [],
  }))
  const summary = { create: 2999, update: 0, replace: 1, retain: 0, unchanged: 0 }
  await page.route('**/deploys?dry_run=true', (route) =>
    route.fulfill({ json: { steps, summary, problems: [] } }),
  )
  await show.click()
  await page.getByText('its data is lost').waitFor()
  const shown = page.getByRole('region', { name: 'Plan' }).getByRole('listitem')
  expect(await shown.first().textContent()).toContain('shared.files-2999')
  expect(await shown.count()).toBe(100)
  await page.getByRole('button', { name: 'Show more of 3000' }).click()
  expect(await shown.count()).toBe(200)
})
