import { expect, test } from '@jest/globals'
import { setUpPortal } from '../../support/set-up-portal.ts'

const { open } = await setUpPortal()

test('credentials that were typed for one type are not sent for another', async () => {
  const { page } = await open('/accounts?new')
  await page.getByLabel(/^ID/).fill('mine')
  const type = page.getByLabel(/^Type/)
  await type.selectOption({ label: 'Cloudflare (cloudflare)' })
  await page.locator('#credentials-heading ~ * input').first().fill('for-cloudflare')
  await type.selectOption({ label: 'This cluster (local)' })
  const [request] = await Promise.all([
    page.waitForRequest((each) => each.method() === 'POST'),
    page.getByRole('button', { name: 'Create the account' }).click(),
  ])
  expect(request.postDataJSON()).toEqual({ id: 'mine', name: 'mine', type: 'local', credentials: {} })
})
