import { describe, expect, test } from '@jest/globals'
import type { KubeObject } from '../../../operator/api/kind.ts'
import type { Registry } from '../../../operator/api/registry.ts'
import {
  dockerConfig,
  keptCredentials,
  type PullCredentials,
  pullSecretKey,
  registriesFor,
  secretOfRegistry,
  secretsIn,
  withPullSecret,
} from '../../../operator/domain/image/pull-secret.ts'
import { redact } from '../../../operator/domain/secret/redact.ts'

const credentials: PullCredentials = { registry: 'r.test', username: 'puller', password: 'secret' }
const auth = Buffer.from('puller:secret').toString('base64')
const metadata = { name: 'web', namespace: 'acme--shop--dev' }
/** Credentials of a registry in an existing file, which may have those of others. */
const inFile = (auths: object, registry = 'r.test'): PullCredentials => ({
  registry,
  dockerConfig: JSON.stringify({ auths }),
})
const pod = { containers: [{ name: 'main', image: 'r.test/web:1' }] }

function decoded(objects: readonly KubeObject[]): unknown {
  const secret = objects.find(({ kind }) => kind === 'Secret') as
    | { data?: Record<string, string> }
    | undefined
  return JSON.parse(Buffer.from(secret?.data?.[pullSecretKey] ?? '', 'base64').toString())
}

test.each<[what: string, type: Registry['spec']['type'], logins: string[], kept: string[] | undefined]>([
  ['its own login', 'basic', ['other.test', 'r.test'], ['r.test']],
  ['no login to a part of it, which is that of another registry', 'basic', ['r.test/team'], undefined],
  [
    'the logins of its file to parts of it',
    'secret_ref',
    ['r.test', 'r.test/team'],
    ['r.test', 'r.test/team'],
  ],
  ['no login to a host whose name begins with its own', 'secret_ref', ['r.test.example'], undefined],
])('of the pull Secret of a workload, a registry keeps %s', (_, type, logins, kept) => {
  const config = JSON.stringify({ auths: Object.fromEntries(logins.map((each) => [each, { auth }])) })
  const file = keptCredentials({ registry: 'r.test', type } as Registry['spec'], config) // the fields that it reads
  const auths = file && 'dockerConfig' in file ? JSON.parse(file.dockerConfig).auths : undefined
  expect(auths && Object.keys(auths)).toEqual(kept)
})

describe('no message contains', () => {
  const shown = 'puller of r.test'
  test.each<[what: string, credentials: PullCredentials, hidden: string]>([
    ['the password', credentials, 'secret'],
    ['the password in base64', credentials, Buffer.from('secret').toString('base64')],
    ['the password of a file', inFile({ 'r.test': { username: 'puller', password: 'secret' } }), 'secret'],
    ['the login of a file', inFile({ 'r.test': { auth } }), auth],
    ['the password of a file with logins alone', inFile({ 'r.test': { auth } }), 'secret'],
    ['a token of a file', inFile({ 'r.test': { identitytoken: 'a-token' } }), 'a-token'],
  ])('%s, but the user and the registry', (_, given, hidden) => {
    const message = redact(`${shown}: ${hidden}`, secretsIn(given))
    expect(message).toMatch(/^puller of r.test: …+$/)
  })
})

