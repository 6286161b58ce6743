import { beforeEach, describe, expect, test } from '@jest/globals'
import { Application } from '../../../operator/api/application.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { Webhook } from '../../../operator/api/webhook.ts'
import { webhookController } from '../../../operator/controllers/webhook/webhook.ts'
import { problemOfSigningSecret } from '../../../operator/domain/deployment/webhook.ts'
import { ApiError, QuotaError } from '../../../operator/kube/client/api-error.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { silentContext } from '../support/context.ts'
import type { FakeObjects } from '../support/fake-objects.ts'
import { signingSecret, webhook, withSecrets } from '../support/webhooks.ts'

const fake = createFakeCluster()
const good = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const made = 'hook-webhook-signing'
const owner = { apiVersion: 'quartermaster.dev/v1alpha1', kind: 'Webhook', name: 'hook', uid: 'uid-of-hook' }
const own = { ownerReferences: [owner] }
let cluster: FakeCluster
let objects: FakeObjects
let controller: ReturnType<typeof webhookController>

beforeEach(() => {
  fake.reset()
  ;({ cluster, objects } = withSecrets(fake))
  controller = webhookController(cluster, Date.now)
  cluster.put(Application, newObject(Application, { namespace: 'acme', name: 'shop' }, {}))
})

function look(spec: Partial<Webhook['spec']> = {}, status?: Webhook['status']) {
  const object = cluster.put(Webhook, webhook('hook', spec))
  return controller.reconcile({ ...object, ...(status ? { status } : {}) }, silentContext())
}

describe('the version at the creation', () => {
  test('is recorded before any other write, beside what the status says', () => {
    const object = cluster.put(Webhook, webhook('hook'))
    const status = { signingSecretName: made }
    expect(controller.firstFacts?.({ ...object, status })).toEqual({
      signingSecretName: made,
      createdVersion: object.metadata.resourceVersion,
    })
  })

  test('is recorded once', async () => {
    const object = cluster.put(Webhook, webhook('hook'))
    expect(controller.firstFacts?.({ ...object, status: { createdVersion: '7' } })).toBeUndefined()
    expect(await look({}, { createdVersion: '7' })).toMatchObject({ createdVersion: '7' })
  })
})

function secretText(name: string): string {
  const { data } = objects.get('Secret', name) as unknown as { data: { secret: string } } // a signing secret
  return Buffer.from(data.secret, 'base64').toString()
}

