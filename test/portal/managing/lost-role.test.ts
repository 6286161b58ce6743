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
  await page.getByText("this requires the role 'developer' on application 'shop'").waitFor()
  await page.getByRole('link', { name: 'Audit' }).waitFor({ state: 'detached' })
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
    .waitFor()
  await page.getByRole('link', { name: 'Audit' }).waitFor({ state: 'detached' })
  expect(await page.getByRole('textbox', { name: 'Score file' }).inputValue()).toContain('score.dev')
  const role = { body: { id: 'ada', role: 'viewer' } }
  expect((await gateway.send('POST /orgs/acme/apps/shop/users', role)).status).toBe(200)
  await page.reload()
  await page
    .getByText(
      'for the role developer on the application shop and the role deployer on the environment type development.',
    )
    .waitFor()
})

test('the deletion of a definition stays with its refusal, also while its preview is filtered', async () => {
  const definition = { id: 'any', name: 'Any', type: 's3', driver_type: 'quartermaster/echo', criteria: [] }
  expect((await gateway.send('POST /orgs/acme/resources/defs', { body: definition })).status).toBeLessThan(
    300,
  )
  const { page } = await open('', 'ada')
  const change = { app_id: 'shop', env_id: 'development', type: 's3', class: 'default', res_id: 'files' }
  const changes = [
    { ...change, gu_res_id: '1', action: 'retain', from_def: 'any', to_def: '', changed_inputs: [] },
  ]
  await page.route('**/defs/any?dry_run=true*', (route) => route.fulfill({ json: { changes, problems: [] } }))
  await page.goto(`${gateway.url}/o/acme/definitions/any?edit=delete`)
  const remove = page.getByRole('button', { name: 'Delete the definition' })
  const filter = page.getByRole('searchbox')
  await filter.waitFor()
  await demote()
  await page.unroute('**/defs/any?dry_run=true*')
  await remove.click()
  const refusal = page.getByText(/^this requires the role/)
  await refusal.waitFor()
  await page.getByRole('link', { name: 'Audit' }).waitFor({ state: 'detached' })
  expect(await refusal.count()).toBe(1)
  await filter.fill('files')
  await page.getByText('1 of 1 changed resources').waitFor()
  expect(await refusal.count()).toBe(1)
})
