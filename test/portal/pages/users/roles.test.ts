import { expect, test } from '@jest/globals'
import { setUpPortal } from '../../support/set-up-portal.ts'

const { open } = await setUpPortal((gateway) => {
  gateway.addUser('ada')
  gateway.addMember('acme', 'ada', { role: 'administrator' })
})

test('an administrator who gives up the role is offered no more than the new role allows', async () => {
  const { page } = await open('/users/ada/roles', 'ada')
  await page.getByLabel('Role on organization acme').selectOption('member')
  await page.getByRole('button', { name: 'Save the role on organization acme' }).click()
  await page.getByRole('link', { name: 'Audit' }).waitFor({ state: 'detached' })
  expect(await page.getByLabel(/^Role on/).count()).toBe(0)
})
