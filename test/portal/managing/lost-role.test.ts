import { expect, test } from '@jest/globals'
import { addEnvironment } from '../../api-gateway/support/objects.ts'
import { setUpPortal } from '../support/set-up-portal.ts'

const { gateway, open } = await setUpPortal((prepared) => {
  addEnvironment(prepared)
  prepared.addUser('ada')
  prepared.addMember('acme', 'ada', { role: 'administrator' })
})

/** Makes ada a member, who has no rights on applications. */
async function demote(): Promise<void> {
  expect((await gateway.send('PATCH /orgs/acme/users/ada', { body: { role: 'member' } })).status).toBe(200)
}

test('a form keeps what was typed when its user loses the role, and says which role is missing', async () => {
  const { page } = await open('/apps/shop/values?new', 'ada')
  await page.getByLabel(/^Key/).fill('LEVEL')
  await page.getByLabel(/^Value/).fill('typed')
  await demote()
  await page.getByRole('button', { name: 'Create the value' }).click()
  await page
    .getByText("this requires the role 'developer' on application 'shop'")
    .waitFor({ timeout: 20_000 })
  await page.getByRole('link', { name: 'Audit' }).waitFor({ state: 'detached', timeout: 20_000 })
  expect(await page.getByLabel(/^Value/).inputValue()).toBe('typed')
})

test('the form of a deployment keeps what was typed too, and without it the page names the missing roles', async () => {
  const { page } = await open('/apps/shop/envs/development/deploy', 'ada')
  await page.getByLabel('Score file').check()
  await page.getByRole('textbox', { name: 'Score file' }).fill('apiVersion: score.dev/v1b1')
  await demote()
  await page.getByRole('button', { name: 'Show the plan' }).click()
  await page
    .getByText(/^this requires the role/)
    .first()
    .waitFor({ timeout: 20_000 })
  await page.getByRole('link', { name: 'Audit' }).waitFor({ state: 'detached', timeout: 20_000 })
  expect(await page.getByRole('textbox', { name: 'Score file' }).inputValue()).toContain('score.dev')
  const role = { body: { id: 'ada', role: 'viewer' } }
  expect((await gateway.send('POST /orgs/acme/apps/shop/users', role)).status).toBe(200)
  await page.reload()
  await page
    .getByText(
      'for the role developer on the application shop and the role deployer on the environment type development.',
    )
    .waitFor({ timeout: 20_000 })
})
