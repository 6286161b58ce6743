import { expect, test } from '@jest/globals'
import { addEnvironment } from '../api-gateway/support/objects.ts'
import { setUpPortal } from './support/set-up-portal.ts'

const { gateway, open } = await setUpPortal(addEnvironment)

test.each([1280, 640, 375])('a window of %d pixels breaks no word of a table', async (width) => {
  const body = { name: 'Continuous integration of the northern teams', role: 'member' }
  await gateway.send('POST /orgs/acme/users', { body })
  const { page } = await open('/users')
  await page.setViewportSize({ width, height: 800 })
  const role = page.getByRole('cell', { name: 'administrator', exact: true }).first()
  await role.waitFor()
  await page.getByRole('cell', { name: body.name, exact: true }).waitFor()
  const lines = await page.evaluate(`(() => {
    const cell = [...document.querySelectorAll('td')].find(({ textContent }) => textContent === 'administrator')
    const range = document.createRange()
    range.selectNodeContents(cell)
    return range.getClientRects().length
  })()`)
  expect(lines).toBe(1)
})

test('the way back to a table keeps its filter', async () => {
  const { page } = await open('/users')
  const filter = page.getByRole('searchbox')
  await filter.fill('admin')
  await page
    .getByRole('link', { name: /^Roles of/ })
    .first()
    .click()
  await page.getByRole('heading', { name: /^Roles of/, level: 1 }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
  expect(await filter.inputValue()).toBe('admin')
})
