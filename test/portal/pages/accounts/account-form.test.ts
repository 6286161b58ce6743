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

test('an account without a problem says so, and its check shows that it runs', async () => {
  const { page } = await open('/accounts?new')
  await page.getByLabel(/^ID/).fill('mine')
  await page.getByLabel(/^Type/).selectOption({ label: 'This cluster (local)' })
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('cell', { name: 'no known problem' }).waitFor()
  const answered = Promise.withResolvers<void>()
  await page.route('**/actions/check', async (route) => {
    await answered.promise
    await route.abort()
  })
  await page.getByRole('button', { name: 'Check mine' }).focus()
  await page.keyboard.press('Enter')
  const checking = page.getByRole('button', { name: 'Checking mine' })
  await checking.waitFor()
  expect(await checking.getAttribute('aria-disabled')).toBe('true')
  answered.resolve()
  const button = page.getByRole('button', { name: 'Check mine' })
  await button.waitFor()
  expect(await button.evaluate('document.activeElement.textContent')).toBe('Check mine')
})
