import { test } from '@jest/globals'
import { addEnvironment } from '../../api-gateway/support/objects.ts'
import { setUpPortal, signIn } from '../support/set-up-portal.ts'

const { open } = await setUpPortal(addEnvironment)

test('Escape does not close it while a request waits for the session, and nothing typed is lost', async () => {
  const { page } = await open('/apps/shop/values?new')
  await page.getByLabel(/^Key/).fill('KEPT')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Create the value' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  for (const _ of ['cancels', 'closes']) await page.keyboard.press('Escape')
  await dialog.waitFor()
  await signIn(page)
  await page.getByRole('row').filter({ hasText: 'KEPT' }).waitFor()
})
