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
  await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor({ timeout: 20_000 })
  await page.getByText('crm', { exact: true }).waitFor({ timeout: 20_000 })
})

test('who may not see an application is offered none of its pages', async () => {
  const { page } = await open('/apps/shop', 'ada')
  await page.getByText("this requires the role 'viewer' on application 'shop'").waitFor({ timeout: 20_000 })
  expect(await page.getByRole('link', { name: 'Shared values' }).count()).toBe(0)
})
