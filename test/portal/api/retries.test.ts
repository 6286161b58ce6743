import { expect, test } from '@jest/globals'
import { addEnvironment } from '../../api-gateway/support/objects.ts'
import { setUpPortal } from '../support/set-up-portal.ts'

const { open } = await setUpPortal(addEnvironment)

test.each([
  ['away', 0],
  ['busy', 429],
  ['broken', 500],
])('a list that cannot be read while the gateway is %s is read again by itself', async (_, status) => {
  const { page } = await open('')
  await page.route('**/resources/drivers*', (route) => {
    const json = { error: 'Internal', message: 'not now' }
    return status === 0 ? route.abort() : route.fulfill({ status, json })
  })
  await page.getByRole('link', { name: 'Drivers' }).click()
  const problem = page.getByRole('alert').filter({ hasText: /not now|cannot be reached/ })
  await problem.waitFor({ timeout: 20_000 })
  await page.unroute('**/resources/drivers*')
  await page.getByRole('table').waitFor({ timeout: 20_000 })
  expect(await problem.count()).toBe(0)
})
