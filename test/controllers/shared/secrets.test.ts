import { expect, test } from '@jest/globals'
import { createSecretReader } from '../../../operator/controllers/shared/secrets.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'

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
