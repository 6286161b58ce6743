import { expect, test } from '@jest/globals'
import { addEnvironment, addResource, finish } from '../../../api-gateway/support/objects.ts'
import { setUpPortal } from '../../support/set-up-portal.ts'

const { gateway, open } = await setUpPortal((prepared) => {
  addEnvironment(prepared)
  addResource(prepared)
})

test('a deployment that runs shows the resources that it waits for, and ends with its outcome', async () => {
  const delta = { shared: [{ op: 'add', path: '/main', value: { type: 'dns' } }] }
  const { status } = await gateway.send('POST /orgs/acme/apps/shop/envs/development/deploys', {
    body: { delta },
  })
  expect(status).toBe(201)
  const { page } = await open('/apps/shop/envs/development/deployments/shop.development.1')
  const resource = page.getByRole('main').getByRole('link', { name: 'dns shared.main' })
  await resource.waitFor()
  await page.getByText('1 pending').waitFor()
  finish(gateway, 'shop.development.1')
  await page.getByText('succeeded').waitFor()
  expect(await resource.count()).toBe(0)
})
