import { describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../../operator/api/kind.ts'
import { addEnvironment, addResource } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)
const operation = 'GET /orgs/acme/apps/shop/envs/development/resources/dns/shared.main/events'

function addEvent(uid: string | undefined, event: object, namespace = 'acme'): void {
  const metadata = { name: `event-${gateway.cluster.foreign.length}`, namespace }
  const timed = { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z' }
  const made = { apiVersion: 'v1', kind: 'Event', metadata: timed, involvedObject: { uid }, ...event }
  gateway.cluster.foreign.push(made as KubeObject) // of another kind than ours
}

function resourceUid(): string | undefined {
  const name = addResource(gateway)
  return gateway.cluster.store.get(ActiveResource, 'acme', name)?.metadata.uid
}

describe('the Events of an active resource', () => {
  test('are those of the object, newest first, of both forms of the API', async () => {
    const uid = resourceUid()
    const first = { type: 'Warning', reason: 'DriverFailed', message: 'no', count: 3 }
    addEvent(uid, { ...first, lastTimestamp: '2026-01-02T00:00:00Z' })
    addEvent(uid, { type: 'Normal', reason: 'Reconciled', eventTime: '2026-01-03T00:00:00.5Z' })
    addEvent(uid, {})
    const { status, body } = await gateway.send(operation)
    expect([status, body]).toEqual([
      200,
      [
        { at: '2026-01-03T00:00:00.5Z', type: 'Normal', reason: 'Reconciled', message: '', count: 1 },
        { at: '2026-01-02T00:00:00Z', ...first },
        { at: '2026-01-01T00:00:00Z', type: 'Normal', reason: '', message: '', count: 1 },
      ],
    ])
  })

  test('are in the order of their times, with and without fractions of a second', async () => {
    const uid = resourceUid()
    addEvent(uid, { reason: 'Second', eventTime: '2026-01-02T00:00:00.500000Z' })
    addEvent(uid, { reason: 'First', lastTimestamp: '2026-01-02T00:00:00Z' })
    const { body } = await gateway.send(operation)
    expect(body.map(({ reason }: { reason: string }) => reason)).toEqual(['Second', 'First'])
  })

  test('are not those of an earlier resource of the same name, nor of another organization', async () => {
    const uid = resourceUid()
    addEvent('another', { reason: 'Earlier' })
    addEvent(uid, { reason: 'Elsewhere' }, 'globex')
    expect((await gateway.send(operation)).body).toEqual([])
  })

  test('are at most 100', async () => {
    const uid = resourceUid()
    for (let index = 0; index < 120; index += 1) addEvent(uid, { reason: 'Again' })
    expect((await gateway.send(operation)).body).toHaveLength(100)
  })

  test('of a resource that does not exist are not found', async () => {
    expect((await gateway.send(operation)).status).toBe(404)
  })
})
