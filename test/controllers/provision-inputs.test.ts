import { expect, test } from '@jest/globals'
import type { ActiveResource } from '../../operator/api/active-resource.ts'
import { Environment } from '../../operator/api/environment.ts'
import { Registry } from '../../operator/api/registry.ts'
import { ResourceAccount } from '../../operator/api/resource-account.ts'
import { canonicalJson } from '../../operator/domain/base/json.ts'
import type { Driver } from '../../operator/drivers/driver.ts'
import { ready } from '../api-gateway/support/objects.ts'
import { activeResource, driver, storedObject } from '../support/builders.ts'
import { createWorld } from './support/world.ts'

const plain: Driver = {
  descriptor: driver('plain', { account: { types: ['any'], required: false } }),
  provision: async () => ({ outputs: { values: {}, secrets: {} }, objects: [] }),
  async deprovision() {},
}
const definition = { definitionName: 'd', driverType: 'quartermaster/plain' }
const encoded = (text: string) => Buffer.from(text).toString('base64')

const resources: Readonly<Record<string, ActiveResource>> = {
  'without inputs': activeResource({ type: 's3', resourceId: 'shared.a' }, { definition }),
  'with values, a secret, params and an account': activeResource(
    { type: 's3', class: 'large', resourceId: 'modules.web.externals.files' },
    {
      definition: {
        ...definition,
        accountName: 'cloud',
        driverInputs: {
          values: { name: 'files-${context.env.id}', size: 3, nested: { list: [1, 'a', null] } },
          secretRefs: { password: { secret: 'login', key: 'password' } },
        },
      },
      params: { acl: 'private' },
    },
  ),
  'a workload with credentials of a registry, which a user paused': activeResource(
    { type: 'workload', resourceId: 'modules.web' },
    { definition, params: { spec: { containers: { main: { image: 'r.test/web:1' } } } } },
  ),
}

const context = {
  applicationId: 'shop',
  environmentId: 'dev',
  environmentType: 'development',
  organizationId: 'acme',
}
const common = { context, namespace: 'acme--shop--dev', neighbours: {}, secrets: {}, values: {} }
const auth = { username: 'puller', password: 'three', auth: encoded('puller:three') }

/** In another form, an upgrade would provision all such resources again as soon as the operator starts. */
const hashed: Readonly<Record<string, object>> = {
  'without inputs': {
    ...common,
    class: 'default',
    guResId: 'c8e78c93e264544eff8b1280fe5b3525688a3528',
    params: {},
    resourceId: 'shared.a',
    type: 's3',
  },
  'with values, a secret, params and an account': {
    ...common,
    account: { token: 'two' },
    class: 'large',
    guResId: '9492b6dc7117caf1e26daedfe861c08ddea34917',
    params: { acl: 'private' },
    resourceId: 'modules.web.externals.files',
    secrets: { password: 'one' },
    type: 's3',
    values: { name: 'files-dev', nested: { list: [1, 'a', null] }, size: 3 },
  },
  'a workload with credentials of a registry, which a user paused': {
    ...common,
    class: 'default',
    guResId: '73dedb3259d1d8e45fa9074bbdf3605f4f5da582',
    params: { spec: { containers: { main: { image: 'r.test/web:1' } } } },
    pullCredentials: JSON.stringify({ auths: { 'r.test': auth } }),
    resourceId: 'modules.web',
    runSettings: { paused: true },
    type: 'workload',
  },
}

test.each(Object.entries(resources))(
  'what is hashed of a resource keeps its form: %s',
  async (what, given) => {
    const world = createWorld([plain])
    const secret = (name: string, data: Record<string, string>) =>
      world.objects.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'acme' }, data })
    secret('login', { password: encoded('one') })
    secret('cloud-secret', { token: encoded('two') })
    secret('builds-secret', { username: encoded('puller'), password: encoded('three') })
    world.cluster.put(ResourceAccount, {
      ...storedObject(
        ResourceAccount,
        { name: 'cloud', generation: 1 },
        { type: 'any', credentialsSecretName: 'cloud-secret' },
      ),
      status: ready,
    })
    const registry = { registry: 'r.test', type: 'basic' as const, credentialsSecretName: 'builds-secret' }
    world.cluster.put(Registry, {
      ...storedObject(Registry, { name: 'builds', generation: 1 }, registry),
      status: ready,
    })
    const environment = { applicationName: 'shop', typeName: 'development', paused: true }
    world.cluster.put(Environment, storedObject(Environment, { name: 'shop.dev' }, environment))
    const resource = world.put(given)
    expect(await world.reconcile(resource)).toBeUndefined()
    // The hash of this world is the text itself.
    const account = given.spec.definition.accountName ?? ''
    const text = canonicalJson(['inputs', definition.driverType, account, hashed[what]])
    expect(world.statusOf(resource).inputsHash).toBe(text)
  },
)
