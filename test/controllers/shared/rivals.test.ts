import { beforeEach, expect, test } from '@jest/globals'
import { type Kind, newObject } from '../../../operator/api/kind.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { SharedValue } from '../../../operator/api/shared-value.ts'
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

test.each<[what: string, kind: Kind, spec: object]>([
  ['criterion', ResourceDefinition, definition],
  ['key', SharedValue, value],
])('who has a %s is asked again when another one with it is created or deleted', (_, kind, spec) => {
  const planning = createPlanning(cluster.store, { catalogue: [], vendors, log: silentLog })
  const { watches = [] } =
    kind === SharedValue
      ? sharedValueController(cluster, starts)
      : resourceDefinitionController(cluster, planning, vendors, starts)
  const enqueued: string[] = []
  for (const watch of watches) watch.subscribe((keys) => enqueued.push(...keys))
  const put = (name: string, more: object = {}) =>
    cluster.put(kind, newObject(kind, { namespace: 'acme', name }, { ...spec, ...more }))
  put('second')
  put('other', kind === SharedValue ? { key: 'OTHER' } : { criteria: [{ envId: 'other' }] })
  expect(enqueued).toEqual([])
  // Both are of the same second, and the name decides.
  put('first')
  expect(enqueued.splice(0)).toEqual(['acme/second'])
  cluster.drop(kind, 'acme', 'first')
  expect(enqueued).toEqual(['acme/second'])
})
