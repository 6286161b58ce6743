import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { Application } from '../../../operator/api/application.ts'
import type { ObjectMeta } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { storedObject } from '../../support/builders.ts'

const settledCount = 200
const settled: Application['status'] = {
  observedGeneration: 1,
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Reconciled',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
}

function application(
  name: string,
  status?: Application['status'],
  metadata: Partial<ObjectMeta> = {},
): Application {
  return { ...storedObject(Application, { name, generation: 1, ...metadata }, {}), status }
}

test.each<[state: string, unfinished: Application]>([
  ['is not ready', application('unfinished')],
  ['has changed', application('unfinished', settled, { generation: 2 })],
  [
    'is being deleted',
    application('unfinished', settled, {
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: [finalizer],
    }),
  ],
])(
  'a loop that starts looks at an object that %s, and at changes, before hundreds that are settled',
  async (_, unfinished) => {
    const cluster = createFakeCluster()
    cluster.addOrganization('acme')
    for (let index = 0; index < settledCount; index += 1)
      cluster.put(Application, application(`settled-${index}`, settled))
    cluster.put(Application, unfinished)
    const seen: string[] = []
    let newAt = 0
    async function look({ metadata: { name } }: Application) {
      seen.push(name)
      if (seen.length === 20) {
        cluster.put(Application, application('new'))
        newAt = seen.length
      }
      await turn()
    }
    const controller = {
      kind: Application,
      workers: 1,
      reconcile: async (object: Application) => {
        await look(object)
        return {}
      },
      finalize: look,
    }
    const loop = startController(cluster, controller, { log: silentLog, isActive: () => true })
    await loop.queue.idle()
    await loop.stop()
    expect(seen.indexOf('unfinished')).toBeLessThan(5)
    expect(seen.indexOf('new')).toBeLessThan(newAt + 5)
    expect(new Set(seen).size).toBe(settledCount + 2)
  },
)
