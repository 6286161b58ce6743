import { describe, expect, test } from '@jest/globals'
import type { Kind, KubeObject } from '../../../../operator/api/kind.ts'
import { annotations } from '../../../../operator/api/names.ts'
import { Registry } from '../../../../operator/api/registry.ts'
import { ResourceAccount } from '../../../../operator/api/resource-account.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { SharedValue } from '../../../../operator/api/shared-value.ts'
import { Webhook } from '../../../../operator/api/webhook.ts'
import {
  isFormer,
  pendingSecretAnnotation,
  pendingSecretsIn,
} from '../../../../operator/domain/secret/pending-secrets.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'
import { behindItsBack } from '../../support/stale-objects.ts'

// The operator deletes an account by the clock of the API server.
const serverNow = () => Date.now() + 3_600_000
const day = 86_400_000
const gateway = await setUpGateway(
  () => {
    addEnvironment(gateway)
    gateway.addUser('other')
    gateway.addMember('acme', 'other', { role: 'administrator' })
  },
  { serverNow, now: () => serverNow() + 9 * day },
)

const noAnswer = new Error('connect ECONNREFUSED')
const noLeader = new ApiError(500, 'InternalError', 'no leader')
const definition = {
  id: 'thing',
  name: 'S3',
  type: 's3',
  driver_type: 'acme/s3',
  criteria: [{ app_id: 'shop' }],
  driver_inputs: { values: { region: 'a' }, secrets: { token: 'x', tls: { key: 'y' } } },
}

interface Case {
  readonly name: string
  readonly kind: Kind
  readonly path: string
  readonly body: object
  readonly status: number
  /** A change that makes the value differ. */
  readonly other: object
  /** A change that adds a new Secret. */
  readonly change: readonly [operation: string, body?: object]
  /** Changes that leave no Secret. */
  readonly drops?: readonly (readonly [operation: string, body: object])[]
}

const cases: readonly Case[] = [
  {
    name: 'an account',
    kind: ResourceAccount,
    path: '/orgs/acme/resources/accounts',
    body: { id: 'thing', name: 'A', type: 'local', credentials: { token: 'x' } },
    status: 200,
    other: { name: 'B' },
    change: ['PATCH /thing', { credentials: { token: 'y' } }],
    drops: [['PATCH /thing', { credentials: {} }]],
  },
  {
    name: 'a definition',
    kind: ResourceDefinition,
    path: '/orgs/acme/resources/defs',
    body: definition,
    status: 200,
    other: { driver_inputs: { ...definition.driver_inputs, values: { region: 'b' } } },
    change: ['PATCH /thing', { driver_inputs: { secrets: { token: 'z' } } }],
    drops: [
      ['PATCH /thing', { driver_inputs: { secrets: null } }],
      ['PUT /thing', { name: 'S3', driver_type: 'acme/s3' }],
    ],
  },
  {
    name: 'a value',
    kind: SharedValue,
    path: '/orgs/acme/apps/shop/values',
    body: { key: 'TOKEN', description: 'd', value: 'x', is_secret: true },
    status: 201,
    other: { description: 'e' },
    change: ['PATCH /TOKEN', { value: 'y' }],
  },
  {
    name: 'a registry',
    kind: Registry,
    path: '/orgs/acme/registries',
    body: { id: 'thing', registry: 'r.test', type: 'basic', creds: { username: 'ana', password: 'x' } },
    status: 201,
    other: { registry: 's.test' },
    change: ['PATCH /thing', { creds: { username: 'ana', password: 'y' } }],
    drops: [['PATCH /thing', { type: 'public' }]],
  },
  {
    name: 'a webhook',
    kind: Webhook,
    path: '/orgs/acme/apps/shop/webhooks',
    body: { id: 'thing', url: 'hooks.example.com', triggers: [{ scope: 'deployment', type: 'finished' }] },
    status: 201,
    other: { url: 'hooks.example.net' },
    change: ['POST /thing/actions/rotate-secret'],
  },
]

