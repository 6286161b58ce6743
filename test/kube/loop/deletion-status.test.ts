import { expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { type Kind, newObject } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { keepingStatus } from '../support/kept-status.ts'

/** The loop of a kind over one terminating object with these finalizers. */
function startWith(kind: Kind, finalizers: readonly string[], refusal?: ApiError, isRun = false) {
  const fake = createFakeCluster()
  fake.addOrganization('acme')
  const deletionTimestamp = '2026-02-01T00:00:00Z'
  const metadata = { namespace: 'acme', name: 'shop.dev', deletionTimestamp, finalizers: [...finalizers] }
  fake.put(kind, newObject(kind, metadata, { environmentName: 'shop.dev' }))
  const refuse = async (): Promise<never> => {
    throw refusal
  }
  const cluster = { ...keepingStatus(fake), ...(refusal ? { patch: refuse, replace: refuse } : {}) }
  const controller = { kind, isRun, reconcile: async () => ({}), finalize: async () => {} }
  const loop = startController(cluster, controller, { log: silentLog, isActive: () => true })
  const ready = () => {
    const object = fake.store.get(kind, 'acme', 'shop.dev')
    return object && conditionOf(object, 'Ready')
  }
  return { loop, ready, isGone: () => fake.store.get(kind, 'acme', 'shop.dev') === undefined }
}

test.each<[what: string, finalizers: readonly string[], text: string]>([
  ['one of another client', ['example.com/a'], "the finalizer 'example.com/a'"],
  ['two of others', ['example.com/a', 'b'], "the finalizers 'example.com/a', 'b'"],
])('a deleted object with the finalizers %s says what keeps it', async (_, finalizers, text) => {
  const { loop, ready } = startWith(Environment, finalizers)
  await eventually('the status', 10_000, async () => ready()?.reason === 'FinalizersRemain' || undefined)
  await loop.stop()
  expect(ready()).toMatchObject({ status: 'Unknown', message: `cleaned up; others keep it by ${text}` })
})

test('a run that others keep still says how it ended', async () => {
  const { loop, ready } = startWith(EnvironmentDeployment, ['example.com/a'], undefined, true)
  await new Promise((resolve) => setTimeout(resolve, 2500))
  await loop.stop()
  expect(ready()?.reason).not.toBe('FinalizersRemain')
})

test.each<[rule: string, refusal: ApiError, message: RegExp]>([
  [
    'a policy',
    new ApiError(
      422,
      'Invalid',
      "ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no",
      undefined,
      'PATCH /apis/x',
    ),
    /^the cluster refuses PATCH \/apis\/x: ValidatingAdmissionPolicy 'p' .*: no$/,
  ],
  [
    'a webhook that is away',
    new ApiError(
      500,
      'InternalError',
      'Internal error occurred: failed calling webhook "w": timeout',
      undefined,
      'PATCH /apis/x',
    ),
    /^the cluster refuses PATCH \/apis\/x: .*failed calling webhook "w": timeout$/,
  ],
  [
    'a policy that quotes a Secret',
    new ApiError(
      403,
      'Forbidden',
      'admission webhook "w" denied the request: canary',
      undefined,
      'PATCH /api/v1/namespaces/a/secrets/b',
    ),
    /^the cluster refuses PATCH \/api\/v1\/namespaces\/a\/secrets\/b: admission webhook "w" denies it$/,
  ],
])('a deletion whose end %s refuses says so', async (_, refusal, message) => {
  const { loop, ready } = startWith(Environment, [finalizer], refusal)
  await eventually('the status', 10_000, async () => ready()?.reason === 'Rejected' || undefined)
  await loop.stop()
  expect(ready()).toMatchObject({ status: 'False', message: expect.stringMatching(message) })
})
