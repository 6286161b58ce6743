import { expect, test } from '@jest/globals'
import { addEnvironment } from '../../../api-gateway/support/objects.ts'
import { setUpPortal } from '../../support/set-up-portal.ts'

const { gateway, open } = await setUpPortal((prepared) => {
  addEnvironment(prepared)
  prepared.addUser('ada')
  prepared.addMember('acme', 'ada', { role: 'member' })
})

test('the page of an application has its name as heading, and its ID below', async () => {
  await gateway.send('POST /orgs/acme/apps', { body: { id: 'crm', name: 'Customers' } })
  const { page } = await open('/apps/crm')
  await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor()
  await page.getByText('crm', { exact: true }).waitFor()
})

test('what has a blank name is shown by its ID', async () => {
  expect((await gateway.send('POST /orgs/acme/apps', { body: { id: 'crm', name: '' } })).status).toBe(201)
  const definition = { id: 'any', name: ' ', type: 's3', driver_type: 'quartermaster/echo', criteria: [] }
  const created = await gateway.send('POST /orgs/acme/resources/defs', { body: definition })
  expect(created.status).toBeLessThan(300)
  const { page } = await open('')
  for (const [list, id] of [
    ['', 'crm'],
    ['/definitions', 'any'],
  ] as const) {
    await page.goto(`${gateway.url}/o/acme${list}`)
    await page.getByRole('main').getByRole('link', { name: id, exact: true }).click()
    await page.getByRole('heading', { name: id, level: 1 }).waitFor()
    await page
      .getByText(/^Reading/)
      .first()
      .waitFor({ state: 'detached' })
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(id)
  }
})

test('who may not see an application is offered none of its pages', async () => {
  const { page } = await open('/apps/shop', 'ada')
  await page.getByText("this requires the role 'viewer' on application 'shop'").waitFor()
  expect(await page.getByRole('link', { name: 'Shared values' }).count()).toBe(0)
})
