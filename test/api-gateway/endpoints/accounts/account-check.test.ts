import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { annotations } from '../../../../operator/api/names.ts'
import { ResourceAccount } from '../../../../operator/api/resource-account.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { setUpGateway } from '../../support/set-up.ts'
import { showStale } from '../../support/stale-objects.ts'

let tried: string[]

const gateway = await setUpGateway(() => {
  tried = []
})

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

describe('trials of one account', () => {
  const path = `${accounts}/cf`
  const tokens = { credentials: { token: 'b' } }
  const check: [string, object?] = [`POST ${path}/actions/check`]
  const change: [string, object?] = [`PATCH ${path}?check_credential=true`, tokens]
  const trial: [string, object?] = [`PATCH ${path}?check_credential=true&dry_run=true`, tokens]
  const untried: [string, object?] = [`PATCH ${path}`, tokens]
  const send = async ([operation, body]: [string, object?]) =>
    (await gateway.send(operation, { body })).status
  const mark = (value?: string) => {
    const known = account()
    if (!known) throw new Error('no account')
    if (value === undefined) return known.metadata.annotations?.[annotations.check]
    const marks = { ...known.metadata.annotations, [annotations.check]: value }
    gateway.cluster.put(ResourceAccount, { ...known, metadata: { ...known.metadata, annotations: marks } })
    return value
  }
  const untilAsked = async () => {
    while (mark() === undefined) await setTimeout(2)
  }

  beforeEach(() => gateway.send(`POST ${accounts}`, { body: cloudflare }))

  test.each<[string, [string, object?][], number[]]>([
    ['two questions at once', [check, check], [200, 200]],
    ['a question and new credentials', [check, change], [200, 200]],
    ['new credentials and a question', [change, check], [200, 200]],
    ['others that are only tried, and a question', [trial, check, trial], [204, 200, 204]],
    ['a question and new credentials that are not tried', [check, untried, check], [200, 200, 200]],
  ])('%s are all answered', async (_, requests, statuses) => {
    const stop = operatorThat(true)
    expect(await Promise.all(requests.map(send))).toEqual(statuses)
    stop()
    expect(tried).toHaveLength(requests.filter((each) => each !== untried).length)
  })

  test.each([
    ['a question', check],
    ['new credentials', change],
    ['others that are only tried', trial],
  ])('%s that another gateway puts its own in the place of: 409, and its own stays', async (_, request) => {
    const answer = send(request)
    await untilAsked()
    mark('another')
    expect([await answer, mark()]).toEqual([409, 'another'])
    expect(gateway.cluster.writes.filter((each) => each.startsWith('replace'))).toEqual([])
  })

  test.each<[string, boolean, string | undefined]>([
    ['go on with another gateway when credentials are changed here', false, 'another/one'],
    ['that are over end when credentials are changed', true, undefined],
  ])('%s', async (_, isOver, left) => {
    mark('another/one')
    const status = { check: { request: 'another/one', accepted: true } }
    if (isOver) gateway.cluster.setStatus(ResourceAccount, 'acme', 'cf', status)
    expect([await send(untried), mark()]).toEqual([200, left])
  })

  test('another gateway that asks before accepted credentials are written: 409, and they are not used', async () => {
    const before = account()?.spec.credentialsSecretName
    gateway.cluster.failNext('replace ResourceAccount', new ApiError(409, 'Conflict', 'modified'))
    const { replace } = gateway.cluster
    const late: typeof replace = (kind, object) => {
      mark('another')
      return replace(kind, object)
    }
    Object.assign(gateway.cluster, { replace: late })
    const stop = operatorThat(true)
    expect(await send(change)).toBe(409)
    stop()
    Object.assign(gateway.cluster, { replace })
    expect(account()?.spec.credentialsSecretName).toBe(before)
  })
})

test('the credentials of an account that was made again a moment ago are checked', async () => {
  await gateway.send(`POST ${accounts}`, { body: cloudflare })
  const first = account()
  if (!first) throw new Error('no account')
  gateway.cluster.drop(ResourceAccount, 'acme', 'cf')
  await gateway.send(`POST ${accounts}`, { body: cloudflare })
  const second = account()?.spec.credentialsSecretName
  const restore = showStale(gateway, ResourceAccount, 'cf', [first])
  const status = await sending(true, `POST ${accounts}/cf/actions/check`, {})
  restore()
  expect([status, tried]).toEqual([200, [second]])
})
