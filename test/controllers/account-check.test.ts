import { beforeEach, describe, expect, test } from '@jest/globals'
import { newObject } from '../../operator/api/kind.ts'
import { annotations } from '../../operator/api/names.ts'
import { ResourceAccount } from '../../operator/api/resource-account.ts'
import { resourceAccountController } from '../../operator/controllers/resource-account.ts'
import type { AccountCheck, Driver } from '../../operator/drivers/driver.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { driver } from '../support/builders.ts'
import { silentContext } from './support/context.ts'
import { createFakeObjects } from './support/fake-objects.ts'

const canary = 'canary-credential'
const fake = createFakeCluster()
let controller: ReturnType<typeof resourceAccountController>
let asked: unknown[]
let answer: () => Promise<AccountCheck>

const provider: Driver = {
  descriptor: driver('cloud', { account: { types: ['cloud'], required: true } }),
  provision: async () => ({ outputs: { values: {}, secrets: {} }, objects: [] }),
  async deprovision() {},
  async checkAccount(credentials) {
    asked.push(credentials)
    return answer()
  },
}
const mute: Driver = {
  ...provider,
  descriptor: driver('mute', { account: { types: ['mute', 'cloud'], required: true } }),
}
delete (mute as { checkAccount?: unknown }).checkAccount // a driver that cannot ask

beforeEach(() => {
  asked = []
  answer = async () => ({ accepted: true })
  const objects = createFakeObjects()
  objects.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'credentials', namespace: 'acme' },
    data: { token: Buffer.from(canary).toString('base64') },
  })
  objects.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'candidate', namespace: 'acme' },
    data: { token: Buffer.from('another').toString('base64') },
  })
  fake.reset()
  controller = resourceAccountController({ ...fake, client: objects.client }, [mute, provider], Date.now)
})

/** An account whose credentials are to be checked, and the last known result. */
function account(
  request: string | undefined,
  options: { type?: string; check?: object } = {},
): ResourceAccount {
  const { type = 'cloud', check } = options
  const marks = request === undefined ? {} : { annotations: { [annotations.check]: request } }
  const spec = { type, credentialsSecretName: 'credentials' }
  const object = newObject(ResourceAccount, { namespace: 'acme', name: 'main', ...marks }, spec)
  return fake.put(ResourceAccount, { ...object, ...(check ? { status: { check } } : {}) } as ResourceAccount) // as a status holds it
}

/** The status; the account is ready, because nothing is thrown. */
async function look(object: ResourceAccount) {
  const { check } = await controller.reconcile(object, silentContext())
  return check
}

describe('the credentials of an account are tried when the annotation asks for it', () => {
  const fields = [{ id: 'email', description: 'whose they are', value: 'a@b.test' }]

  test.each<[rule: string, outcome: AccountCheck]>([
    ['accepted', { accepted: true }],
    ['accepted, and whose they are', { accepted: true, fields }],
    ['refused, and why', { accepted: false, message: 'the token has expired' }],
  ])('%s', async (_, outcome) => {
    answer = async () => outcome
    expect(await look(account('one'))).toEqual({ request: 'one', ...outcome })
    expect(asked).toEqual([{ token: canary }])
  })

  test('once for each value', async () => {
    const check = { request: 'one', accepted: true }
    expect(await look(account('one', { check }))).toEqual(check)
    expect(asked).toEqual([])
    expect(await look(account('two', { check }))).toEqual({ request: 'two', accepted: true })
    expect(asked).toHaveLength(1)
  })

  test.each([
    ['those of the Secret that it names', 'one/candidate', { accepted: true }, [{ token: 'another' }]],
    ['none when that is not there', 'one/missing', { accepted: false }, []],
  ])('%s', async (_, request, outcome, tried) => {
    expect(await look(account(request))).toMatchObject({ request, ...outcome })
    expect(asked).toEqual(tried)
  })

  test('and not without it', async () => {
    expect(await look(account(undefined))).toBeUndefined()
    expect(asked).toEqual([])
  })
})

describe('a failed check does not affect Ready', () => {
  test('a provider that cannot be asked: not accepted, and why, without the credentials', async () => {
    answer = async () => {
      throw new Error(`no answer to 'Bearer ${canary}'`)
    }
    const check = await look(account('one'))
    expect(check).toMatchObject({ request: 'one', accepted: false })
    expect(check?.message).toContain('no answer')
    expect(JSON.stringify(check)).not.toContain(canary)
  })

  test('a provider that repeats the credentials in its answer', async () => {
    answer = async () => ({ accepted: false, message: `'${canary}' is no token` })
    expect(JSON.stringify(await look(account('one')))).not.toContain(canary)
  })

  test.each(['mute', 'local'])(
    'no driver can try an account of type %s: accepted, with that message',
    async (type) => {
      const check = await look(account('one', { type }))
      expect(check).toMatchObject({ accepted: true, message: expect.stringContaining(`'${type}'`) })
      expect(asked).toEqual([])
    },
  )
})
