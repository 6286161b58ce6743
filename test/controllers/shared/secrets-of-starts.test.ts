import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { apiVersion, finalizer } from '../../../operator/api/names.ts'
import { SharedValue } from '../../../operator/api/shared-value.ts'
import { OngoingStarts } from '../../../operator/controllers/shared/ongoing-starts.ts'
import { createOwnedSecrets } from '../../../operator/controllers/shared/owned-secrets.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource } from '../../support/builders.ts'
import { createFakeSecrets, type FakeSecrets } from '../../support/fake-secrets.ts'
import { silentContext } from '../support/context.ts'

const fake = createFakeCluster()
let cluster: FakeCluster
let secrets: FakeSecrets

beforeEach(() => {
  secrets = createFakeSecrets()
  fake.reset()
  cluster = { ...fake, client: secrets.client }
})

const uid = 'value-uid'
const own = { ownerReferences: [{ apiVersion, kind: 'SharedValue', name: 'token', uid }] }
const held = { ...own, finalizers: [finalizer] }
const namedBy = ({ spec }: SharedValue) => (spec.secret ? [spec.secret.secret] : [])

/** The value with this Secret; the operator has recorded the old one. */
function value(secret: string): SharedValue {
  const spec = { applicationName: 'shop', key: 'TOKEN', secret: { secret, key: 'value' } }
  const object = newObject(SharedValue, { namespace: 'acme', name: 'token', uid }, spec)
  return cluster.put(SharedValue, { ...object, status: { secretNames: ['old'] } })
}

function addUser(name: string): void {
  const made = activeResource({ type: 'dns', resourceId: 'main' })
  cluster.put(ActiveResource, { ...made, status: { secretNames: [name] } })
}

/** The removal of the old Secret after a change to a new one. */
function removalBeside(starts: OngoingStarts, { releaseWorker } = silentContext()) {
  secrets.put('new', own)
  const ownedSecrets = createOwnedSecrets(cluster, SharedValue, namedBy, { starts })
  return ownedSecrets.removeUnused(value('new'), { releaseWorker })
}

test.each<[end: string, metadata: object, write: () => void]>([
  ['writes a resource that needs it', own, () => addUser('old')],
  [
    'writes a resource that needs it, while the last former one releases it',
    held,
    () => {
      secrets.put('old', own)
      addUser('old')
    },
  ],
  ['ends after a change that names it again', own, () => void value('old')],
])(
  'a former Secret stays for a deployment that was planned before the change, and %s',
  async (_, metadata, write) => {
    secrets.put('old', metadata)
    const starts = new OngoingStarts()
    const { promise: planned, resolve } = Promise.withResolvers<void>()
    const start = starts.run('acme', () => planned.then(write))
    let isReleased = false
    const releaseWorker = <T>(work: () => Promise<T>) => {
      isReleased = true
      return work()
    }
    const removal = removalBeside(starts, silentContext({ releaseWorker }))
    await setImmediate()
    expect(isReleased).toBe(true)
    expect(secrets.get('old')?.metadata.deletionTimestamp).toBeUndefined()
    resolve()
    await start
    expect(await removal).toEqual({ secretNames: ['new', 'old'] })
    expect(secrets.get('old')?.metadata.deletionTimestamp).toBeUndefined()
  },
)

test.each<[string, () => Promise<unknown>]>([
  ['that starts in another namespace', () => Promise.withResolvers<void>().promise],
  ['that failed', () => Promise.reject(new Error('failed'))],
])('a former Secret is deleted beside a deployment %s', async (which, start) => {
  secrets.put('old', own)
  const starts = new OngoingStarts()
  starts.run(which === 'that failed' ? 'acme' : 'globex', start).catch(() => undefined)
  expect(await removalBeside(starts)).toEqual({ secretNames: ['new'] })
  expect(secrets.get('old')).toBeUndefined()
})