const stored = ({ kind }: Case): readonly KubeObject[] => gateway.cluster.store.list(kind, 'acme')
const uidOf = (each: Case) => stored(each)[0]?.metadata.uid
const secretNames = () => gateway.cluster.secrets.map(({ metadata }) => metadata.name)
const announcedBy = (each: Case) => pendingSecretsIn(stored(each)[0]?.metadata.annotations)

async function post({ path, body }: Case, as = 'admin', more: object = {}): Promise<number> {
  return (await gateway.send(`POST ${path}`, { as, body: { ...body, ...more } })).status
}

/** Creates the object as a process does that stops before it creates the Secret. */
async function begin(each: Case): Promise<void> {
  await post(each)
  gateway.cluster.secrets.length = 0
}

/** Stores the object with the status that the operator writes. */
function seeByOperator({ kind }: Case, object: KubeObject): void {
  const status = {
    observedGeneration: object.metadata.generation,
    conditions: [{ type: 'Ready', status: 'True' }],
    secretNames: secretNames().slice(-1),
  }
  gateway.cluster.put(kind, { ...object, status } as never) // an object of the kind
}

function change(each: Case, [operation, body] = each.change) {
  const { path } = each
  const [method = '', rest = ''] = operation.split(' ')
  return gateway.send(`${method} ${path}${rest}`, body === undefined ? {} : { body })
}

