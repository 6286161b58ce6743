import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { stringify } from 'yaml'
import { loadConnection } from '../../../operator/kube/client/connection.ts'
import { type Kubeconfig, podKubeconfig, readKubeconfig } from '../../../operator/kube/client/kubeconfig.ts'
import { loadWithLibrary } from '../../../operator/kube/client/kubernetes-library.ts'
import { casesOf, fc } from '../../support/properties.ts'

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-kubeconfig-'))
  for (const name of ['ca', 'cert', 'key']) await writeFile(join(directory, name), `file ${name}`)
})

afterAll(() => rm(directory, { recursive: true }))

/** The credentials with the names of headers in lower case, as HTTP reads them, and without undefined values. */
async function plain({ server, credentials }: Kubeconfig): Promise<object> {
  const { headers, tls } = await credentials()
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return JSON.parse(JSON.stringify({ server, headers: Object.fromEntries(lower), tls }))
}

async function write(content: object, asYaml: boolean): Promise<string> {
  const path = join(directory, 'config')
  await writeFile(path, asYaml ? stringify(content) : JSON.stringify(content))
  return path
}

const text = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', 'b', ':', '/', 'ä', '-') })
const data = text.map((value) => Buffer.from(value).toString('base64'))
const optional = { requiredKeys: [] }
const cluster = fc
  .record(
    {
      authority: fc.oneof(
        fc.record({ 'certificate-authority': fc.constant('ca') }),
        fc.record({ 'certificate-authority-data': data }),
      ),
      rest: fc.record({ 'insecure-skip-tls-verify': fc.boolean(), 'tls-server-name': text }, optional),
      path: fc.constantFrom('', '/', '/k8s/clusters/c-1'),
    },
    { requiredKeys: ['path'] },
  )
  .map(({ authority, rest, path }) => ({
    server: `https://api.example.test:6443${path}`,
    ...authority,
    ...rest,
  }))
const user = fc.oneof(
  fc.record({ token: text.filter((value) => value.trim() === value) }, optional),
  fc.record({ username: text, password: text }),
  fc.record({ 'client-certificate': fc.constant('cert'), 'client-key': fc.constant('key') }),
  fc.record({ 'client-certificate-data': data, 'client-key-data': data }),
)

function kubeconfig(current: { cluster: object; user: object }) {
  const other = { cluster: { server: 'https://other.example.test' }, user: { token: 'other' } }
  return {
    'current-context': 'here',
    clusters: [
      { name: 'other', cluster: other.cluster },
      { name: 'c', cluster: current.cluster },
    ],
    users: [
      { name: 'other', user: other.user },
      { name: 'u', user: current.user },
    ],
    contexts: [
      { name: 'other', context: { cluster: 'other', user: 'other' } },
      { name: 'here', context: { cluster: 'c', user: 'u' } },
    ],
  }
}

