import { expect, test } from '@jest/globals'
import { Application } from '../../../operator/api/application.ts'
import type { ObjectMeta } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import type { WorkContext } from '../../../operator/kube/loop/controller.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { storedObject } from '../../support/builders.ts'

const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer] }

test.each<[work: string, metadata: Partial<ObjectMeta>, isLeading: boolean]>([
  ['a reconcile continues after a report', {}, true],
  ['a deletion continues after a report', deleted, true],
  ['a reconcile that lost the lead ends at its next report, which would not be written', {}, false],
  ['a deletion that lost the lead ends at its next report, which would not be written', deleted, false],
])('%s', async (_, metadata, isLeading) => {
  const done: string[] = []
  const fake = createFakeCluster()
  const cluster: FakeCluster = {
    ...fake,
    async replaceStatus(kind, { metadata: { namespace, name } }) {
      done.push('record')
      return fake.store.get(kind, namespace, name) as never // it was put there
    },
  }
  cluster.addOrganization('acme')
  cluster.put(Application, storedObject(Application, { name: 'shop', ...metadata }, {}))
  let isActive = true
  async function work({ report }: Pick<WorkContext<typeof Application>, 'report'>) {
    isActive = isLeading
    await report({}, 'about to act')
    done.push('act')
  }
  const loop = startController(
    cluster,
    {
      kind: Application,
      reconcile: async (__, context) => {
        await work(context)
        return {}
      },
      finalize: (__, context) => work(context),
    },
    { log: silentLog, isActive: () => isActive },
  )
  await loop.queue.idle()
  await loop.stop()
  expect(done.slice(0, 2)).toEqual(isLeading ? ['record', 'act'] : [])
})

test('a reconcile that is at work when the process stops ends before its next step, and records nothing', async () => {
  const done: string[] = []
  const cluster = createFakeCluster()
  cluster.addOrganization('acme')
  cluster.put(Application, storedObject(Application, { name: 'shop' }, {}))
  const replaceStatus = async () => void done.push('record') as never
  const loop = startController(
    { ...cluster, replaceStatus },
    {
      kind: Application,
      async reconcile(__, { throwIfStopping }) {
        done.push('first step')
        throwIfStopping()
        done.push('second step')
        void loop.stop()
        throwIfStopping()
        done.push('third step')
        return {}
      },
    },
    { log: silentLog, isActive: () => true },
  )
  await loop.queue.idle()
  await loop.stop()
  expect(done).toEqual(['first step', 'second step'])
})
