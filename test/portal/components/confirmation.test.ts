import { expect, test } from '@jest/globals'
import { addEnvironment } from '../../api-gateway/support/objects.ts'
import { setUpPortal, signIn } from '../support/set-up-portal.ts'

const { gateway, open } = await setUpPortal(addEnvironment)

test.each(['Escape', 'Enter'])('%s cancels a deletion, and returns the focus to its button', async (key) => {
  const body = { key: 'LEVEL', value: 'info', description: '' }
  expect((await gateway.send('POST /orgs/acme/apps/shop/values', { body })).status).toBe(201)
  const { page } = await open('/apps/shop/values')
  const button = page.getByRole('button', { name: 'Delete LEVEL' })
  await button.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.keyboard.press(key)
  await dialog.waitFor({ state: 'detached' })
  expect(await button.evaluate('document.activeElement.textContent')).toBe('Delete LEVEL')
})

test.each([
  ['deleted', 204],
  ['refused', 409],
])('the focus stays in the content when what a dialog was opened for is %s', async (_, status) => {
  const body = { key: 'LEVEL', value: 'info', description: '' }
  expect((await gateway.send('POST /orgs/acme/apps/shop/values', { body })).status).toBe(201)
  const { page } = await open('/apps/shop/values')
  if (status === 409)
    await page.route('**/values/LEVEL', (route) =>
      route.fulfill({ status, json: { error: 'Conflict', message: 'it is used' } }),
    )
  const button = page.getByRole('button', { name: 'Delete LEVEL' })
  await button.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete' }).focus()
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  if (status === 409) await page.getByText('it is used').waitFor()
  else await button.waitFor({ state: 'detached' })
  expect(await page.getByRole('main').evaluate('document.activeElement.closest("main") !== null')).toBe(true)
})

test('the sign-in over a page returns the focus to the field that had it', async () => {
  const { page } = await open('/apps/shop/values?new')
  const field = page.getByLabel(/^Key/)
  await field.fill('LEVEL')
  await page.context().clearCookies()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.route('**/shop/values', (route) => route.abort())
  await signIn(page)
  await dialog.waitFor({ state: 'detached' })
  expect(await field.evaluate('document.activeElement.id')).toBe(await field.getAttribute('id'))
})
