import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { annotations } from '../../operator/api/names.ts'
import { ResourceAccount } from '../../operator/api/resource-account.ts'
import { startGateway, type TestGateway } from './support/gateway.ts'

let gateway: TestGateway
let tried: string[]

beforeAll(async () => {
  gateway = await startGateway()
})
beforeEach(() => {
  gateway.reset()
  tried = []
})
afterAll(() => gateway.close())

const accounts = '/orgs/acme/resources/accounts'
const cloudflare = { id: 'cf', name: 'Cloudflare', type: 'cloudflare', credentials: { token: 'a' } }
const account = () => gateway.cluster.store.get(ResourceAccount, 'acme', 'cf')

/** Answers trials as the operator does, and notes which Secret each is about. */
function operatorThat(accepted: boolean): () => void {
  const timer = setInterval(() => {
    const { metadata, spec, status } = account() ?? {}
    const request = metadata?.annotations?.[annotations.check]
    if (request === undefined || status?.check?.request === request) return
    tried.push(request.split('/')[1] ?? spec?.credentialsSecretName ?? '')
    gateway.cluster.setStatus(ResourceAccount, 'acme', 'cf', { check: { request, accepted } })
  }, 5)
  return () => clearInterval(timer)
}

async function sending(accepted: boolean, operation: string, body: object): Promise<number> {
  const stop = operatorThat(accepted)
  try {
    return (await gateway.send(operation, { body })).status
  } finally {
    stop()
  }
}

describe('with check_credential a new account', () => {
  test.each([
    ['is made when the provider accepts', true, '', 200, true],
    ['is not made when it does not', false, '', 400, false],
    ['that is only tried is not made', true, '&dry_run=true', 204, false],
    ['that is only tried is refused', false, '&dry_run=true', 400, false],
  ])('%s', async (_, accepted, more, status, isThere) => {
    const operation = `POST ${accounts}?check_credential=true${more}`
    expect(await sending(accepted, operation, cloudflare)).toBe(status)
    expect(account() !== undefined).toBe(isThere)
    expect(tried).toHaveLength(1)
  })
})

describe('with check_credential an account', () => {
  const change = { credentials: { token: 'b' } }

  test.each([
    ['gets credentials that the provider accepts', true, '', 200, true],
    ['keeps its own when it does not', false, '', 400, false],
    ['keeps its own when others are only tried', true, '&dry_run=true', 204, false],
    ['keeps its own when others are only tried, and refused', false, '&dry_run=true', 400, false],
  ])('%s', async (_, accepted, more, status, isNew) => {
    await gateway.send(`POST ${accounts}`, { body: cloudflare })
    const before = account()?.spec.credentialsSecretName
    const operation = `PATCH ${accounts}/cf?check_credential=true${more}`
    expect(await sending(accepted, operation, change)).toBe(status)
    const candidate = gateway.cluster.secrets[1]?.metadata.name
    expect(tried).toEqual([candidate])
    expect(account()?.spec.credentialsSecretName).toBe(isNew ? candidate : before)
    expect(account()?.metadata.annotations).not.toHaveProperty([annotations.check])
  })

  test('has those tried that it has when none are given', async () => {
    await gateway.send(`POST ${accounts}`, { body: cloudflare })
    const operation = `PATCH ${accounts}/cf?check_credential=true`
    expect(await sending(false, operation, { name: 'Other' })).toBe(400)
    expect(tried).toEqual([account()?.spec.credentialsSecretName])
    expect(account()?.spec.displayName).toBe('Cloudflare')
  })
})