describe('the pods of a workload name its pull Secret', () => {
  test.each<[kind: string, specOf: (podSpec: object) => object]>([
    ['Pod', (podSpec) => podSpec],
    ['Deployment', (podSpec) => ({ template: { spec: podSpec } })],
    ['StatefulSet', (podSpec) => ({ template: { spec: podSpec } })],
    ['Job', (podSpec) => ({ template: { spec: podSpec } })],
    ['CronJob', (podSpec) => ({ jobTemplate: { spec: { template: { spec: podSpec } } } })],
  ])('of a %s', (kind, specOf) => {
    const objects = [
      { apiVersion: 'v1', kind, metadata, spec: specOf(pod) },
      { apiVersion: 'v1', kind: 'Service', metadata },
    ]
    const [workload, service, secret] = withPullSecret(objects, 'web-pull', [credentials])
    expect(secret).toMatchObject({
      kind: 'Secret',
      type: 'kubernetes.io/dockerconfigjson',
      metadata: { name: 'web-pull', namespace: 'acme--shop--dev' },
    })
    expect(workload?.['spec']).toEqual(specOf({ ...pod, imagePullSecrets: [{ name: 'web-pull' }] }))
    expect(service).toBe(objects[1])
    expect(decoded([secret as KubeObject])).toEqual({
      auths: { 'r.test': { username: 'puller', password: 'secret', auth } },
    })
  })

  test('in addition to those that the module names', () => {
    const spec = { template: { spec: { ...pod, imagePullSecrets: [{ name: 'own' }] } } }
    const objects = [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }]
    const [workload] = withPullSecret(objects, 'web-pull', [credentials])
    expect(workload).toMatchObject({
      spec: { template: { spec: { imagePullSecrets: [{ name: 'own' }, { name: 'web-pull' }] } } },
    })
  })

  test('of a Job also without credentials, so that a registry that comes later leaves its template as it is', () => {
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template: { spec: pod } } }
    const without = withPullSecret([job], 'web-pull', [])
    expect(without).toHaveLength(1)
    expect(without[0]).toEqual(withPullSecret([job], 'web-pull', [credentials])[0])
  })

  test.each<[rule: string, objects: readonly KubeObject[], all: readonly PullCredentials[]]>([
    ['without credentials', [{ apiVersion: 'v1', kind: 'Pod', metadata, spec: pod }], []],
    ['without pods', [{ apiVersion: 'v1', kind: 'Service', metadata }], [credentials]],
  ])('and nothing changes %s', (_, objects, all) => {
    expect(withPullSecret(objects, 'web-pull', all)).toBe(objects)
  })
})

describe('credentials of several registries are one file', () => {
  const keysOf = (all: readonly PullCredentials[]) => {
    const file: { auths: Record<string, { auth: string }> } = JSON.parse(dockerConfig(all))
    return Object.fromEntries(Object.entries(file.auths).map(([key, login]) => [key, login.auth]))
  }
  const hub = 'https://index.docker.io/v1/'

  test.each<[rule: string, registry: string, keys: readonly string[], expected: object]>([
    ['for its host', 'r.test', ['r.test'], { 'r.test': 0 }],
    ['but for no other host', 'r.test', ['other.test', 'r.test'], { 'r.test': 1 }],
    ['but for no part of its host', 'r.test', ['test', 'r.test.evil', 'r.test:5000'], {}],
    ['for an address with protocol', 'r.test', ['https://r.test/v1/'], { 'r.test': 0 }],
    ['for Docker Hub', 'docker.io', [hub], { [hub]: 0 }],
    ['for all hosts of a pattern', 'a.r.test', ['*.r.test', '*.test'], { 'a.r.test': 0 }],
    ['for its host before a pattern', 'a.r.test', ['*.r.test', 'a.r.test'], { 'a.r.test': 1 }],
    ['for a pattern of a part', 'b1.r.test', ['a*.r.test', 'b?.r.t[d-f]s*t'], { 'b1.r.test': 1 }],
    [
      'but for no pattern of other parts',
      'b1.r.test',
      ['b.*.r.test', 'b?1.r.test', '[b.r.test', '*1b.r.test'],
      {},
    ],
    [
      'but for no pattern without its port',
      'r.test:5000',
      ['r.*', '*.test', 'r.*:5000'],
      { 'r.test:5000': 2 },
    ],
    ['for a project of a pattern', 'r.test', ['*.test/shop'], { 'r.test/shop': 0 }],
    [
      'for projects of Docker Hub',
      'docker.io',
      ['docker.io/a', 'index.docker.io/b', hub],
      { 'docker.io/a': 0, 'docker.io/b': 1, [hub]: 2 },
    ],
    ['for its project by a login to its host', 'r.test/shop', ['r.test'], { 'r.test/shop': 0 }],
    ['for its project before its host', 'r.test/shop', ['r.test', 'r.test/shop'], { 'r.test/shop': 1 }],
    ['but for no other project', 'r.test/shop', ['r.test/other', 'r.test/shopping'], {}],
    ['for the projects of its host', 'r.test', ['r.test/shop', 'r.test'], { 'r.test/shop': 0, 'r.test': 1 }],
  ])('with those of existing Secrets %s', (_, registry, keys, expected) => {
    const auths = Object.fromEntries(keys.map((key, index) => [key, { auth: index }]))
    expect(keysOf([inFile(auths, registry)])).toEqual(expected)
  })

  test('in which an existing Secret takes no place of another registry', () => {
    const existing = inFile({ 'r.test': { auth: 'old' }, 'other.test': { auth: 'new' } }, 'other.test')
    expect(keysOf([existing, credentials])).toEqual({ 'other.test': 'new', 'r.test': auth })
    const older = inFile({ 'https://r.test/shop/': { auth: 'old' }, 'r.test': { auth: 'new' } })
    const ofShop = { ...credentials, registry: 'r.test/shop' }
    expect(keysOf([older, ofShop])).toEqual({ 'r.test': 'new', 'r.test/shop': auth })
    const ofProject = inFile({ 'r.test': { auth: 'shop' } }, 'r.test/shop')
    expect(keysOf([ofProject, credentials])).toEqual({ 'r.test/shop': 'shop', 'r.test': auth })
  })

  test('and the first of two for one registry counts', () => {
    const second = { ...credentials, username: 'second' }
    expect(JSON.parse(dockerConfig([credentials, second])).auths['r.test'].username).toBe('puller')
  })
})

