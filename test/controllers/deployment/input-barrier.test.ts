import { expect, test } from '@jest/globals'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { createInputBarrier } from '../../../operator/controllers/deployment/input-barrier.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { storedObject } from '../../support/builders.ts'

const namespace = 'acme'
const server = createFakeCluster()
const delta = (text: string) =>
  newObject(DeploymentDelta, { namespace, name: 'release-1' }, { applicationName: 'shop', displayName: text })

/** What the cache of a process that has seen `before` holds of the delta when a deployment is planned. */
async function seenBy(before: string | undefined, now: string | undefined, source: object) {
  server.reset()
  const cached = createFakeCluster()
  if (before !== undefined) cached.put(DeploymentDelta, delta(before))
  if (now !== undefined)
    for (const text of ['earlier', 'earlier still', now]) server.put(DeploymentDelta, delta(text))
  const reads: string[] = []
  const wait = createInputBarrier({
    ...cached,
    read: (kind, ...place) => {
      reads.push(place.join('/'))
      return server.read(kind, ...place)
    },
    client: {
      request: async () => ({ metadata: { resourceVersion: '0' }, items: null }),
    } as unknown as KubeClient, // for the lists of the barrier
  })
  const spec = { environmentName: 'shop.dev', ...source }
  await wait(storedObject(EnvironmentDeployment, { namespace, name: 'shop.dev.1' }, spec))
  return {
    text: cached.store.get(DeploymentDelta, namespace, 'release-1')?.spec.displayName,
    reads: reads.length,
  }
}

const named = { deltaName: 'release-1' }

test.each<[string, string | undefined, string | undefined, object, Awaited<ReturnType<typeof seenBy>>]>([
  ['a delta that is new', undefined, 'new', named, { text: 'new', reads: 1 }],
  ['a delta that was corrected', 'old', 'new', named, { text: 'new', reads: 1 }],
  ['a delta that is gone', 'old', undefined, named, { text: undefined, reads: 1 }],
  ['the set of a request', 'old', 'new', { ...named, setName: 'shop.one' }, { text: 'old', reads: 0 }],
  ['no delta', 'old', 'new', {}, { text: 'old', reads: 0 }],
])('a deployment is planned with %s', async (_, before, now, source, expected) => {
  expect(await seenBy(before, now, source)).toEqual(expected)
})
