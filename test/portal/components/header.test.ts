import { expect, test } from '@jest/globals'
import { setUpPortal } from '../support/set-up-portal.ts'

const { open } = await setUpPortal()

test('a narrow window shows the current entry of the navigation', async () => {
  const { page } = await open('/users')
  await page.setViewportSize({ width: 375, height: 800 })
  const entry = page.getByRole('link', { name: 'Audit' })
  await entry.click()
  await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()
  const box = await entry.boundingBox()
  expect(box && box.x >= 0 && box.x + box.width <= 375).toBe(true)
})
