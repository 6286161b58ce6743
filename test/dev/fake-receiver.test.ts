import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { ensureDevelopmentAuthority } from '../../dev/development-authority.ts'
import { type Receiver, startReceiver } from '../../dev/webhook-receiver/receiver.ts'
import { signatureOf } from '../../operator/domain/deployment/webhook.ts'
import { createOutbound } from '../../operator/outbound/create-outbound.ts'
import type { Outbound } from '../../operator/outbound/outbound.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const allowed = ['127.0.0.0/8', '::1/128', 'localhost']
let directory: string
let receiver: Receiver
let outbound: Outbound

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'receiver-'))
  await ensureDevelopmentAuthority(directory)
  receiver = await startReceiver({ directory })
  outbound = createOutbound({ allowed, ca: await readFile(join(directory, 'ca.crt'), 'utf8') })
})
afterAll(async () => {
  await Promise.all([outbound.close(), receiver.close()])
  await rm(directory, { recursive: true })
})
afterEach(() => {
  receiver.forget()
  receiver.behave()
})

/** A call signed as the operator signs. */
function call(path: string, { body = '{"a":"é"}', key = secret, id = 'one', totalMs = 20_000 } = {}) {
  const now = Math.floor(Date.now() / 1000)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(now),
    'webhook-signature': signatureOf(key, id, now, body),
  }
  const { signal } = new AbortController()
  return outbound.request({ method: 'POST', url: `${receiver.url}${path}`, headers, body, signal, totalMs })
}

async function control(method: string, path: string, body?: unknown) {
  const { signal } = new AbortController()
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const { status, text } = await outbound.request({ method, url: `${receiver.url}${path}`, signal, ...sent })
  return { status, body: JSON.parse(text) }
}

describe('a call is remembered', () => {
  test('with its path, headers and the text of its body, repetitions and all', async () => {
    await call('/hook?a=b')
    await call('/hook?a=b')
    const entry = {
      at: expect.any(String),
      method: 'POST',
      path: '/hook?a=b',
      headers: expect.objectContaining({ 'webhook-id': 'one' }),
      body: '{"a":"é"}',
      verified: null,
    }
    expect(await control('GET', '/__received')).toEqual({ status: 200, body: [entry, entry] })
  })

  test.each<[rule: string, path: string, known: string | undefined, key: string, verified: boolean | null]>([
    ['its signature is good', '/good', secret, secret, true],
    ['its signature is by another secret', '/bad', secret, other, false],
    ['unknown fields', '/unknown', undefined, secret, null],
  ])('and verified: %s', async (_, path, known, key, verified) => {
    if (known !== undefined) await control('POST', '/__secrets', { path, secret: known })
    await call(path, { key })
    expect(receiver.received()[0]?.verified).toBe(verified)
  })

  test('and verified later, when the secret arrives later', async () => {
    await call('/later')
    receiver.trust('/later', secret)
    expect(receiver.received()[0]?.verified).toBe(true)
  })

  test('until it is forgotten', async () => {
    await call('/hook')
    await control('DELETE', '/__received')
    expect(receiver.received()).toEqual([])
  })
})

describe('calls are treated badly', () => {
  test.each<[rule: Parameters<Receiver['misbehave']>[0], outcome: object]>([
    [{ path: '/p', do: 'status' }, { status: 500 }],
    [{ path: '/p', do: 'status', status: 410 }, { status: 410 }],
    [{ path: '/p', do: 'slow', delayMs: 20 }, { status: 200 }],
    [
      { path: '/p', do: 'redirect', location: 'https://169.254.169.254/' },
      { status: 307, headers: expect.objectContaining({ location: 'https://169.254.169.254/' }) },
    ],
    [{ path: '/p', do: 'hang' }, { code: 'Timeout' }],
    [{ path: '/p', do: 'reset' }, { code: 'Connection' }],
    [{ path: '/p', do: 'flood' }, { code: 'TooLarge' }],
  ])('once: %j', async (rule, outcome) => {
    receiver.misbehave(rule)
    const totalMs = rule.do === 'hang' ? 300 : 20_000
    const seen = await call('/p', { totalMs }).catch((error: unknown) => error)
    expect(seen).toMatchObject(outcome)
    expect(await call('/p')).toMatchObject({ status: 200 })
    expect(receiver.received()).toHaveLength(2)
  })

  test('as often as asked for, on that path alone', async () => {
    await control('POST', '/__misbehave', { path: '/p', do: 'status', times: 2 })
    const statuses = []
    for (const path of ['/q', '/p', '/p?x', '/p']) statuses.push((await call(path)).status)
    expect(statuses).toEqual([200, 500, 500, 200])
  })

  test('until the behaviour is reset', async () => {
    receiver.misbehave({ path: '/p', do: 'status', times: -1 })
    expect(await call('/p')).toMatchObject({ status: 500 })
    await control('DELETE', '/__misbehave')
    expect(await call('/p')).toMatchObject({ status: 200 })
  })
})

test.each([
  ['POST', '/__misbehave', { path: '/p', do: 'dance' }, 400],
  ['POST', '/__misbehave', { do: 'hang' }, 400],
  ['POST', '/__secrets', { path: '/p', secret: 'whsec_' }, 400],
  ['GET', '/__nothing', undefined, 404],
])('%s %s %j is refused', async (method, path, body, status) => {
  expect(await control(method, path, body)).toMatchObject({ status })
})

describe('the guard, bundled as it ships', () => {
  const source = `
    import { createOutbound } from './operator/outbound/create-outbound.ts'
    const outbound = createOutbound({ allowed: ${JSON.stringify(allowed)} })
    const signal = new AbortController().signal
    try { console.log((await outbound.request({ method: 'POST', url: process.argv[2], body: '', signal })).status) }
    catch (error) { console.log(error.code) }
    await outbound.close()`

  test.each([
    ['trusts the authority that NODE_EXTRA_CA_CERTS names', () => join(directory, 'ca.crt'), '200'],
    ['trusts no other', () => '', 'Certificate'],
  ])('%s', async (_, ca, outcome) => {
    const outfile = join(directory, 'guard.mjs')
    await build({
      stdin: { contents: source, resolveDir: join(import.meta.dirname, '..', '..') },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      banner: {
        js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url)",
      },
    })
    const environment = { ...process.env, NODE_EXTRA_CA_CERTS: ca(), NODE_OPTIONS: '' }
    const child = spawn(process.execPath, [outfile, receiver.url], { env: environment })
    let said = ''
    for await (const chunk of child.stdout) said += String(chunk)
    expect(said.trim()).toBe(outcome)
  })
})
