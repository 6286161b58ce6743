import { describe, expect, test } from '@jest/globals'
import {
  contentOf,
  createSecretReader,
  outputsSecret,
  resolveSecretRefs,
} from '../../../operator/controllers/shared/secrets.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import { activeResource, storedMeta } from '../../support/builders.ts'
import { fc } from '../../support/properties.ts'

const encoded = (text: string) => Buffer.from(text).toString('base64')

/** A client whose Secrets all have this password, and the paths that it read. */
function clientWith(passwords: string[]) {
  const paths: string[] = []
  const client = {
    async request(_: string, path: string) {
      paths.push(path)
      const password = passwords[0] ?? ''
      await new Promise(setImmediate)
      return { metadata: {}, data: { password: encoded(password) } }
    },
  } as unknown as KubeClient // reads need no more
  return { client, paths }
}

test('resources that need the same Secret at the same time share reads of it', async () => {
  const { client, paths } = clientWith(['first'])
  const all = await Promise.all(
    Array.from({ length: 100 }, () => createSecretReader(client).read('acme', 'login')),
  )
  expect(all).toEqual(all.map(() => ({ password: 'first' })))
  expect(paths).toEqual(['/api/v1/namespaces/acme/secrets/login', '/api/v1/namespaces/acme/secrets/login'])
})

test('a Secret that changed before the question is read as it is, also during the read of another', async () => {
  const passwords = ['first']
  const { client } = clientWith(passwords)
  const before = createSecretReader(client).read('acme', 'login')
  passwords[0] = 'second'
  const after = createSecretReader(client).read('acme', 'login')
  expect(await Promise.all([before, after])).toEqual([{ password: 'first' }, { password: 'second' }])
})

test('Secrets of other names, and those of other clusters, are read by themselves', async () => {
  const [one, other] = [clientWith(['one']), clientWith(['other'])]
  const read = (client: KubeClient, name: string) => createSecretReader(client).read('acme', name)
  const all = await Promise.all([
    read(one.client, 'login'),
    read(one.client, 'token'),
    read(other.client, 'login'),
  ])
  expect(all.map(({ password }) => password)).toEqual(['one', 'one', 'other'])
  expect([one.paths.length, other.paths.length]).toEqual([2, 1])
})

test('the Secret of the outputs gives them back, with any names and values', () => {
  const name = fc
    .tuple(fc.constantFrom('key', 'a', 'a.b'), fc.constantFrom('', '.json', '.json.json', '.JSON'))
    .map((parts) => parts.join(''))
  const value = fc.oneof(
    fc.constantFrom('', 'text', '{"a":1}', '1', 'null'),
    fc.jsonValue().filter((each) => typeof each !== 'object' || each !== null),
  )
  fc.assert(
    fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (secrets) => {
      const { metadata, ...secret } = outputsSecret(activeResource({ type: 's3', resourceId: 'a' }), secrets)
      const stored = { ...secret, metadata: storedMeta(metadata) }
      expect(contentOf(stored)).toEqual(JSON.parse(JSON.stringify(secrets)))
    }),
  )
})

test('leaves are found within objects and lists, also where a name is that of a leaf', async () => {
  const { client } = clientWith(['first'])
  const leaf = { secret: 'login', key: 'password' }
  const refs = { tls: { key: leaf, parts: [leaf, { value: 'plain' }] }, login: { secret: leaf } }
  expect(await resolveSecretRefs(refs, 'acme', createSecretReader(client))).toEqual({
    tls: { key: 'first', parts: ['first', 'plain'] },
    login: { secret: 'first' },
  })
})

test.each<[key: string, expected: unknown]>([
  ['config', 'text'],
  ['config.json', { a: 1 }],
  ['other', { b: 2 }],
  ['other.json', { b: 2 }],
  ['plain', 'as it is'],
])(
  "a leaf with the key '%s' has the value of that key, or else of the one with or without '.json'",
  async (key, expected) => {
    const texts = { config: 'text', 'config.json': '{"a":1}', 'other.json': '{"b":2}', plain: 'as it is' }
    const data = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, encoded(text)]))
    const client = { request: async () => ({ metadata: {}, data }) } as unknown as KubeClient // reads need no more
    const resolved = await resolveSecretRefs(
      { leaf: { secret: 's', key } },
      'acme',
      createSecretReader(client),
    )
    expect(resolved).toEqual({ leaf: expected })
  },
)

describe('a value of a Secret that is not text', () => {
  const keystore = Buffer.from([0xfe, 0xed, 0xfe, 0xed]).toString('base64')
  const data = { keystore, 'tls.crt': encoded('certificate'), 'odd.json': keystore }
  const client = { request: async () => ({ metadata: {}, data }) } as unknown as KubeClient // reads need no more
  const resolve = (leaf: object) => resolveSecretRefs({ leaf }, 'acme', createSecretReader(client))

  test.each(['keystore', 'odd', 'odd.json'])("is refused: key '%s'", async (key) => {
    const error = { reason: 'SecretKeyNotFound', message: expect.stringContaining('UTF-8') }
    await expect(resolve({ secret: 's', key })).rejects.toMatchObject(error)
  })

  test('is not part of the whole Secret', async () => {
    expect(await resolve({ secret: 's' })).toEqual({ leaf: { 'tls.crt': 'certificate' } })
  })

  test('is no obstacle for the others', async () => {
    expect(await resolve({ secret: 's', key: 'tls.crt' })).toEqual({ leaf: 'certificate' })
  })
})
