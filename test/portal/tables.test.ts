import { expect, test } from '@jest/globals'
import { addEnvironment } from '../api-gateway/support/objects.ts'
import { setUpPortal } from './support/set-up-portal.ts'

const { open } = await setUpPortal(addEnvironment)

test('a wide window breaks no word of a table', async () => {
  const { page } = await open('/users')
  await page.setViewportSize({ width: 1280, height: 800 })
  const role = page.getByRole('cell', { name: 'administrator', exact: true }).first()
  await role.waitFor()
  const lines = await page.evaluate(`(() => {
    const cell = [...document.querySelectorAll('td')].find(({ textContent }) => textContent === 'administrator')
    const range = document.createRange()
    range.selectNodeContents(cell)
    return range.getClientRects().length
  })()`)
  expect(lines).toBe(1)
})