describe('images are pulled with the credentials', () => {
  const registry = (address: string): Pick<Registry, 'spec'> => ({
    spec: { registry: address, type: 'basic' },
  })
  const all = ['r.test', 'r.test/shop', 'docker.io', 'other.test'].map(registry)
  test.each([
    ['of their registry', ['r.test/web'], ['r.test']],
    ['of the narrowest registry', ['r.test/shop/web'], ['r.test/shop']],
    ['of Docker Hub', ['nginx:1'], ['docker.io']],
    ['of each registry once', ['r.test/a', 'r.test/b', 'other.test/c'], ['r.test', 'other.test']],
    ['of none', ['unknown.test/web'], []],
  ])('%s', (_, images, expected) => {
    expect(registriesFor(images, all).map(({ spec }) => spec.registry)).toEqual(expected)
  })
})

describe('the Secret of a registry', () => {
  const here = { namespace: 'acme', secret: 'regcred' }
  test.each<[rule: string, spec: Partial<Registry['spec']>, name: string | undefined]>([
    ['is missing for a public one', { type: 'public', credentialsSecretName: 'x' }, undefined],
    ['has user name and password', { type: 'basic', credentialsSecretName: 'x' }, 'x'],
    ['has the key of a Google registry', { type: 'google_gcr', credentialsSecretName: 'x' }, 'x'],
    ['is unknown where tokens expire', { type: 'amazon_ecr', credentialsSecretName: 'x' }, undefined],
    [
      'is that of all clusters',
      { type: 'secret_ref', secrets: { a: here, '*': { ...here, secret: 'y' } } },
      'y',
    ],
    ['is the only one', { type: 'secret_ref', secrets: { a: here } }, 'regcred'],
    ['is unknown with several clusters', { type: 'secret_ref', secrets: { a: here, b: here } }, undefined],
  ])('%s', (_, spec, name) => {
    expect(secretOfRegistry({ registry: 'r.test', type: 'basic', ...spec })?.name).toBe(name)
  })
})
