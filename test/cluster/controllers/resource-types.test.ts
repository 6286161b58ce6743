import { beforeAll, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { conditionStatus, eventually, makeTestOrganization, moduleWith, readyOf } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const echo = 'quartermaster/echo'
const organization = await makeTestOrganization(sharedCluster(), 'types')
const bucketType = `${organization.id}/s3`
const typePath = `/resources/types/${encodeURIComponent(bucketType)}`

async function resourceIn(environment: string, type: string): Promise<ActiveResource | undefined> {
  const all = await organization.resources()
  return all.find(({ spec }) => spec.environmentName === `shop.${environment}` && spec.type === type)
}

async function secretOf(resource: ActiveResource | undefined): Promise<Record<string, string>> {
  const path = `/api/v1/namespaces/${organization.id}/secrets/${resource?.metadata.name}-outputs`
  const { body } = await organization.kube<{ data?: Record<string, string> }>('GET', path)
  return Object.fromEntries(
    Object.entries(body.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  )
}

/** A Secret as a user creates it by kubectl. */
async function makeSecret(name: string, stringData: object): Promise<void> {
  await organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData,
  })
}

const files = (params?: object) => ({
  modules: { api: moduleWith({ files: { type: 's3', ...(params ? { params } : {}) } }) },
})

const bucket = (name: string, criteria: object[], values: object = {}) =>
  organization.define(name, {
    type: bucketType,
    driverType: echo,
    driverInputs: { values: { bucket: 'own', key: 'key-of-the-bucket', ...values } },
    criteria,
  })

beforeAll(async () => {
  await organization.application('shop')
})

describe('a custom type that overrides a built-in one', () => {
  const type = {
    type: bucketType,
    name: 'Own bucket',
    use: 'direct',
    category: 'datastore',
    inputs_schema: {
      type: 'object',
      properties: { versioned: { type: 'boolean' } },
      additionalProperties: false,
    },
    outputs_schema: {
      type: 'object',
      properties: {
        values: { type: 'object', properties: { bucket: { type: 'string' } }, required: ['bucket'] },
        secrets: { type: 'object', properties: { key: { type: 'string' } } },
      },
    },
  }
  let builtIn: ActiveResource | undefined

  beforeAll(async () => {
    await organization.define('s3-built-in', {
      type: 's3',
      driverType: echo,
      driverInputs: { values: { bucket: 'built-in' } },
      criteria: [{}],
    })
    await organization.environment('shop', 'override')
    await organization.deploy('shop.override', files())
    builtIn = await resourceIn('override', 's3')
  })

  test('is created over REST, and is listed with the built-in types', async () => {
    const { status, body } = await organization.rest('POST', '/resources/types', type)
    expect([status, body]).toEqual([200, type])
    expect((await organization.rest('POST', '/resources/types', type)).status).toBe(409)
    expect((await organization.rest('GET', typePath)).body).toEqual(type)
    const all: { type: string }[] = (await organization.rest('GET', '/resources/types')).body
    expect(all.map((each) => each.type)).toEqual(expect.arrayContaining(['s3', bucketType]))
    await eventually('the outcome', 30_000, async () => {
      const found = await organization.get('resourcetypes', 's3')
      return conditionStatus(found, 'Ready') === 'True' || undefined
    })
  })

  test('without a definition of it nothing changes', async () => {
    const deployment = await organization.deploy('shop.override', files())
    expect(deployment.status?.plan).toMatchObject({ create: 0, update: 0, unchanged: 2 })
  })

  test('with one, the simple name means the override: a new resource, the old one is kept as unused', async () => {
    await bucket('s3-own', [{}])
    const deployment = await organization.deploy('shop.override', files())
    expect(conditionStatus(deployment, 'Ready')).toBe('True')
    const own = await resourceIn('override', bucketType)
    expect(own?.metadata.name).not.toBe(builtIn?.metadata.name)
    const kept = await eventually('the condition Unused', 30_000, async () => {
      const found = await resourceIn('override', 's3')
      return conditionStatus(found, 'Unused') === 'True' ? found : undefined
    })
    expect(kept.metadata.uid).toBe(builtIn?.metadata.uid)
    expect(kept.status?.outputs).toEqual({ bucket: 'built-in' })
  })

  test('outputs that it declares secret are in a Secret and not in status', async () => {
    const own = await resourceIn('override', bucketType)
    expect(own?.status?.outputs).toEqual({ bucket: 'own' })
    expect(own?.status?.outputsSecretName).toBe(`${own?.metadata.name}-outputs`)
    expect(await secretOf(own)).toEqual({ key: 'key-of-the-bucket' })
  })

  test('inputs that do not fit its schema fail the deployment before anything is touched', async () => {
    const before = await organization.resources()
    const deployment = await organization.deploy('shop.override', files({ versioned: 'very' }))
    expect(conditionStatus(deployment, 'Stalled')).toBe('True')
    expect(deployment.status?.problems).toMatchObject([{ reason: 'InvalidParams' }])
    expect(deployment.status?.problems?.[0]?.object).toContain(
      `${bucketType}.default#modules.api.externals.files`,
    )
    expect(deployment.status?.plan).toBeUndefined()
    expect(await organization.resources()).toEqual(before)
  })

  test('inputs that fit are taken', async () => {
    const deployment = await organization.deploy('shop.override', files({ versioned: true }))
    expect(conditionStatus(deployment, 'Ready')).toBe('True')
    expect((await resourceIn('override', bucketType))?.spec.params).toEqual({ versioned: true })
  })

  test('outputs that do not fit its schema leave the resource Stalled, InvalidOutputs, until they fit', async () => {
    await organization.environment('shop', 'unfit')
    await bucket('s3-unfit', [{ envId: 'unfit' }], { bucket: 7 })
    const deployment = await organization.deploy('shop.unfit', files())
    expect(deployment.status?.problems).toMatchObject([{ reason: 'InvalidOutputs' }])
    const unfit = await resourceIn('unfit', bucketType)
    expect(conditionStatus(unfit, 'Stalled')).toBe('True')
    expect(readyOf(unfit).reason).toBe('InvalidOutputs')
    expect(readyOf(unfit).message).toContain('values.bucket')
    expect(unfit?.status?.outputs).toBeUndefined()
    await bucket('s3-unfit', [{ envId: 'unfit' }])
    expect(conditionStatus(await organization.deploy('shop.unfit', files()), 'Ready')).toBe('True')
  })

  test('in use, REST refuses to delete it; kubectl does it, and its definitions are not ready until it is back', async () => {
    expect((await organization.rest('DELETE', typePath)).status).toBe(400)
    const before = await organization.resources()
    await organization.remove('resourcetypes', 's3')
    const readinessOf = (status: string) =>
      eventually(`the outcome ${status}`, 30_000, async () => {
        const found = await organization.get('resourcedefinitions', 's3-own')
        return conditionStatus(found, 'Ready') === status ? found : undefined
      })
    const without = await readinessOf('False')
    expect(readyOf(without).reason).toBe('TypeNotFound')
    expect(['Reconciling', 'Stalled'].map((each) => conditionStatus(without, each))).toEqual([
      'True',
      undefined,
    ])
    expect(await organization.resources()).toEqual(before)
    const again = await eventually('a gateway that knows of its end', 30_000, async () => {
      const answer = await organization.rest('POST', '/resources/types', type)
      return answer.status === 409 ? undefined : answer
    })
    expect(again.status).toBe(200)
    await readinessOf('True')
  })
})