describe('a kubeconfig', () => {
  test('of files and values gives the same server and credentials as the Kubernetes library', async () => {
    await fc.assert(
      fc.asyncProperty(cluster, user, fc.boolean(), async (ofCluster, ofUser, asYaml) => {
        const path = await write(kubeconfig({ cluster: ofCluster, user: ofUser }), asYaml)
        const read = await readKubeconfig(path)
        expect(read && (await plain(read))).toEqual(await plain(loadWithLibrary(path)))
      }),
      { numRuns: casesOf(500) },
    )
  })

  test.each<[rule: string, part: 'cluster' | 'user', fields: object]>([
    ['a program that makes credentials', 'user', { exec: { command: 'login' } }],
    ['an identity provider', 'user', { 'auth-provider': { name: 'oidc' } }],
    ['impersonation', 'user', { as: 'another' }],
  ])('with %s is left to the library', async (_, part, fields) => {
    const current = { cluster: { server: 'https://api.example.test' }, user: { token: 't' } }
    const path = await write(kubeconfig({ ...current, [part]: { ...current[part], ...fields } }), false)
    expect(await readKubeconfig(path)).toBeUndefined()
    expect((await loadConnection({ kubeconfig: path })).origin).toBe('https://api.example.test')
  })

  test.each<[setting: string, part: 'cluster' | 'user', value: unknown]>([
    ['proxy-url', 'cluster', 'http://127.0.0.1:1'],
    ['as-uid', 'user', '7'],
    ['as-groups', 'user', ['developers']],
    ['as-user-extra', 'user', { reason: ['test'] }],
  ])("with '%s', which is not supported, is refused", async (setting, part, value) => {
    const current = { cluster: { server: 'https://api.example.test' }, user: { token: 't', as: 'another' } }
    const path = await write(
      kubeconfig({ ...current, [part]: { ...current[part], [setting]: value } }),
      false,
    )
    await expect(loadConnection({ kubeconfig: path })).rejects.toThrow(`'${setting}'`)
  })

  test('with impersonation sends requests as the other user', async () => {
    const current = { cluster: { server: 'https://api.example.test' }, user: { token: 't', as: 'another' } }
    const { credentials } = await loadConnection({ kubeconfig: await write(kubeconfig(current), false) })
    expect((await credentials()).headers).toMatchObject({ 'Impersonate-User': 'another' })
  })

  test.each<[rule: string, content: unknown]>([
    ['nothing', null],
    ['a text', 'no kubeconfig'],
    ['a context that does not exist', { 'current-context': 'gone', contexts: [null, { name: 'x' }] }],
  ])('that holds %s is refused', async (_, content) => {
    const path = await write(content as object, false) // also what is no object
    await expect(loadConnection({ kubeconfig: path })).rejects.toThrow()
  })
})

describe('the ServiceAccount of a pod', () => {
  test('is read again each time, because Kubernetes renews its token', async () => {
    const { server, credentials } = podKubeconfig('https://10.0.0.1:443', directory)
    await writeFile(join(directory, 'ca.crt'), 'authority')
    for (const token of ['first', 'second']) {
      await writeFile(join(directory, 'token'), `${token}\n`)
      const expected = { headers: { authorization: `Bearer ${token}` }, tls: { ca: 'authority' } }
      expect(await plain({ server, credentials })).toEqual({ server: 'https://10.0.0.1:443', ...expected })
    }
  })
})

describe('the credentials of a connection', () => {
  const tokenFile = () => join(directory, 'rotated')
  async function connect() {
    await writeFile(tokenFile(), 'first')
    const current = { cluster: { server: 'https://api.example.test' }, user: { tokenFile: tokenFile() } }
    const { credentials } = await loadConnection({ kubeconfig: await write(kubeconfig(current), false) })
    return { credentials, first: await credentials() }
  }

  test('are read again at once when the API server has refused them', async () => {
    const { credentials, first } = await connect()
    await writeFile(tokenFile(), 'second')
    expect(await credentials()).toBe(first)
    const second = await credentials(first)
    expect(second.headers).toEqual({ authorization: 'Bearer second' })
    expect(await credentials(first)).toBe(second)
  })

  test.each<[rule: string, change: () => Promise<void>]>([
    ['is empty', () => writeFile(tokenFile(), '\n')],
    ['is gone', () => rm(tokenFile())],
  ])('stay while the file of the token %s', async (_, change) => {
    const { credentials, first } = await connect()
    await change()
    expect(await credentials(first)).toBe(first)
    await writeFile(tokenFile(), 'second')
    expect((await credentials(first)).headers).toEqual({ authorization: 'Bearer second' })
  })

  test('are not anonymous when the file of the token is empty', async () => {
    await writeFile(tokenFile(), '')
    const current = { cluster: { server: 'https://api.example.test' }, user: { tokenFile: tokenFile() } }
    const { credentials } = await loadConnection({ kubeconfig: await write(kubeconfig(current), false) })
    await expect(credentials()).rejects.toThrow(`the file '${tokenFile()}' is empty`)
  })
})
