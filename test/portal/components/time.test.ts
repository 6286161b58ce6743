import { expect, test } from '@jest/globals'
import { addEnvironment } from '../../api-gateway/support/objects.ts'
import { setUpPortal } from '../support/set-up-portal.ts'

const { gateway, open } = await setUpPortal(addEnvironment)

test('a time grows older while the page is open', async () => {
  await gateway.send('POST /orgs/acme/apps', { body: { id: 'books', name: 'Books' } })
  const { page } = await open('')
  await page.clock.install()
  await page.goto(`${gateway.url}/o/acme/audit`)
  const time = page.getByRole('row').filter({ hasText: 'POST /orgs/acme/apps' }).getByRole('time')
  const before = await time.textContent()
  await page.clock.runFor(10 * 60_000)
  expect(await time.textContent()).toMatch(/^\d+ minutes ago$/)
  expect(await time.textContent()).not.toBe(before)
})