describe('a definition of the type workload', () => {
  const canary = 'canary-workload'
  let resource: ActiveResource | undefined

  beforeAll(async () => {
    await makeSecret('login', { password: canary })
    await organization.define('database', {
      type: 'postgres',
      driverType: echo,
      driverInputs: {
        values: { host: 'db.internal' },
        secretRefs: { password: { secret: 'login', key: 'password' } },
      },
      criteria: [{}],
    })
    await organization.define('workloads', {
      type: 'workload',
      driverType: 'quartermaster/workload',
      criteria: [{ envId: 'rendered' }],
    })
    await organization.environment('shop', 'rendered')
    const variables = {
      HOST: '${externals.db.host}',
      URL: 'postgres://shop:${externals.db.password}@${externals.db.host}',
      PASSWORD: '${externals.db.password}',
    }
    const deployment = await organization.deploy('shop.rendered', {
      modules: {
        api: moduleWith({ db: { type: 'postgres' } }, { containers: { main: { image: 'api', variables } } }),
      },
    })
    expect(conditionStatus(deployment, 'Ready')).toBe('True')
    resource = await resourceIn('rendered', 'workload')
  })

  test('keeps the module with its placeholders resolved, secret texts by reference', async () => {
    expect(resource?.spec.resourceId).toBe('modules.api')
    const secret = await secretOf(resource)
    const nameOf = (text: string) => Object.keys(secret).find((name) => secret[name] === text)
    expect(Object.values(secret).sort()).toEqual([canary, `postgres://shop:${canary}@db.internal`])
    expect(JSON.stringify(resource?.status?.outputs)).toContain('"HOST":"db.internal"')
    for (const text of Object.values(secret))
      expect(JSON.stringify(resource?.status?.outputs)).toContain(`{"secretOutput":"${nameOf(text)}"}`)
  })

  test('the secret texts are in Secrets alone, and in no answer', async () => {
    const objects: KubeObject[] = [
      ...(await organization.resources()),
      ...(await organization.list('environmentdeployments')),
      ...(await organization.list('deploymentsets')),
    ]
    const answers = await Promise.all(
      ['/apps/shop/envs/rendered/resources', '/apps/shop/envs/rendered/deploys', '/resources/defs'].map(
        (path) => organization.rest('GET', path),
      ),
    )
    const text = JSON.stringify([objects, answers])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(text).not.toContain(canary)
    expect(text).not.toContain(Buffer.from(canary).toString('base64'))
  })
})
