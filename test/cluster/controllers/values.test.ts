import { beforeAll, describe, expect, test } from '@jest/globals'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import type { SharedValue } from '../../../operator/api/shared-value.ts'
import { conditionStatus, eventually, makeTestOrganization, readyOf } from '../support/client.ts'
import { endEnvironment, gone, resourceIn, secretAt } from '../support/observing.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const organization = await makeTestOrganization(sharedCluster(), 'values')
const secrets = `/api/v1/namespaces/${organization.id}/secrets`
const canaries = ['canary-first', 'canary-second', 'canary-by-kubectl']
const app = '/apps/shop/values'
const env = '/apps/shop/envs/dev/values'

const variables = { LEVEL: '${values.LOG_LEVEL}', TOKEN: 'Bearer ${values.TOKEN}' }
const modules = { api: { spec: { containers: { main: { variables } } }, externals: {} } }
const deploy = () => organization.deploy('shop.dev', { modules })

/** The inputs of the workload, secret texts in full. */
async function rendered() {
  const { status } = await resourceIn(organization, 'dev', 'workload')
  const outputs = status?.outputs as { spec: { containers: { main: { variables: object } } } } // of the driver of workloads
  const given = Object.entries(outputs.spec.containers.main.variables)
  const secret = await secretAt(organization, `${secrets}/${status?.outputsSecretName ?? 'none'}`)
  return Object.fromEntries(
    given.map(([name, text]) => [name, typeof text === 'string' ? text : secret?.[text.secretOutput]]),
  )
}

const planOf = ({ status }: EnvironmentDeployment) => status?.plan
const secretNameOf = async (key: string) => {
  const all = await organization.list<SharedValue>('sharedvalues')
  return all.find(({ spec }) => spec.key === key)?.spec.secret?.secret ?? ''
}

async function rest(method: string, path: string, body?: unknown) {
  const { status } = await organization.rest(method, path, body)
  expect(status).toBeLessThan(300)
}

async function readiness(name: string, reason: string) {
  await eventually(`'${reason}' of '${name}'`, 30_000, async () => {
    const found = readyOf(await organization.get('sharedvalues', name))
    return found.reason === reason ? true : undefined
  })
}

beforeAll(async () => {
  await organization.application('shop')
  await organization.environment('shop', 'dev')
  await organization.define('workload', {
    type: 'workload',
    driverType: 'quartermaster/workload',
    criteria: [{}],
  })
})

describe('shared values', () => {
  test('reach the workloads at the deployment, secret ones as secrets', async () => {
    await rest('POST', app, { key: 'LOG_LEVEL', description: null, value: 'info' })
    await rest('POST', app, { key: 'TOKEN', description: '', value: canaries[0], is_secret: true })
    expect(conditionStatus(await deploy(), 'Ready')).toBe('True')
    expect(await rendered()).toEqual({ LEVEL: 'info', TOKEN: `Bearer ${canaries[0]}` })
    expect(planOf(await deploy())).toMatchObject({ unchanged: 1, update: 0 })
  })

  test('that change take effect at the next deployment, and the earlier Secret is deleted', async () => {
    const before = await secretNameOf('TOKEN')
    await rest('POST', env, { key: 'LOG_LEVEL', description: null, value: 'debug' })
    await rest('PATCH', `${app}/TOKEN`, { value: canaries[1] })
    const after = await secretNameOf('TOKEN')
    expect(after).not.toBe(before)
    expect(await rendered()).toEqual({ LEVEL: 'info', TOKEN: `Bearer ${canaries[0]}` })
    expect(planOf(await deploy())).toMatchObject({ unchanged: 0, update: 1 })
    expect(await rendered()).toEqual({ LEVEL: 'debug', TOKEN: `Bearer ${canaries[1]}` })
    await gone(organization, [`${secrets}/${before}`])
    expect(await secretAt(organization, `${secrets}/${after}`)).toEqual({ value: canaries[1] })
  })

  test('that are not there fail the deployment, which touches nothing', async () => {
    await rest('DELETE', `${app}/TOKEN`)
    // The gateway knows the end of the earlier one when it knows this one.
    await rest('PATCH', `${app}/LOG_LEVEL`, { description: 'after the end of the other' })
    const { status } = await deploy()
    expect(status?.problems).toMatchObject([
      { object: 'workload.default#modules.api', reason: 'UnknownValue' },
    ])
    expect(await rendered()).toEqual({ LEVEL: 'debug', TOKEN: `Bearer ${canaries[1]}` })
  })

  test('created by kubectl can name any Secret, which can be created later', async () => {
    await organization.apply('sharedvalues', 'SharedValue', 'token', {
      applicationName: 'shop',
      environmentId: 'dev',
      key: 'TOKEN',
      secret: { secret: 'login', key: 'token' },
    })
    await readiness('token', 'SecretNotFound')
    await organization.kube('POST', secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login' },
      stringData: { token: canaries[2] },
    })
    await readiness('token', 'Reconciled')
    expect(conditionStatus(await deploy(), 'Ready')).toBe('True')
    expect(await rendered()).toEqual({ LEVEL: 'debug', TOKEN: `Bearer ${canaries[2]}` })
  })

  test('with a key of another value are not ready, until that one is deleted', async () => {
    const spec = { applicationName: 'shop', environmentId: 'dev', key: 'TOKEN', value: 'x' }
    // The older one wins; ages are counted in seconds, and then the name decides.
    await organization.apply('sharedvalues', 'SharedValue', 'token-2', spec)
    await readiness('token-2', 'DuplicateValue')
    await organization.remove('sharedvalues', 'token')
    await readiness('token-2', 'Reconciled')
  })

  test.each<[rule: string, spec: object]>([
    ['neither a value nor a secret', { applicationName: 'shop', key: 'A' }],
    ['both', { applicationName: 'shop', key: 'A', value: '', secret: { secret: 'a', key: 'b' } }],
    ['a key that cannot be', { applicationName: 'shop', key: 'a b', value: '' }],
    ['a key that JavaScript has', { applicationName: 'shop', key: '__proto__', value: '' }],
    ['another key than before', { applicationName: 'shop', key: 'OTHER', environmentId: 'dev', value: '' }],
    ['another environment', { applicationName: 'shop', key: 'TOKEN', environmentId: 'live', value: '' }],
    ['no environment any more', { applicationName: 'shop', key: 'TOKEN', value: '' }],
  ])('are refused with %s', async (_, spec) => {
    const applied = organization.apply('sharedvalues', 'SharedValue', 'token-2', spec)
    await expect(applied).rejects.toThrow(/422|Invalid/)
  })

  test('are in no object but Secrets', async () => {
    const objects = JSON.stringify(await Promise.all(kinds.map(({ plural }) => organization.list(plural))))
    for (const canary of canaries) {
      expect(objects).not.toContain(canary)
      expect(objects).not.toContain(Buffer.from(canary).toString('base64'))
    }
  })

  test('of an environment go with it, those of the application stay', async () => {
    await endEnvironment(organization, 'dev')
    const left = await organization.list<SharedValue>('sharedvalues')
    expect(left.map(({ spec }) => spec.key)).toEqual(['LOG_LEVEL'])
  })
})