describe('the secret that signs', () => {
  test('is created where the webhook names none, and deleted with it', async () => {
    expect(await look()).toMatchObject({ signingSecretName: made, secretNames: [made] })
    expect(objects.get('Secret', made)?.metadata.ownerReferences).toEqual([owner])
    expect(secretText(made)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(problemOfSigningSecret(secretText(made))).toBeUndefined()
  })

  test('is created once: an existing one stays', async () => {
    await look()
    const before = secretText(made)
    await look()
    expect(secretText(made)).toBe(before)
    expect(cluster.secrets).toHaveLength(1)
  })

  test('is another for each', async () => {
    await look()
    await controller.reconcile(cluster.put(Webhook, webhook('second')), silentContext())
    expect(secretText('second-webhook-signing')).not.toBe(secretText(made))
  })

  test('is another for each, also of the longest names', async () => {
    const names = ['a', 'b'].map((end) => `${'n'.repeat(252)}${end}`)
    for (const name of names) await controller.reconcile(cluster.put(Webhook, webhook(name)), silentContext())
    const secrets = cluster.secrets.map(({ metadata }) => metadata.name)
    expect(new Set(secrets).size).toBe(2)
    for (const each of secrets) expect(each.length).toBeLessThanOrEqual(253)
  })

  test('is created again after its deletion', async () => {
    await look()
    objects.delete('Secret', made)
    await look()
    expect(objects.get('Secret', made)).toBeDefined()
  })

  test('is created again in place of one of an earlier webhook of that name, which is deleted', async () => {
    objects.put(signingSecret(made, good, { ownerReferences: [{ ...owner, uid: 'earlier' }] }))
    await expect(look()).rejects.toMatchObject({
      reason: 'SecretRemains',
      retryAfterSeconds: expect.any(Number),
    })
    expect(await look()).toMatchObject({ signingSecretName: made })
    expect(objects.get('Secret', made)?.metadata.ownerReferences).toEqual([owner])
    expect(secretText(made)).not.toBe(good)
  })

  test.each<[whose: string, metadata: Parameters<typeof signingSecret>[2]]>([
    ['of no owner', {}],
    ['of another webhook', { ownerReferences: [{ ...owner, name: 'second', uid: 'uid-of-second' }] }],
  ])('is the existing one of its name %s', async (_, metadata) => {
    objects.put(signingSecret(made, good, metadata))
    expect(await look()).toMatchObject({ signingSecretName: made })
    expect(secretText(made)).toBe(good)
  })

  test('is the one that the webhook names', async () => {
    objects.put(signingSecret('named', good))
    const found = await look({ signingSecretName: 'named' })
    expect(found).toMatchObject({ signingSecretName: 'named', secretNames: ['named'] })
    expect(cluster.secrets).toEqual([])
  })

  test('is waited for, and the old one stays until then', async () => {
    objects.put(signingSecret('old', good, own))
    const waiting = look({ signingSecretName: 'named' }, { secretNames: ['old'] })
    await expect(waiting).rejects.toMatchObject({
      reason: 'SecretNotFound',
      retryAfterSeconds: expect.any(Number),
    })
    expect(objects.get('Secret', 'old')).toBeDefined()
  })

  test('cannot be made when a quota is full: tried again', async () => {
    cluster.failNext('create Secret', new QuotaError('acme', { message: 'exceeded quota', uses: [] }))
    await expect(look()).rejects.toThrow('quota')
  })

  test('cannot be made when a policy refuses it, which is named without its words', async () => {
    const words = 'admission webhook "labels.example.test" denied the request: canary has no owner'
    cluster.failNext('create Secret', new ApiError(403, 'Forbidden', words))
    await expect(look()).rejects.toMatchObject({
      reason: 'Rejected',
      message:
        "the cluster refuses to create 'Secret' 'acme/hook-webhook-signing': admission webhook \"labels.example.test\" denies it",
    })
  })

  test.each<[rule: string, data: object | undefined]>([
    ['has no key `secret`', { other: 'YQ==' }],
    ['has no content', undefined],
    ['is empty', { secret: '' }],
    ['is no Base64', { secret: Buffer.from('my own secret').toString('base64') }],
  ])('is refused when it %s, without its text', async (_, data) => {
    objects.put(Object.assign(signingSecret('named', ''), { data }))
    const error = await look({ signingSecretName: 'named' }).catch((each: unknown) => each)
    expect(error).toMatchObject({
      reason: 'InvalidSigningSecret',
      observed: { signingSecretName: 'named' },
      message: expect.not.stringContaining('own'),
    })
  })
})

describe('rotation', () => {
  test.each<[rule: string, old: Parameters<typeof signingSecret>[2], isThere: boolean]>([
    ['takes the old secret away', own, false],
    ['does not change one of another owner', {}, true],
    [
      'leaves one of an earlier webhook of that name',
      { ownerReferences: [{ ...owner, uid: 'earlier' }] },
      true,
    ],
  ])('%s', async (_, old, isThere) => {
    objects.put(signingSecret('old', good, old))
    objects.put(signingSecret('new', good, own))
    const found = await look({ signingSecretName: 'new' }, { secretNames: ['old'] })
    expect(found).toMatchObject({ signingSecretName: 'new', secretNames: ['new'] })
    expect(objects.get('Secret', 'old') !== undefined).toBe(isThere)
  })

  test('takes the secret away that was made for it', async () => {
    await look()
    objects.put(signingSecret('new', good, own))
    await look({ signingSecretName: 'new' }, { secretNames: [made] })
    expect(objects.get('Secret', made)).toBeUndefined()
  })
})

describe('a webhook without a usable secret', () => {
  test.each<[field: string, spec: Partial<Webhook['spec']>]>([
    ['url', { url: 'http://hooks.example.com' }],
    ['url', { url: 'ann:canary@hooks.example.com' }],
    ['headers', { headers: { host: 'canary' } }],
    ['headers', { headers: { 'x-own': 'canary\r\nb: c' } }],
    ['payload', { payload: { text: 'canary'.repeat(200_000) } }],
    ['triggers', { triggers: [{ scope: 'deployment', type: 'deleted' }] }],
  ])('has a fault in its %s', async (field, spec) => {
    await expect(look(spec)).rejects.toMatchObject({
      reason: 'InvalidWebhook',
      message: expect.stringMatching(new RegExp(`^${field}: (?!.*canary)`)),
      observed: { signingSecretName: made },
    })
  })

  test('names all its faults', async () => {
    await expect(look({ url: 'ftp://a', headers: { te: '' } })).rejects.toMatchObject({
      message: expect.stringMatching(/^url: .*; headers: /),
    })
  })
})
