import { beforeEach, expect, test } from '@jest/globals'
import { Application } from '../../../operator/api/application.ts'
import { newObject, type StoredMeta } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { startOrganizationRights } from '../../../operator/controllers/organization/rights.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { storedMeta } from '../../support/builders.ts'

const deletionTimestamp = '2026-01-01T00:00:00Z'
let isBound: boolean

/** The namespace, which has an object with our finalizer or none, as the task finds it. */
async function find({
  isLabelled,
  isKnown = true,
  hasObject,
  ...metadata
}: { isLabelled: boolean; isKnown?: boolean; hasObject: boolean } & Partial<StoredMeta>): Promise<void> {
  const cluster = createFakeCluster()
  if (isLabelled) cluster.addOrganization('acme')
  const named = { name: 'shop', namespace: 'acme' }
  const application = newObject(Application, named, {})
  if (hasObject) cluster.put(Application, { ...application, metadata: { ...named, finalizers: [finalizer] } })
  const own = storedMeta({ name: 'acme', ...metadata })
  // The cache has those with the label alone.
  if (isKnown) cluster.store.namespaces.set({ apiVersion: 'v1', kind: 'Namespace', metadata: own })
  const bindings = {
    bindOrganization: async () => {
      isBound = true
    },
    unbind: async () => {
      isBound = false
    },
    bindOperator: async () => {},
    bound: async () => ['acme'],
    isTerminating: async () => metadata.deletionTimestamp !== undefined,
  }
  const task = await startOrganizationRights(cluster, bindings, silentLog, () => true)
  await new Promise((resolve) => setTimeout(resolve, 20))
  await task.stop()
}

beforeEach(() => {
  isBound = true
})

test.each<[which: string, given: Parameters<typeof find>[0], keepsRights: boolean]>([
  ['with the label are there', { isLabelled: true, hasObject: false }, true],
  ['without the label are not there', { isLabelled: false, hasObject: true }, false],
  [
    'that terminates are kept while it has objects',
    { isLabelled: true, hasObject: true, deletionTimestamp },
    true,
  ],
  [
    'that terminates are kept while it has objects, also without the label',
    { isLabelled: false, hasObject: true, deletionTimestamp },
    true,
  ],
  [
    'that lost the label when it terminated are kept while it has objects',
    { isLabelled: false, isKnown: false, hasObject: true, deletionTimestamp },
    true,
  ],
  [
    'that lost the label when it terminated end with the last object',
    { isLabelled: false, isKnown: false, hasObject: false, deletionTimestamp },
    false,
  ],
  ['that lost the label end', { isLabelled: false, isKnown: false, hasObject: true }, false],
  [
    'that terminates end with the last object',
    { isLabelled: true, hasObject: false, deletionTimestamp },
    false,
  ],
])('the rights to Secrets in a namespace %s', async (_, given, keepsRights) => {
  await find(given)
  expect(isBound).toBe(keepsRights)
})
