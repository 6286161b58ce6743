import { beforeAll, describe, expect, test } from '@jest/globals'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { Workload } from '../../../operator/api/workload.ts'
import { scoreDocument } from '../../support/scores.ts'
import { conditionStatus, eventually, makeTestOrganization, readyOf } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'workloads')
const envs = '/apps/shop/envs'
const secret = 'canary-of-the-workloads-test'

/** A workload with a shared cache, a private database and a host. */
function score(name: string, more: object = {}) {
  const variables = {
    CACHE: '${resources.cache.host}',
    DATABASE: 'postgres://${resources.db.password}@${resources.db.host}',
    HOST: '${resources.host.host}',
    ...more,
  }
  const resources = {
    cache: { type: 'redis', id: 'cache' },
    db: { type: 'postgres' },
    host: { type: 'dns' },
  }
  return { ...scoreDocument({ image: '.', variables }, { resources }), metadata: { name } }
}

const applied = (name: string, spec: object = {}) =>
  organization.apply('workloads', 'Workload', `shop.${name}`, {
    applicationName: 'shop',
    environmentIds: ['dev'],
    score: score(name),
    images: [{ environmentId: 'dev', image: 'registry.example.test/web:1' }],
    ...spec,
  })

const workload = (name: string) => organization.get<Workload>('workloads', `shop.${name}`)

const until = (name: string, type: string, reason?: string) =>
  eventually(`${type} of '${name}'`, 60_000, async () => {
    const found = await workload(name)
    const isObserved = found?.status?.observedGeneration === found?.metadata.generation
    const holds = isObserved && conditionStatus(found, type) === 'True'
    if (holds && (reason === undefined || readyOf(found).reason === reason)) return found
    throw new Error(JSON.stringify(found?.status))
  })

async function deploymentsTo(environment: string): Promise<EnvironmentDeployment[]> {
  const all = await organization.list<EnvironmentDeployment>('environmentdeployments')
  return all.filter(({ spec }) => spec.environmentName === `shop.${environment}`)
}

async function setOf(environment: string) {
  const { body } = await organization.rest('GET', `${envs}/${environment}/deploys`)
  return (await organization.rest('GET', `/apps/shop/sets/${body[0].set_id}`)).body
}

beforeAll(async () => {
  await organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login' },
    stringData: { password: secret },
  })
  const echo = { driverType: 'quartermaster/echo', criteria: [{}] }
  await organization.define('workload', { type: 'workload', ...echo })
  await organization.define('redis', {
    type: 'redis',
    ...echo,
    driverInputs: { values: { host: 'redis', port: 6379 } },
  })
  await organization.define('dns', {
    type: 'dns',
    ...echo,
    driverInputs: { values: { host: '${context.env.id}.example.test' } },
  })
  await organization.define('postgres', {
    type: 'postgres',
    ...echo,
    driverInputs: {
      values: { host: 'postgres', port: 5432, name: 'main' },
      secretRefs: {
        username: { secret: 'login', key: 'password' },
        password: { secret: 'login', key: 'password' },
      },
    },
  })
  await organization.application('shop')
  await organization.environment('shop', 'dev')
})

const names = Array.from({ length: 10 }, (_, i) => `web-${i}`)

