import { expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { addEnvironment } from '../../api-gateway/support/objects.ts'
import { setUpPortal } from '../support/set-up-portal.ts'

const { gateway, open } = await setUpPortal(addEnvironment)

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
  await problem.waitFor()
  await page.unroute('**/resources/drivers*')
  await page.getByRole('table').waitFor()
  expect(await problem.count()).toBe(0)
})

test('what several parts of a page read is asked for once at a time', async () => {
  const { page } = await open('')
  await page.clock.install()
  const asked: string[] = []
  await page.route('**/orgs/acme/apps/shop/envs/development', (route) => {
    asked.push(route.request().url())
    return route.fulfill({ status: 500, json: { error: 'Internal', message: 'not now' } })
  })
  await page.goto(`${gateway.url}/o/acme/apps/shop/envs/development`)
  await page.getByText('not now').first().waitFor()
  // What the beginning of the stream makes the page read.
  await page.waitForTimeout(500)
  await page.clock.runFor(2000)
  await page.waitForTimeout(1000)
  asked.length = 0
  await page.clock.runFor(10_000)
  await eventually('the next attempt', 60_000, async () => asked.length > 0 || undefined)
  await page.waitForTimeout(500)
  expect(asked.length).toBe(1)
})
