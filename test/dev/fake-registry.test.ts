import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { ensureDevelopmentAuthority } from '../../dev/development-authority.ts'
import { type FakeRegistry, startFakeRegistry } from '../../dev/fake-registry/registry.ts'
import { type ImageBlobs, imageBlobs } from '../../dev/image/archive.ts'

const puller = { username: 'puller', password: 'a:password', repositories: 'shop/' }
const unknown = `sha256:${'0'.repeat(64)}`
let directory: string
let ca: string
let registry: FakeRegistry
let image: ImageBlobs

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'registry-'))
  await ensureDevelopmentAuthority(directory)
  ca = await readFile(join(directory, 'ca.crt'), 'utf8')
  image = await imageBlobs({
    layers: [[{ path: '/file', content: Buffer.from('content') }]],
    config: { Entrypoint: ['/file'] },
  })
})
beforeEach(async () => {
  registry = await startFakeRegistry({ directory, address: '127.0.0.1' })
  registry.push('shop/web', '1', image)
  registry.push('tools/web', '1', image)
  registry.setAccount(puller)
})
afterEach(() => registry.close())
afterAll(() => rm(directory, { recursive: true }))

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
const good = basic(puller.username, puller.password)

/** A call over HTTPS, as a container runtime makes it. */
function call(path: string, { method = 'GET', authorization = good } = {}) {
  const headers = authorization === '' ? {} : { authorization }
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      const outgoing = request(`https://${registry.host}${path}`, { method, headers, ca, agent: false })
      outgoing.on('error', reject)
      outgoing.on('response', (response) => {
        buffer(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          reject,
        )
      })
      outgoing.end()
    },
  )
}
const sha256 = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`

describe('an image is pulled', () => {
  test.each(['by tag', 'by digest'])('%s: its manifest names blobs that have their digests', async (how) => {
    const reference = how === 'by tag' ? '1' : image.manifest.digest
    const { status, headers, body } = await call(`/v2/shop/web/manifests/${reference}`)
    expect([status, headers['content-type'], headers['docker-content-digest']]).toEqual([
      200,
      'application/vnd.oci.image.manifest.v1+json',
      sha256(body),
    ])
    const { config, layers } = JSON.parse(body.toString())
    for (const { digest, size } of [config, ...layers]) {
      const blob = await call(`/v2/shop/web/blobs/${digest}`)
      expect([blob.status, blob.body.length, sha256(blob.body)]).toEqual([200, size, digest])
    }
  })

  test.each(['manifests/1', 'blobs/'])('after HEAD of %s, which has the headers of GET', async (kind) => {
    const path = `/v2/shop/web/${kind}${kind === 'blobs/' ? image.config.digest : ''}`
    const [head, get] = [await call(path, { method: 'HEAD' }), await call(path)]
    const { date: _, ...headers } = head.headers
    expect(get.headers).toMatchObject(headers)
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
      200,
      String(get.body.length),
      0,
    ])
  })

  test('under a tag that moved', async () => {
    const layers = [[{ path: '/file', content: Buffer.from('other') }]]
    registry.push('shop/web', '1', await imageBlobs({ layers, config: {} }))
    const { headers } = await call('/v2/shop/web/manifests/1')
    expect(headers['docker-content-digest']).not.toBe(image.manifest.digest)
    expect((await call(`/v2/shop/web/manifests/${image.manifest.digest}`)).status).toBe(200)
  })
})

test.each<[rule: string, path: string, authorization: string, status: number, code: string]>([
  ['no credentials', '/v2/', '', 401, 'UNAUTHORIZED'],
  ['another password', '/v2/shop/web/manifests/1', basic('puller', 'other'), 401, 'UNAUTHORIZED'],
  ['another user', '/v2/shop/web/manifests/1', basic('other', 'a:password'), 401, 'UNAUTHORIZED'],
  ['another scheme', '/v2/shop/web/manifests/1', 'Bearer token', 401, 'UNAUTHORIZED'],
  ['a repository of others', '/v2/tools/web/manifests/1', good, 403, 'DENIED'],
  ['an unknown repository', '/v2/shop/none/manifests/1', good, 404, 'NAME_UNKNOWN'],
  ['an invalid repository', '/v2/shop/Web/manifests/1', good, 400, 'NAME_INVALID'],
  ['an unknown tag', '/v2/shop/web/manifests/2', good, 404, 'MANIFEST_UNKNOWN'],
  ['an unknown digest', `/v2/shop/web/manifests/${unknown}`, good, 404, 'MANIFEST_UNKNOWN'],
  ['an invalid tag', '/v2/shop/web/manifests/-', good, 400, 'MANIFEST_INVALID'],
  ['an unknown blob', `/v2/shop/web/blobs/${unknown}`, good, 404, 'BLOB_UNKNOWN'],
  ['an invalid digest', '/v2/shop/web/blobs/1', good, 400, 'DIGEST_INVALID'],
  ['another path', '/v2/shop', good, 404, 'UNSUPPORTED'],
])('%s is refused as the specification says', async (_, path, authorization, status, code) => {
  const answer = await call(path, { authorization })
  expect([answer.status, JSON.parse(answer.body.toString()).errors[0].code]).toEqual([status, code])
  expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Basic realm="images"' : undefined)
})

test('nothing can be pushed over HTTP', async () => {
  const { status } = await call('/v2/shop/web/manifests/1', { method: 'PUT' })
  expect(status).toBe(405)
})

test('a changed password takes effect at once', async () => {
  registry.setAccount({ ...puller, password: 'second' })
  expect((await call('/v2/')).status).toBe(401)
  expect((await call('/v2/', { authorization: basic('puller', 'second') })).status).toBe(200)
})

test('every call is recorded with its credentials and its status', async () => {
  await call('/v2/', { authorization: '' })
  await call('/v2/?a=b', { method: 'HEAD' })
  const { username, password } = puller
  expect(registry.calls()).toEqual([
    { method: 'GET', path: '/v2/', credentials: undefined, status: 401 },
    { method: 'HEAD', path: '/v2/', credentials: { username, password }, status: 200 },
  ])
})

describe('calls are treated badly', () => {
  test('as often as asked for, under that path alone', async () => {
    registry.misbehave({ path: '/v2/shop/', do: 'status', times: 1 })
    const paths = ['/v2/', '/v2/shop/web/manifests/1', '/v2/shop/web/manifests/1']
    const statuses = []
    for (const path of paths) statuses.push((await call(path)).status)
    expect(statuses).toEqual([200, 503, 200])
  })

  test('until the behaviour is reset', async () => {
    registry.misbehave({ path: '/v2/', do: 'reset' })
    await expect(call('/v2/')).rejects.toMatchObject({ code: 'ECONNRESET' })
    registry.behave()
    expect((await call('/v2/')).status).toBe(200)
  })
})
