import { describe, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { accessText } from '../../../api-gateway/openapi/texts.ts'
import { addEnvironment, addResource } from '../support/objects.ts'
import { everybody, members, rules } from '../support/rules.ts'
import { setUpGateway } from '../support/set-up.ts'

const gateway = await setUpGateway(() => {
  addEnvironment(gateway)
  addResource(gateway)
  for (const [name, spec] of Object.entries(members)) {
    gateway.addUser(name)
    gateway.addMember('acme', name, spec)
  }
  for (const role of ['viewer', 'developer', 'owner'] as const) {
    gateway.addUser(`${role}-of-no-type`)
    const applications = [{ applicationName: 'shop', role }]
    gateway.addMember('acme', `${role}-of-no-type`, { role: 'member', applications })
  }
  gateway.addUser('robot', { type: 'service', organizationName: 'acme' })
  gateway.addMember('acme', 'robot', { role: 'member' })
})

describe.each(rules)('%s', (operation, allowed, body) => {
  test.each(everybody)('as %s', async (as) => {
    const { status } = await gateway.send(operation, { as, body })
    expect(status === 403 ? 'refused' : 'allowed').toBe(allowed.includes(as) ? 'allowed' : 'refused')
    expect(status).not.toBe(401)
    expect(status).toBeLessThan(500)
  })
})

describe('the description says when the role on the environment type is needed too:', () => {
  const rows = endpoints.filter(({ access }) => typeof access === 'object' && 'application' in access)
  test.each(rows.map((each) => [`${each.method.toUpperCase()} ${each.path}`, each] as const))(
    '%s',
    async (operation, { access }) => {
      const least = typeof access === 'object' && 'application' in access ? access.application : ''
      const pattern = new RegExp(`^${operation.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      const [row, , body] = rules.find(([each]) => pattern.test(each)) ?? []
      const { status } = await gateway.send(row ?? '', { as: `${least}-of-no-type`, body })
      expect(/`deployer`/.test(accessText(access))).toBe(status === 403)
    },
  )
})

test('every protected operation has its row', () => {
  const patterns = endpoints
    .filter(({ access }) => access !== 'public')
    .map(
      ({ method, path }) => new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    )
  for (const pattern of patterns)
    expect(rules.map(([operation]) => operation)).toContainEqual(expect.stringMatching(pattern))
})

test('GET of the applications shows those on which the caller has a role', async () => {
  addEnvironment(gateway, 'development', 'development', 'other')
  const visible = async (as: string) =>
    (await gateway.send('GET /orgs/acme/apps', { as })).body.map(({ id }: { id: string }) => id)
  expect(await visible('administrator')).toEqual(['other', 'shop'])
  expect(await visible('viewer')).toEqual(['shop'])
  expect(await visible('other-owner')).toEqual(['other'])
  expect(await visible('member')).toEqual([])
})

test('an application is 403 to a caller without a role on it, whether it exists or not', async () => {
  for (const application of ['shop', 'missing']) {
    expect((await gateway.send(`GET /orgs/acme/apps/${application}`, { as: 'member' })).status).toBe(403)
  }
})

test('the environment type decides, not the environment', async () => {
  addEnvironment(gateway, 'live', 'production')
  const deploys = 'POST /orgs/acme/apps/shop/envs/live/deploys'
  expect((await gateway.send(deploys, { as: 'deployer', body: {} })).status).toBe(403)
  expect((await gateway.send('DELETE /orgs/acme/apps/shop/envs/live', { as: 'owner' })).status).toBe(403)
  expect((await gateway.send('DELETE /orgs/acme/apps/shop', { as: 'owner' })).status).toBe(403)
  const body = { id: 'two', name: 'Two', type: 'production' }
  expect((await gateway.send('POST /orgs/acme/apps/shop/envs', { as: 'deployer', body })).status).toBe(403)
})

test('a manager gives a new application an environment only of a type that they may deploy to', async () => {
  const body = { id: 'new', name: 'New', env: { id: 'live', name: 'Live', type: 'production' } }
  expect((await gateway.send('POST /orgs/acme/apps', { as: 'manager', body })).status).toBe(403)
  expect((await gateway.send('POST /orgs/acme/apps', { as: 'administrator', body })).status).toBe(201)
})
