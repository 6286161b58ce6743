import { describe, expect, test } from '@jest/globals'
import { DeploymentDelta } from '../../../../operator/api/deployment-delta.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { addEnvironment, finish } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'
import { showStale } from '../../support/stale-objects.ts'

const gateway = await setUpGateway(() => {
  addEnvironment(gateway)
  addEnvironment(gateway, 'production')
  addEnvironment(gateway, 'development', 'development', 'blog')
})

const headers = { 'idempotency-key': 'once' }
const web = { profile: 'humanitec/default-module', spec: {} }

async function request(more: object = {}, application = 'shop') {
  const deltas = `POST /orgs/acme/apps/${application}/deltas`
  const { body } = await gateway.send(deltas, { body: { modules: { add: { web } } } })
  return { trigger: 'deployment_request', env_id: 'development', delta_id: body.id, ...more }
}

/** Asks for a run with the key. */
function run(body: object, { as = 'admin', application = 'shop' } = {}) {
  return gateway.send(`POST /orgs/acme/apps/${application}/pipeline-runs`, { as, body, headers })
}

function deploymentNames() {
  return gateway.cluster.store.list(EnvironmentDeployment, 'acme').map(({ metadata }) => metadata.name)
}

describe('requests with the same Idempotency-Key', () => {
  test('deploy once, and get the same answer', async () => {
    const body = await request()
    const first = await run(body)
    expect(await run(body)).toMatchObject({ status: 201, body: first.body })
    const withoutKey = await gateway.send('POST /orgs/acme/apps/shop/pipeline-runs', { body })
    expect(withoutKey.status).toBe(409)
  })

  test('get the same answer in any order of the fields', async () => {
    const body = await request({ comment: 'first' })
    const first = await run(body)
    const again = await run(Object.fromEntries(Object.entries(body).reverse()))
    expect(again).toMatchObject({ status: 201, body: first.body })
  })

  test('get the same answer when they race', async () => {
    const body = await request()
    const answers = await Promise.all(Array.from({ length: 5 }, () => run(body)))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1)
  })

  test('get the same answer when they race through two gateways, one with a stale cache', async () => {
    const body = await request()
    const first = await run(body)
    const made = gateway.cluster.store.list(EnvironmentDeployment, 'acme')
    gateway.cluster.drop(EnvironmentDeployment, 'acme', first.body.id)
    const { create } = gateway.cluster
    Object.assign(gateway.cluster, {
      async create(...given: Parameters<typeof create>) {
        for (const each of made) gateway.cluster.put(EnvironmentDeployment, each)
        return create(...given)
      },
    })
    const again = await run(body)
    Object.assign(gateway.cluster, { create })
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id } })
  })

  test('are refused when another one began to deploy meanwhile, beside one of another application', async () => {
    await run(await request({}, 'blog'), { application: 'blog' })
    const body = await request()
    const { create } = gateway.cluster
    const metadata = { namespace: 'acme', name: 'shop.development.1' }
    const other = newObject(EnvironmentDeployment, metadata, { environmentName: 'shop.development' })
    Object.assign(gateway.cluster, {
      async create(...given: Parameters<typeof create>) {
        if (given[0].kind === other.kind) gateway.cluster.put(EnvironmentDeployment, other)
        return create(...given)
      },
    })
    const { status } = await run(body)
    Object.assign(gateway.cluster, { create })
    expect(status).toBe(409)
  })

  test('cost no question to the cluster once the answer is known', async () => {
    const body = await request()
    await run(body)
    const { read } = gateway.cluster
    Object.assign(gateway.cluster, { read: () => Promise.reject(new Error('unreachable')) })
    const again = await run(body)
    Object.assign(gateway.cluster, { read })
    expect(again.status).toBe(201)
  })

  test('get the same answer when the cache of a gateway lacks deployments that have ended', async () => {
    const body = await request()
    const first = await run(body)
    finish(gateway, first.body.id)
    await gateway.send('POST /orgs/acme/apps/shop/envs/development/deploys', { body: {} })
    finish(gateway, 'shop.development.2')
    const restores = [1, 2].map((number) =>
      showStale(gateway, EnvironmentDeployment, `shop.development.${number}`, []),
    )
    const again = await run(body)
    for (const restore of restores.toReversed()) restore()
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id } })
    expect(deploymentNames()).toHaveLength(2)
  })

  test('get the same answer when the delta can no longer be deployed', async () => {
    const body = await request()
    const first = await run(body)
    finish(gateway, 'shop.development.1')
    gateway.cluster.drop(DeploymentDelta, 'acme', body.delta_id)
    expect(await run(body)).toMatchObject({ status: 201, body: { id: first.body.id } })
  })

  test.each<[string, object]>([
    ['to another environment', { env_id: 'production' }],
    ['of another delta', { delta_id: 'gone' }],
    ['with another comment', { comment: 'second' }],
  ])('%s are refused: 422', async (_, more) => {
    const body = await request()
    await run(body)
    finish(gateway, 'shop.development.1')
    expect((await run({ ...body, ...more })).status).toBe(422)
    expect(deploymentNames()).toEqual(['shop.development.1'])
  })

  test('to two environments that race deploy once', async () => {
    const body = await request()
    const answers = await Promise.all([run(body), run({ ...body, env_id: 'production' })])
    const statuses = answers.map(({ status }) => status).toSorted((left, right) => left - right)
    expect(statuses).toEqual([201, 422])
    expect(deploymentNames()).toHaveLength(1)
  })

  test('deploy once each when two users send them', async () => {
    gateway.addUser('ann')
    gateway.addMember('acme', 'ann', { role: 'administrator' })
    const body = await request()
    await run(body)
    expect((await run({ ...body, env_id: 'production' }, { as: 'ann' })).status).toBe(201)
  })

  test('deploy once each in two applications', async () => {
    await run(await request())
    const other = await run(await request({}, 'blog'), { application: 'blog' })
    expect(other).toMatchObject({ status: 201, body: { id: 'blog.development.1' } })
  })

  test('are requests without a key when it is empty', async () => {
    const body = await request()
    const send = (comment: string) =>
      gateway.send('POST /orgs/acme/apps/shop/pipeline-runs', {
        body: { ...body, comment },
        headers: { 'idempotency-key': '' },
      })
    expect((await send('first')).status).toBe(201)
    finish(gateway, 'shop.development.1')
    expect((await send('second')).body).toMatchObject({ id: 'shop.development.2' })
  })

  test('are not used up by one that was refused, nor by one that was only tried', async () => {
    const body = await request()
    const tried = 'POST /orgs/acme/apps/shop/pipeline-runs?dry_run=true'
    expect((await gateway.send(tried, { body: { ...body, comment: 'try' }, headers })).status).toBe(204)
    expect((await run({ ...body, delta_id: 'gone' })).status).toBe(400)
    expect((await run(body)).status).toBe(201)
  })
})
