import {
  instanceOfEnvironmentRuntimeInfoResponse,
  instanceOfRuntimeInfoResponseV1,
  instanceOfRuntimeInfoResponseV2,
} from '@humanitec/autogen'
import { describe, expect, test } from '@jest/globals'
import { Environment } from '../../../../operator/api/environment.ts'
import { storedMeta } from '../../../support/builders.ts'
import { addEnvironment, addResource, ready, stalled } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const app = '/orgs/acme/apps/shop'
const environment = `${app}/envs/development`
const namespace = 'acme--shop--development'
const gateway = await setUpGateway((each) => addEnvironment(each))

/** A workload of `shop.development` whose pods objects of this kind run. */
function addWorkload(id: string, kind = 'Deployment', status: object = ready): string {
  const objects = [{ apiVersion: kind === 'Deployment' ? 'apps/v1' : 'batch/v1', kind, namespace, name: id }]
  return addResource(
    gateway,
    { type: 'workload', resourceId: `modules.${id}`, definition: 'workload' },
    { status: { ...status, objects } },
  )
}

/** The Deployment of a workload, without pods. */
function addDeployment(id: string, guResId: string): void {
  const labels = {
    'app.kubernetes.io/name': id,
    'app.kubernetes.io/instance': guResId,
    'app.kubernetes.io/managed-by': 'quartermaster',
  }
  const metadata = storedMeta({ name: id, namespace, labels, generation: 1 })
  const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 }
  gateway.cluster.foreign.push({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: {}, status })
}

const specOf = () => gateway.cluster.store.get(Environment, 'acme', 'shop.development')?.spec
const setSpec = (spec: object) => {
  const { metadata, spec: before } = gateway.cluster.store.get(Environment, 'acme', 'shop.development') ?? {}
  if (metadata && before)
    gateway.cluster.put(Environment, {
      apiVersion: 'quartermaster.dev/v1alpha1',
      kind: 'Environment',
      metadata,
      spec: { ...before, ...spec },
    })
}

describe('the runtime of an environment', () => {
  test('has its namespace and its workloads, as clients read them', async () => {
    addDeployment('web', addWorkload('web'))
    const { status, headers, body } = await gateway.send(`GET ${environment}/runtime`)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(instanceOfRuntimeInfoResponseV1(body)).toBe(true)
    expect(body).toEqual({
      namespace,
      modules: {
        web: {
          web: {
            kind: 'Deployment',
            replicas: 1,
            status: 'Success',
            message: '',
            revision: 0,
            pods: [],
          },
        },
      },
    })
  })

  test('has the status of each workload in the second form, for clients that ask for it', async () => {
    addDeployment('web', addWorkload('web'))
    const headers = { accept: 'application/v2+json' }
    const answer = await gateway.send(`GET ${environment}/runtime`, { headers })
    expect(answer.headers.get('content-type')).toBe('application/v2+json')
    expect(instanceOfRuntimeInfoResponseV2(answer.body)).toBe(true)
    expect(answer.body.modules.web).toMatchObject({
      status: 'Running',
      status_class: 'Success',
      controllers: { 'deployment/web': { kind: 'Deployment' } },
    })
  })

  test('has the kind in the ID of an object only where two objects of a workload share a name', async () => {
    const guResId = addWorkload('web')
    addWorkload('migrate', 'Job')
    addDeployment('web', guResId)
    const deployment = gateway.cluster.foreign.at(-1)
    if (!deployment) throw new Error('no Deployment')
    gateway.cluster.foreign.push({ ...deployment, apiVersion: 'batch/v1', kind: 'Job' })
    const { body } = await gateway.send(`GET ${environment}/runtime`)
    expect(Object.keys(body.modules.web)).toEqual(['deployment/web', 'job/web'])
  })

  test('says why a workload is not ready, in the words of the operator', async () => {
    addDeployment('web', addWorkload('web', 'Deployment', stalled))
    const { body } = await gateway.send(`GET ${environment}/runtime`)
    expect(body.modules.web.web.message).toBe('it failed')
  })

  test('lists only the kinds that its workloads need, and nothing without workloads', async () => {
    await gateway.send(`GET ${environment}/runtime`)
    expect(gateway.cluster.lists).toEqual([])
    addWorkload('migrate', 'Job')
    await gateway.send(`GET ${environment}/runtime`)
    expect(gateway.cluster.lists.map((path) => path.split('/').at(-1) ?? '').sort()).toEqual(['jobs', 'pods'])
  })

  test('does not show objects of workloads that are no longer used', async () => {
    addDeployment('web', addWorkload('web'))
    addDeployment('old', 'an-old-id')
    const unused = { type: 'workload', resourceId: 'modules.unused', definition: 'workload' }
    const spec = { unusedSince: '2026-01-01T00:00:00Z' }
    addDeployment('unused', addResource(gateway, unused, { spec, status: ready }))
    addDeployment('cache', addResource(gateway, { type: 'redis' }, { status: ready }))
    const { body } = await gateway.send(`GET ${environment}/runtime`)
    expect(Object.keys(body.modules)).toEqual(['web'])
  })
})

