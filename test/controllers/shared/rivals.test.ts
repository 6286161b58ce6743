import { beforeEach, expect, test } from '@jest/globals'
import { type Kind, newObject } from '../../../operator/api/kind.ts'
import { Registry } from '../../../operator/api/registry.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { SharedValue } from '../../../operator/api/shared-value.ts'
import { registryController } from '../../../operator/controllers/image/registry.ts'
import { resourceDefinitionController } from '../../../operator/controllers/resource-definition.ts'
import { OngoingStarts } from '../../../operator/controllers/shared/ongoing-starts.ts'
import { sharedValueController } from '../../../operator/controllers/shared-value.ts'
import { silentLog } from '../../../operator/log.ts'
import { createPlanning } from '../../../operator/planning/planning.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'

const cluster = createFakeCluster()
const vendors = ['quartermaster']
const starts = new OngoingStarts()

beforeEach(() => cluster.reset())

const definition = { type: 'redis', driverType: 'quartermaster/echo', criteria: [{ envId: 'same' }] }
const value = { applicationName: 'shop', key: 'SAME', value: 'x' }

const registry = { registry: 'reg.example.com', type: 'public' }

/** Objects of a kind, of which the first two want the same, and who is asked again. */
function follow(kind: Kind, spec: object, other: object) {
  const planning = createPlanning(cluster.store, { catalogue: [], vendors, log: silentLog })
  const controllers = [
    sharedValueController(cluster, starts),
    resourceDefinitionController(cluster, planning, vendors, starts),
    registryController(cluster),
  ]
  const enqueued: string[] = []
  for (const { watches = [] } of controllers.filter((each) => each.kind === kind))
    for (const watch of watches) watch.subscribe((keys) => enqueued.push(...keys))
  // A cache keeps the spec of an object whose metadata changes.
  const put = (name: string, metadata: object = {}) =>
    cluster.put(kind, newObject(kind, { namespace: 'acme', name, ...metadata }, spec))
  put('second')
  cluster.put(kind, newObject(kind, { namespace: 'acme', name: 'other' }, { ...spec, ...other }))
  expect(enqueued).toEqual([])
  // Both are of the same second, and the name decides.
  put('first', { uid: 'uid-of-first' })
  return { enqueued, put }
}

const rows: [what: string, kind: Kind, spec: object, other: object][] = [
  ['criterion', ResourceDefinition, definition, { criteria: [{ envId: 'other' }] }],
  ['key', SharedValue, value, { key: 'OTHER' }],
  ['registry', Registry, registry, { registry: 'other.example.com' }],
]

test.each(rows)('who has a %s is asked again when another one with it is created or deleted', (...row) => {
  const [, kind, spec, other] = row
  const { enqueued } = follow(kind, spec, other)
  expect(enqueued.splice(0)).toEqual(['acme/second'])
  cluster.drop(kind, 'acme', 'first')
  expect(enqueued).toEqual(['acme/second'])
})

test.each(rows)('who waits for a %s is asked again when the deletion of its holder begins', (...row) => {
  const [, kind, spec, other] = row
  const { enqueued, put } = follow(kind, spec, other)
  enqueued.splice(0)
  // Another controller keeps it.
  put('first', { uid: 'uid-of-first', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/y'] })
  expect([...new Set(enqueued)]).toEqual(['acme/second'])
})

test.each(rows)(
  'who waits for a %s is asked again when a later object has the name of its holder',
  (...row) => {
    const [, kind, spec, other] = row
    const { enqueued, put } = follow(kind, spec, other)
    enqueued.splice(0)
    put('first', { uid: 'uid-of-a-later-one' })
    expect([...new Set(enqueued)]).toEqual(['acme/second'])
  },
)
