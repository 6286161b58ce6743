import { expect, test } from '@jest/globals'
import { addEnvironment } from '../../api-gateway/support/objects.ts'
import { setUpPortal } from '../support/set-up-portal.ts'

const { open } = await setUpPortal(addEnvironment)

/** Opens the accounts while the code of the page is absent, as after an upgrade of the gateway. */
async function openWithoutCode() {
  const { page } = await open('')
  const main = page.getByRole('navigation', { name: 'Main' })
  await main.getByRole('link', { name: 'Applications' }).waitFor()
  await page.route('**/assets/**', (route) => route.abort())
  await main.getByRole('link', { name: 'Accounts' }).click()
  const problem = page.getByText('The page cannot be loaded.')
  await problem.waitFor()
  await page.unroute('**/assets/**')
  return { page, main, problem }
}

test('a page whose code is absent is loaded by the link beside the problem', async () => {
  const { page } = await openWithoutCode()
  await page.getByRole('link', { name: 'Load it again' }).click()
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
})

test('the problem of a page ends with the page', async () => {
  const { main, problem } = await openWithoutCode()
  await main.getByRole('link', { name: 'Applications' }).click()
  await problem.waitFor({ state: 'detached' })
  expect(await problem.count()).toBe(0)
})
