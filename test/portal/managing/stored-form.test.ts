import { expect, test } from '@jest/globals'
import { addEnvironment } from '../../api-gateway/support/objects.ts'
import { setUpPortal } from '../support/set-up-portal.ts'

const { gateway, open } = await setUpPortal(addEnvironment)

/** Sends a request of another administrator. */
async function send(operation: string, body: object): Promise<void> {
  const { status } = await gateway.send(operation, { body })
  expect({ operation, isDone: status < 300 }).toEqual({ operation, isDone: true })
}

/** Opens a page of an administrator; `sent` are the requests that change something. */
async function openForm(path: string) {
  const { page } = await open(path)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.method())
  })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const refused = page.getByRole('alert').filter({ hasText: 'Someone else has changed' })
  return { page, sent, button, refused }
}

test('a form that replaces everything sends nothing when someone else has changed the object', async () => {
  const type = { use: 'direct', name: 'Duo', category: 'storage' }
  await send('POST /orgs/acme/resources/types', { ...type, type: 'acme/duo' })
  const { page, sent, button, refused } = await openForm('/types?type=acme%2Fduo')
  const category = page.getByLabel(/^Category/)
  await category.fill('data')
  sent.length = 0
  await send('PUT /orgs/acme/resources/types/acme%2Fduo', { ...type, name: 'Duo of Ana' })
  await button('Save the type').click()
  await refused.waitFor()
  expect({ sent, typed: await category.inputValue() }).toEqual({ sent: [], typed: 'data' })
  await button('Load the present state').click()
  await refused.waitFor({ state: 'detached' })
  expect(await category.inputValue()).toBe('storage')
  // The form also begins with what it has saved.
  for (const each of ['data', 'files']) {
    await category.fill(each)
    await button('Save the type').click()
    await page.getByText('Saved.').waitFor()
  }
  const { body } = await gateway.send('GET /orgs/acme/resources/types/acme%2Fduo')
  expect(body).toMatchObject({ name: 'Duo of Ana', category: 'files' })
})

test('a form with a preview is neither previewed nor saved when someone else has changed the object', async () => {
  const driver = { name: 'Any', type: 's3', driver_type: 'quartermaster/echo' }
  await send('POST /orgs/acme/resources/defs', { ...driver, id: 'any', criteria: [{ env_id: 'a' }] })
  const { page, sent, button, refused } = await openForm('/definitions/any?edit=criteria')
  const environment = page.getByLabel('Environment', { exact: true })
  await environment.fill('ben')
  await button('Preview').click()
  await button('Save the criteria').waitFor()
  sent.length = 0
  await send('PUT /orgs/acme/resources/defs/any/criteria', [{ env_id: 'ana' }])
  await button('Save the criteria').click()
  await refused.waitFor()
  await button('Preview').click()
  await refused.nth(1).waitFor()
  expect({ sent, typed: await environment.inputValue() }).toEqual({ sent: [], typed: 'ben' })
  await button('Load the present state').first().click()
  await refused.first().waitFor({ state: 'detached' })
  expect(await environment.inputValue()).toBe('ana')
  await environment.fill('ben')
  await button('Preview').click()
  await button('Save the criteria').click()
  await page.getByText('for env_id=ben').waitFor()
})

test('a form that sends only changes keeps what someone else has changed in other fields', async () => {
  const address = '/orgs/acme/apps/shop/webhooks'
  const headers = { 'x-a': '0', 'x-b': '0' }
  await send(`POST ${address}`, { id: 'hook', url: 'hooks.example.com/0', headers })
  const { page, sent, button, refused } = await openForm('/apps/shop/webhooks/hook')
  const header = page.getByLabel('x-b', { exact: true })
  const save = async (value: string) => {
    await header.fill(value)
    await button('Save').click()
  }
  await header.waitFor()
  await send(`PATCH ${address}/hook`, { url: 'hooks.example.com/1' })
  for (const value of ['1', '2']) {
    await save(value)
    await page.getByText('Saved.').waitFor()
  }
  sent.length = 0
  await send(`PATCH ${address}/hook`, { headers: { 'x-a': 'ana', 'x-b': '2' } })
  await save('3')
  await refused.waitFor()
  expect(sent).toEqual([])
  await button('Load the present state').click()
  await refused.waitFor({ state: 'detached' })
  await save('3')
  await page.getByText('Saved.').waitFor()
  expect((await gateway.send(`GET ${address}/hook`)).body).toMatchObject({
    url: 'hooks.example.com/1',
    headers: { 'x-a': 'ana', 'x-b': '3' },
  })
})