describe('Workloads', () => {
  test('that are applied together are one deployment, and their status says what is deployed', async () => {
    for (const each of names) await applied(each)
    const found = await until('web-3', 'Ready')
    for (const each of names) await until(each, 'Ready')
    expect(await deploymentsTo('dev')).toHaveLength(1)
    expect(Object.keys((await setOf('dev')).modules).sort()).toEqual(names)
    expect(found.status?.environments).toEqual([
      {
        environmentId: 'dev',
        state: 'succeeded',
        contentHash: expect.any(String),
        sharedIds: ['cache'],
        deploymentName: 'shop.dev.1',
        url: 'http://dev.example.test',
        resources: [
          { object: 'dns.default#modules.web-3.externals.host', state: 'ready', outputs: ['host'] },
          {
            object: 'postgres.default#modules.web-3.externals.db',
            state: 'ready',
            outputs: ['host', 'password'],
          },
          { object: 'redis.default#shared.cache', state: 'ready', outputs: ['host'] },
          { object: 'workload.default#modules.web-3', state: 'ready' },
        ],
      },
    ])
    expect(JSON.stringify(found)).not.toContain(secret)
  })

  test('that are applied again unchanged are not deployed again', async () => {
    const before = await workload('web-3')
    for (const each of names) await applied(each)
    await applied('web-0', { images: [{ environmentId: 'dev', image: 'registry.example.test/web:2' }] })
    await eventually(
      'the second deployment',
      60_000,
      async () => (await deploymentsTo('dev')).length === 2 || undefined,
    )
    await organization.ended('shop.dev.2')
    await until('web-0', 'Ready')
    expect(await deploymentsTo('dev')).toHaveLength(2)
    // A deployment that leaves a workload unchanged does not write its status.
    expect((await workload('web-3'))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion)
  })

  test('that are deleted leave the set, and their resources are kept', async () => {
    await organization.remove('workloads', 'shop.web-9')
    await eventually('its end', 60_000, async () => ((await workload('web-9')) ? undefined : true))
    const set = await setOf('dev')
    expect([Object.keys(set.modules).sort(), Object.keys(set.shared)]).toEqual([names.slice(0, 9), ['cache']])
    const kept = await organization.resources()
    expect(
      kept
        .filter(({ spec }) => spec.resourceId.startsWith('modules.web-9.'))
        .map(({ spec }) => spec.type)
        .sort(),
    ).toEqual(['dns', 'postgres'])
  })

  test('with a bad document are Stalled with the path, and what is deployed stays', async () => {
    await applied('web-8', { score: { ...score('web-8'), containers: { main: { imgae: 'x' } } } })
    const found = await until('web-8', 'Stalled', 'InvalidWorkload')
    expect(readyOf(found).message).toContain("'containers.main'")
    expect(Object.keys((await setOf('dev')).modules)).toContain('web-8')
    await applied('web-8')
    await until('web-8', 'Ready')
  })

  test('wait for an environment that does not exist yet', async () => {
    await applied('late', { environmentIds: ['dev', 'later'] })
    await eventually(
      'waiting',
      60_000,
      async () => readyOf(await workload('late')).reason === 'EnvironmentNotFound' || undefined,
    )
    await organization.environment('shop', 'later', 'production')
    const found = await until('late', 'Ready')
    expect(found.status?.environments?.map(({ environmentId, state }) => [environmentId, state])).toEqual([
      ['dev', 'succeeded'],
      ['later', 'succeeded'],
    ])
    expect(Object.keys((await setOf('later')).modules)).toEqual(['late'])
  })

  test('that leave an environment are removed from it', async () => {
    await applied('late', { environmentIds: ['dev'] })
    await eventually('its end there', 60_000, async () => {
      const found = await workload('late')
      return found?.status?.environments?.length === 1 || undefined
    })
    expect(Object.keys((await setOf('later')).modules)).toEqual([])
  })

  test('run where the labels of an environment fit', async () => {
    await organization.kube(
      'PATCH',
      `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/environments/shop.later`,
      { metadata: { labels: { tier: 'late' } } },
      'application/merge-patch+json',
    )
    await applied('selected', {
      environmentIds: undefined,
      environmentSelector: { matchLabels: { tier: 'late' } },
    })
    const found = await until('selected', 'Ready')
    expect(found.status?.environments?.map(({ environmentId }) => environmentId)).toEqual(['later'])
  })
})

describe('a module of a Workload', () => {
  const deployDelta = async (modules: object) => {
    const { body } = await organization.rest('POST', '/apps/shop/deltas', { modules })
    return organization.rest('POST', `${envs}/dev/deploys`, { delta_id: body.id })
  }

  test('cannot be changed by a delta over REST', async () => {
    const path = '/spec/containers/main/image'
    const answer = await deployDelta({ update: { 'web-0': [{ op: 'replace', path, value: 'x' }] } })
    expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining("'shop.web-0'")])
    expect((await deployDelta({ remove: ['web-0'] })).status).toBe(409)
  })

  test('is left alone by a delta for other modules, and leaves them alone', async () => {
    const answer = await deployDelta({
      add: { own: { profile: 'quartermaster/default-module', spec: {}, externals: {} } },
    })
    expect(answer.status).toBe(201)
    await organization.ended(answer.body.id)
    await applied('web-1', { images: [{ environmentId: 'dev', image: 'registry.example.test/web:3' }] })
    await eventually('its deployment', 60_000, async () => {
      const set = await setOf('dev')
      return set.modules['web-1'].spec.containers.main.image.endsWith(':3') || undefined
    })
    await until('web-1', 'Ready')
    expect((await setOf('dev')).modules.own).toBeDefined()
  })

  test('is taken over from a delta only with adopt', async () => {
    await applied('own')
    await eventually(
      'the problem',
      60_000,
      async () => readyOf(await workload('own')).reason === 'ModuleTaken' || undefined,
    )
    expect((await setOf('dev')).modules.own.spec).toEqual({})
    await applied('own', { adopt: true })
    await until('own', 'Ready')
    expect((await setOf('dev')).modules.own.spec.containers.main.id).toBe('main')
  })

  test('is a problem of a deployment by kubectl that changes it', async () => {
    await organization.apply('deploymentsets', 'DeploymentSet', 'shop.empty', {
      applicationName: 'shop',
      modules: {},
      shared: {},
    })
    await organization.apply('environmentdeployments', 'EnvironmentDeployment', 'by-kubectl', {
      environmentName: 'shop.dev',
      setName: 'shop.empty',
    })
    const found = await eventually('its problems', 60_000, async () => {
      const deployment = await organization.get<EnvironmentDeployment>('environmentdeployments', 'by-kubectl')
      return deployment?.status?.problems
    })
    expect(found).toContainEqual(expect.objectContaining({ object: 'web-0', reason: 'OwnedByWorkload' }))
  })
})

test('deleting the application ends its Workloads', async () => {
  await organization.remove('applications', 'shop')
  await eventually('the end', 120_000, async () =>
    (await organization.list('workloads')).length === 0 ? true : undefined,
  )
})
