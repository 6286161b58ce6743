import { expect, test } from '@jest/globals'
import { setUpPortal } from '../../support/set-up-portal.ts'

const { open } = await setUpPortal((gateway) => {
  gateway.addUser('robot', { type: 'service', organizationName: 'acme' })
  gateway.addMember('acme', 'robot', { role: 'member' })
})

test('a double click creates one token', async () => {
  const { page, faults } = await open('/users/robot')
  await page.getByLabel('ID of a new token').fill('nightly')
  // Both clicks come before the answer.
  await page.route('**/users/robot/tokens', async (route) => {
    await page.waitForTimeout(500)
    await route.continue()
  })
  await page.getByRole('button', { name: 'Create a token' }).dblclick()
  await page.locator('output.token').waitFor()
  await page.getByRole('heading', { name: 'nightly' }).waitFor()
  expect(faults()).toEqual([])
})

test('tokens that cannot be read offer no new one', async () => {
  const { page } = await open('/users/gone')
  await page.getByText("user 'gone' not found").waitFor()
  expect(await page.getByLabel('ID of a new token').count()).toBe(0)
})
