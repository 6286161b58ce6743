import { setTimeout } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { find, findAll, refuseTaken } from '../../../../api-gateway/endpoints/common/find.ts'
import { Application } from '../../../../operator/api/application.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { createFakeCluster } from '../../support/fake-cluster.ts'

const [namespace, name] = ['acme', 'shop']
const going = { deletionTimestamp: '2026-03-01T00:00:00Z', finalizers: ['x/y'] }

test.each<[rule: string, metadata: object, endsAfterMs: number | undefined, problem: string | undefined]>([
  ['of an object is taken', {}, undefined, 'shop already exists'],
  ['of an object that was deleted since is free', {}, 0, undefined],
  ['of an object that ends soon is free then', going, 100, undefined],
  ['of an object whose deletion lasts is taken', going, undefined, 'shop is being deleted'],
])('an ID %s', async (_, metadata, endsAfterMs, problem) => {
  const cluster = createFakeCluster()
  const object = newObject(Application, { namespace, name, ...metadata }, { displayName: 'n' })
  const known = cluster.put(Application, object)
  const drop = () => cluster.drop(Application, namespace, name)
  if (endsAfterMs === 0) drop()
  else if (endsAfterMs !== undefined) void setTimeout(endsAfterMs).then(drop)
  const call = refuseTaken(cluster, Application, known, 'shop')
  if (problem === undefined) await call
  else await expect(call).rejects.toMatchObject({ reason: 'Conflict', message: problem })
})

test('an object that is being deleted is neither found nor listed', () => {
  const { put, store } = createFakeCluster()
  for (const [each, metadata] of [
    ['blog', {}],
    ['shop', going],
    ['api', {}],
  ] as const)
    put(Application, newObject(Application, { namespace, name: each, ...metadata }, {}))
  expect(findAll(store, Application, namespace).map((each) => each.metadata.name)).toEqual(['api', 'blog'])
  expect(['api', 'shop'].map((each) => find(store, Application, namespace, each)?.metadata.name)).toEqual([
    'api',
    undefined,
  ])
})