describe('the runtime of several environments', () => {
  test('says of each whether it is paused, and the state of its workloads', async () => {
    addEnvironment(gateway, 'production')
    addDeployment('web', addWorkload('web'))
    setSpec({ paused: true })
    const { body } = await gateway.send(`GET ${app}/runtime?id=development&id=production&id=missing`)
    expect(body.every(instanceOfEnvironmentRuntimeInfoResponse)).toBe(true)
    expect(body).toEqual([
      { id: 'development', paused: true, status: 'Running' },
      { id: 'production', paused: false },
      { id: 'missing', paused: false, error: "environment 'missing' not found" },
    ])
  })

  test('is that of one environment, or of all', async () => {
    addEnvironment(gateway, 'production')
    const ids = async (query: string) =>
      (await gateway.send(`GET ${app}/runtime${query}`)).body.map(({ id }: { id: string }) => id)
    expect(await ids('?id=production')).toEqual(['production'])
    expect(await ids('')).toEqual(['development', 'production'])
  })

  test('is that of five environments at most', async () => {
    const ids = Array.from({ length: 6 }, (_, i) => `env-${i}`)
    const many = await gateway.send(`GET ${app}/runtime?${ids.map((id) => `id=${id}`).join('&')}`)
    expect([many.status, many.body.message]).toEqual([400, "query: 'id' must not have more than 5 items"])
    const wrong = await gateway.send(`GET ${app}/runtime?id=development&id=a_b`)
    expect([wrong.status, wrong.body.message]).toEqual([
      400,
      expect.stringMatching(/^query: 'id\.1' must have/),
    ])
    for (const id of ids) addEnvironment(gateway, id, 'development')
    const all = await gateway.send(`GET ${app}/runtime`)
    expect([all.status, all.body.message]).toEqual([400, expect.stringMatching(/the application has 7$/)])
  })
})

describe('pausing', () => {
  test('is written to the environment, and resuming takes it away', async () => {
    const before = specOf()
    const put = (body: unknown) => gateway.send(`PUT ${environment}/runtime/paused`, { body })
    expect((await put(true)).status).toBe(204)
    expect(specOf()?.paused).toBe(true)
    expect((await put(false)).status).toBe(204)
    expect(specOf()).toEqual(before)
  })

  test('needs a JSON boolean and an environment', async () => {
    expect((await gateway.send(`PUT ${environment}/runtime/paused`, { body: 'true' })).status).toBe(422)
    expect((await gateway.send(`PUT ${app}/envs/missing/runtime/paused`, { body: true })).status).toBe(404)
  })
})

describe('numbers of pods', () => {
  const patch = (body: unknown) => gateway.send(`PATCH ${environment}/runtime/replicas`, { body })

  test('are written to the environment, one workload at a time or several, until null removes one', async () => {
    for (const id of ['web', 'worker']) addWorkload(id)
    expect((await patch({ web: 3, worker: 0 })).status).toBe(204)
    expect((await patch({ web: 4 })).status).toBe(204)
    expect(specOf()?.replicas).toEqual({ web: 4, worker: 0 })
    expect((await patch({ web: null })).status).toBe(204)
    expect(specOf()?.replicas).toEqual({ worker: 0 })
  })

  test('can be removed after their workload was', async () => {
    setSpec({ replicas: { gone: 2 } })
    expect((await patch({ gone: null })).status).toBe(204)
    expect(specOf()?.replicas).toEqual({})
  })

  test.each<[rule: string, body: unknown, status: number, message: RegExp]>([
    ['of an unknown workload', { wbe: 2 }, 400, /'wbe' is not deployed.*did you mean 'web'/],
    ['of an unknown workload, also when it is null', { other: null }, 400, /'other'/],
    ['of a workload that is gone, although it has one', { gone: 3 }, 400, /'gone' is not deployed/],
    ['of a Job', { migrate: 2 }, 400, /runs Jobs, which have no replicas/],
    ['below zero', { web: -1 }, 400, /web/],
    ['beyond what Kubernetes accepts', { web: 3_000_000_000 }, 400, /web/],
    ['that are no numbers', { web: '2' }, 422, /web/],
    ['that are no whole numbers', { web: 1.5 }, 422, /web/],
    ['that are no map', [], 422, /body/],
  ])('%s are refused', async (_, body, status, message) => {
    addWorkload('web')
    addWorkload('migrate', 'Job')
    setSpec({ replicas: { gone: 2 } })
    const before = specOf()
    const answer = await patch(body)
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)])
    expect(specOf()).toEqual(before)
  })

  test('of an unknown environment are refused', async () => {
    const answer = await gateway.send(`PATCH ${app}/envs/missing/runtime/replicas`, { body: {} })
    expect(answer.status).toBe(404)
  })
})

describe('a restart', () => {
  const restart = (body: unknown) => gateway.send(`POST ${environment}/runtime/actions/restart`, { body })

  test('is written to the environment for the named workloads, or for all that run all the time', async () => {
    for (const id of ['web', 'worker']) addWorkload(id)
    addWorkload('nightly', 'CronJob')
    expect((await restart({ workloads: ['web'] })).status).toBe(204)
    expect(Object.keys(specOf()?.restartTimes ?? {})).toEqual(['web'])
    expect((await restart({})).status).toBe(204)
    expect(Object.keys(specOf()?.restartTimes ?? {}).sort()).toEqual(['web', 'worker'])
  })

  test('writes nothing without workloads', async () => {
    expect((await restart({})).status).toBe(204)
    expect(gateway.cluster.writes).toEqual([])
  })

  test.each([
    ['an unknown workload', 'web', /'web' is not deployed/],
    ['a Job', 'migrate', /runs Jobs, which cannot be restarted/],
  ])('of %s is refused', async (_, id, message) => {
    addWorkload('migrate', 'Job')
    const answer = await restart({ workloads: [id] })
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(message)])
  })
})
