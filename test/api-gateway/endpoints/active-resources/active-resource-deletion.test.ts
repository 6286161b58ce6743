import { describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { annotations } from '../../../../operator/api/names.ts'
import { isDetached } from '../../../../operator/domain/resource/detach-mark.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment, addResource, finish } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'
import { showStale } from '../../support/stale-objects.ts'

// The time of a mark is that of the API server: a gateway whose clock is behind detaches too.
const clocks = { now: () => Date.now() - 3_600_000, serverNow: () => Date.now() }
const gateway = await setUpGateway(addEnvironment, clocks)

const environment = '/orgs/acme/apps/shop/envs/development'
const main = `DELETE ${environment}/resources/dns/shared.main`
const held = { finalizers: ['quartermaster.dev/finalizer'] }
const going = { ...held, deletionTimestamp: '2026-03-01T00:00:00Z' }

const marked = { [annotations.detach]: 'true' }

function find(name: string): ActiveResource | undefined {
  return gateway.cluster.store.get(ActiveResource, 'acme', name)
}

function markOf(name: string): string | undefined {
  return find(name)?.metadata.annotations?.[annotations.detach]
}

/** Lets the operator write a status before the second call of a method, as after a refused deletion. */
function setStatusBefore(method: 'patch', name: string): void {
  const { cluster } = gateway
  const original = cluster[method]
  let calls = 0
  Object.assign(cluster, {
    async [method](...given: Parameters<typeof original>) {
      calls += 1
      if (calls === 2) {
        Object.assign(cluster, { [method]: original })
        cluster.setStatus(ActiveResource, 'acme', name, {})
      }
      return original(...given)
    },
  })
}

/** Lets a resource go some time after it was asked to, as the operator does. */
function deprovisionSoon(name: string) {
  return setTimeout(() => gateway.cluster.drop(ActiveResource, 'acme', name), 1000)
}

describe('deleting an active resource', () => {
  test('answers 204 when it is deleted at once', async () => {
    const name = addResource(gateway)
    expect((await gateway.send(main)).status).toBe(204)
    expect(find(name)).toBeUndefined()
  })

  test('answers 204 when it is deprovisioned quickly', async () => {
    deprovisionSoon(addResource(gateway, {}, { metadata: held }))
    expect((await gateway.send(main)).status).toBe(204)
  })

  test('answers 202 while it is still there, without a mark to detach', async () => {
    const name = addResource(gateway, {}, { metadata: held })
    expect((await gateway.send(main)).status).toBe(202)
    expect(find(name)?.metadata.deletionTimestamp).toBeDefined()
    expect(find(name)?.metadata.annotations?.[annotations.detach]).toBeUndefined()
    expect((await gateway.send(`${main}?detach=false`)).status).toBe(202)
  })

  test.each([
    ['dns', { type: 'dns' }],
    ['dns.default', { type: 'dns' }],
    ['dns.fast', { type: 'dns', class: 'fast' }],
    ['acme%2Fdns', { type: 'acme/dns' }],
    ['acme%2Fdns.cls', { type: 'acme/dns', class: 'cls' }],
  ])('of type %s', async (type, descriptor) => {
    const name = addResource(gateway, { ...descriptor, resourceId: 'modules.web.externals.x' })
    const { status } = await gateway.send(`DELETE ${environment}/resources/${type}/modules.web.externals.x`)
    expect([status, find(name)]).toEqual([204, undefined])
  })

  test.each([
    ['another id', `${environment}/resources/dns/shared.other`],
    ['another class', `${environment}/resources/dns.fast/shared.main`],
    ['another type', `${environment}/resources/acme%2Fdns/shared.main`],
    ['an id that cannot be', `${environment}/resources/dns/%2E%2E%2Fx`],
    ['a type that cannot be', `${environment}/resources/a%20b/shared.main`],
    ['another environment', '/orgs/acme/apps/shop/envs/production/resources/dns/shared.main'],
    ['another organization', '/orgs/globex/apps/shop/envs/development/resources/dns/shared.main'],
  ])('by %s: not found', async (_, path) => {
    const name = addResource(gateway)
    expect((await gateway.send(`DELETE ${path}`)).status).toBe(404)
    expect((await gateway.send(`DELETE ${path}?detach=true`)).status).toBe(404)
    expect(find(name)).toBeDefined()
  })

  test.each([
    ['that was made again', '', true],
    ['that was made again', '?detach=true', true],
    ['that the cache lacks', '', false],
    ['that the cache lacks', '?detach=true', false],
  ])('%s a moment ago deletes it, with the query "%s"', async (_, query, hasEarlier) => {
    const name = addResource(gateway)
    const first = find(name)
    if (!first) throw new Error('no resource')
    gateway.cluster.drop(ActiveResource, 'acme', name)
    const { uid: _uid, ...metadata } = first.metadata
    gateway.cluster.put(ActiveResource, { ...first, metadata })
    const restore = showStale(gateway, ActiveResource, name, hasEarlier ? [first] : [])
    const { status } = await gateway.send(`${main}${query}`)
    restore()
    expect([status, find(name)]).toEqual([204, undefined])
  })

  test('is refused while a deployment of the environment has not finished', async () => {
    const name = addResource(gateway)
    await gateway.send(`POST ${environment}/deploys`, { body: {} })
    expect((await gateway.send(main)).status).toBe(409)
    expect((await gateway.send(`${main}?detach=true`)).status).toBe(409)
    expect(find(name)?.metadata).not.toHaveProperty('annotations')
    finish(gateway, 'shop.development.1')
    expect((await gateway.send(main)).status).toBe(204)
  })

  test('an unknown word for detach is refused', async () => {
    addResource(gateway)
    expect((await gateway.send(`${main}?detach=yes`)).status).toBe(400)
  })
})

describe('detaching an active resource', () => {
  test('marks it, then deletes it', async () => {
    const name = addResource(gateway, {}, { metadata: held })
    expect((await gateway.send(`${main}?detach=true`)).status).toBe(202)
    expect(isDetached(find(name)?.metadata ?? {})).toBe(true)
    expect(gateway.cluster.writes).toEqual([
      `patch ActiveResource acme/${name}`,
      `remove ActiveResource acme/${name}`,
    ])
  })

  const refusal = new ApiError(422, 'Invalid', 'a policy denied the request')

  test.each([
    ['nothing else happens', () => {}],
    ['the operator writes its status meanwhile', (name: string) => setStatusBefore('patch', name)],
  ])('that is refused leaves no mark, when %s', async (_, meanwhile) => {
    const name = addResource(gateway, {}, { metadata: held })
    gateway.cluster.failNext('remove ActiveResource', refusal)
    meanwhile(name)
    expect((await gateway.send(`${main}?detach=true`)).status).toBe(400)
    expect(markOf(name)).toBeUndefined()
  })

  test('that is refused leaves the mark of another client', async () => {
    const name = addResource(gateway, {}, { metadata: { ...held, annotations: marked } })
    gateway.cluster.failNext('remove ActiveResource', refusal)
    expect((await gateway.send(`${main}?detach=true`)).status).toBe(400)
    expect(markOf(name)).toBe('true')
  })

  test('that was accepted keeps the mark, even if the answer is lost', async () => {
    const name = addResource(gateway, {}, { metadata: held })
    const { remove } = gateway.cluster
    Object.assign(gateway.cluster, {
      async remove(...given: Parameters<typeof remove>) {
        await remove(...given)
        Object.assign(gateway.cluster, { remove })
        throw new ApiError(504, 'Timeout', 'the request timed out')
      },
    })
    expect((await gateway.send(`${main}?detach=true`)).status).toBe(500)
    expect(isDetached(find(name)?.metadata ?? {})).toBe(true)
  })

  test('that was accepted keeps the mark, even if the cache does not show it yet', async () => {
    const name = addResource(gateway, {}, { metadata: held })
    const { remove } = gateway.cluster
    Object.assign(gateway.cluster, {
      async remove(...given: Parameters<typeof remove>) {
        const before = find(name)
        await remove(...given)
        Object.assign(gateway.cluster, { remove })
        const restore = showStale(gateway, ActiveResource, name, before ? [before] : [])
        setTimeout(restore, 200)
        throw new ApiError(504, 'Timeout', 'the request timed out')
      },
    })
    expect((await gateway.send(`${main}?detach=true`)).status).toBe(500)
    expect(isDetached(find(name)?.metadata ?? {})).toBe(true)
  })

  test('marks it for a deletion that follows at once, in case that the process ends between the two', async () => {
    const name = addResource(gateway, {}, { metadata: held })
    await gateway.send(`${main}?detach=true`)
    const later = new Date(Date.now() + 3_600_000).toISOString()
    expect(isDetached({ ...find(name)?.metadata, deletionTimestamp: later })).toBe(false)
  })

  test('that ended before its deletion has no effect on a later deletion', async () => {
    const name = addResource(gateway, {}, { metadata: { ...held, annotations: marked } })
    expect((await gateway.send(main)).status).toBe(202)
    expect(find(name)?.metadata.deletionTimestamp).toBeDefined()
    expect(markOf(name)).toBeUndefined()
  })

  test('is not withdrawn by a second deletion', async () => {
    const name = addResource(gateway, {}, { metadata: { ...going, annotations: marked } })
    expect((await gateway.send(main)).status).toBe(202)
    expect(markOf(name)).toBe('true')
  })

  test('answers 204 when it is deleted', async () => {
    deprovisionSoon(addResource(gateway, {}, { metadata: held }))
    expect((await gateway.send(`${main}?detach=true`)).status).toBe(204)
  })

  test('ends a deletion that is under way, even while a deployment waits for it', async () => {
    const name = addResource(gateway, {}, { metadata: going })
    await gateway.send(`POST ${environment}/deploys`, { body: {} })
    deprovisionSoon(name)
    expect((await gateway.send(`${main}?detach=true`)).status).toBe(204)
    expect(gateway.cluster.writes).toContain(`patch ActiveResource acme/${name}`)
  })
})

test.each([
  ['', ['shared.going', 'shared.main']],
  ['?scheduled_deletion=true', ['shared.going']],
  ['?scheduled_deletion=false', ['shared.main']],
])('the list of active resources with %j', async (query, expected) => {
  addResource(gateway)
  addResource(gateway, { resourceId: 'shared.going' }, { metadata: going })
  const { body } = await gateway.send(`GET ${environment}/resources${query}`)
  expect(body.map(({ res_id }: { res_id: string }) => res_id)).toEqual(expected)
})