describe.each(cases)('$name', (each) => {
  test('is made when the API server is away for a moment before its Secret', async () => {
    for (let n = 0; n < 3; n += 1) gateway.cluster.failNext('create Secret', noAnswer)
    expect(await post(each)).toBe(each.status)
    expect(secretNames()).toHaveLength(1)
  })

  test('marks the Secrets that it names no more and that no operator has seen', async () => {
    await post(each)
    for (let n = 0; n < 2; n += 1) expect((await change(each)).status).toBeLessThan(300)
    const [first, second, current] = secretNames()
    expect(announcedBy(each).map(({ secretName }) => secretName)).toEqual([first, second])
    expect(announcedBy(each).every(isFormer)).toBe(true)
    seeByOperator(each, stored(each)[0] as KubeObject) // it was made above
    expect(stored(each)[0]).toMatchObject({ status: { secretNames: [current] } })
    await change(each)
    expect(announcedBy(each)).toEqual([])
  })

  test('keeps the marks while the operator has only begun with it', async () => {
    await post(each)
    for (let n = 0; n < 2; n += 1) await change(each)
    const [first, second, third] = secretNames()
    const [object] = stored(each)
    const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'Progressing' }]
    const status = { observedGeneration: object?.metadata.generation, conditions }
    gateway.cluster.put(each.kind, { ...object, status } as never) // an object of the kind
    await change(each)
    expect(announcedBy(each).map(({ secretName }) => secretName)).toEqual([first, second, third])
  })

  test('also marks the one that another gateway has given it a moment ago', async () => {
    await post(each)
    const restore = await behindItsBack(gateway, each.kind, () => change(each))
    expect((await change(each)).status).toBeLessThan(300)
    restore()
    const [first, second] = secretNames()
    expect(announcedBy(each).map(({ secretName }) => secretName)).toEqual([first, second])
  })

  const { drops = [] } = each
  if (drops.length > 0)
    test.each(drops)('marks a Secret that no operator has seen when it names none: %s', async (...drop) => {
      await post(each)
      expect((await change(each, drop)).status).toBe(200)
      expect(announcedBy(each).map(({ secretName }) => secretName)).toEqual(secretNames())
      expect(announcedBy(each).every(isFormer)).toBe(true)
    })

  test('is made when the answer to the creation of its Secret is lost', async () => {
    const { createSecret } = gateway.cluster
    gateway.cluster.createSecret = async (secret) => {
      gateway.cluster.createSecret = createSecret
      await createSecret(secret)
      throw noAnswer
    }
    expect(await post(each)).toBe(each.status)
    expect(secretNames()).toHaveLength(1)
  })

  test('that was left without its Secret is not finished by a request whose answer is lost while another finishes it', async () => {
    await begin(each)
    const { createSecret } = gateway.cluster
    gateway.cluster.createSecret = async (secret) => {
      gateway.cluster.createSecret = createSecret
      await createSecret({ ...secret, data: {} } as KubeObject) // the secret of the other request
      throw noAnswer
    }
    expect(await post(each)).toBe(409)
  })

  test('whose Secret cannot be made is taken back, when the API server is away for a moment too', async () => {
    gateway.cluster.failNext('create Secret', noLeader)
    for (let n = 0; n < 3; n += 1) gateway.cluster.failNext(`remove ${each.kind.kind}`, noAnswer)
    expect(await post(each)).toBe(500)
    expect(stored(each)).toEqual([])
  })

  test('that was left without its Secret is finished by the same request, once', async () => {
    await begin(each)
    const uid = uidOf(each)
    expect(await post(each)).toBe(each.status)
    expect(uidOf(each)).toBe(uid)
    expect(JSON.stringify(stored(each))).toContain(secretNames()[0])
    expect(gateway.cluster.secrets[0]?.metadata.ownerReferences).toMatchObject([{ uid }])
    expect(await post(each)).toBe(409)
  })

  test('that was left without its Secret stays when that cannot be made', async () => {
    await begin(each)
    const uid = uidOf(each)
    gateway.cluster.failNext('create Secret', noLeader)
    expect(await post(each)).toBe(500)
    expect(uidOf(each)).toBe(uid)
    expect(await post(each)).toBe(each.status)
    expect(uidOf(each)).toBe(uid)
  })

  test.each<[rule: string, as: string, isOther: boolean]>([
    ['another request', 'admin', true],
    ['the request of another user', 'other', false],
  ])('that was left without its Secret is not finished by %s', async (_, as, isOther) => {
    await begin(each)
    expect(await post(each, as, isOther ? each.other : {})).toBe(409)
    expect(secretNames()).toEqual([])
  })

  test('whose change does not end says which Secret was made for it', async () => {
    await post(each)
    const { replace } = gateway.cluster
    gateway.cluster.replace = async () => {
      throw noLeader
    }
    expect((await change(each)).status).toBe(500)
    gateway.cluster.replace = replace
    const pending = announcedBy(each).filter((announced) => !isFormer(announced))
    expect(pending.map(({ secretName }) => secretName)).toEqual(secretNames().slice(1))
  })

  test('whose change ends says nothing of it any more, nor of one that was over long ago by the API server', async () => {
    await post(each)
    const [object] = stored(each)
    const old = pendingSecretAnnotation('old-00000000', serverNow() - 2 * day)
    const recent = pendingSecretAnnotation('new-11111111', serverNow() - 3_600_000)
    const marks = { ...object?.metadata.annotations, ...old, ...recent }
    const metadata = { ...object?.metadata, annotations: marks }
    seeByOperator(each, { ...object, metadata } as KubeObject) // an object of the kind
    expect((await change(each)).status).toBe(200)
    expect(announcedBy(each).map(({ secretName }) => secretName)).toEqual(['new-11111111'])
    expect(JSON.stringify(stored(each)[0])).toContain(secretNames()[1])
  })
})

test('an account that is there to be tried says how long, by the clock of the API server', async () => {
  const [account] = cases as [Case]
  const { remove } = gateway.cluster
  const leftMs: number[] = []
  gateway.cluster.remove = (kind, object, origin) => {
    leftMs.push(Date.parse(object.metadata.annotations?.[annotations.trialUntil] ?? '') - serverNow())
    return remove(kind, object, origin)
  }
  const timer = setInterval(() => {
    const request = stored(account)[0]?.metadata.annotations?.[annotations.check]
    if (request !== undefined)
      gateway.cluster.setStatus(ResourceAccount, 'acme', 'thing', { check: { request, accepted: true } })
  }, 5)
  const trial = { ...account, path: `${account.path}?dry_run=true&check_credential=true` }
  expect(await post(trial)).toBe(204)
  clearInterval(timer)
  gateway.cluster.remove = remove
  expect(leftMs).toHaveLength(1)
  expect(leftMs[0]).toBeGreaterThan(60_000)
  expect(leftMs[0]).toBeLessThanOrEqual(120_000)
  expect(stored(account)).toEqual([])
})
