import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { formatRight, grantedRights, readUseOfRights, unusedRights } from './rights.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-rights-'))
})
afterAll(() => rm(directory, { recursive: true }))

const role = (kind: 'ClusterRole' | 'Role', rule: object) => ({
  kind,
  metadata: { name: 'quartermaster-operator' },
  rules: [rule],
})
const secrets = (verbs: readonly string[], more: object = {}) => ({
  apiGroups: [''],
  resources: ['secrets'],
  verbs,
  ...more,
})
const request = (verb: string, namespace: string, name: string, more: object = {}) => ({
  verb,
  user: {
    username: 'system:serviceaccount:quartermaster-system:quartermaster-operator',
    extra: { 'authentication.kubernetes.io/credential-id': ['JTI=process'] },
  },
  objectRef: { resource: 'secrets', namespace, name },
  responseStatus: { code: 200 },
  annotations: { 'authorization.k8s.io/decision': 'allow' },
  ...more,
})
const written = (namespace: string, requestObject: object) => ({
  verb: 'create',
  user: { username: 'admin' },
  objectRef: { resource: 'resourceaccounts', namespace },
  requestObject,
})

async function* linesOf(events: readonly object[]) {
  for (const event of events) yield JSON.stringify(event)
}
const useOf = (...events: readonly object[]) => readUseOfRights(linesOf(events), new Set(['process']))

async function unusedOf(roles: readonly object[], ...events: readonly object[]) {
  const file = join(directory, 'roles.yaml')
  writeFileSync(file, roles.map((each) => JSON.stringify(each)).join('\n---\n'))
  const { used } = await useOf(...events)
  return unusedRights(grantedRights('operator', [file]), used).map(formatRight)
}

describe('a right', () => {
  const get = request('get', 'acme', 'login')
  const getOwn = request('get', 'quartermaster-system', 'key')
  test.each([
    ['is used by a request with its verb', role('ClusterRole', secrets(['get'])), get, []],
    [
      'is not used by a request with another verb',
      role('ClusterRole', secrets(['patch'])),
      get,
      ['operator: patch secrets'],
    ],
    [
      'is not used by a request that is refused',
      role('ClusterRole', secrets(['get'])),
      { ...get, annotations: { 'authorization.k8s.io/decision': 'forbid' } },
      ['operator: get secrets'],
    ],
    [
      'is not used by a test that acts under the same account',
      role('ClusterRole', secrets(['get'])),
      { ...get, user: { ...get.user, extra: {} } },
      ['operator: get secrets'],
    ],
    [
      'on the whole cluster is not used in the system namespace',
      role('ClusterRole', secrets(['get'])),
      getOwn,
      ['operator: get secrets'],
    ],
    ['in the system namespace is used there', role('Role', secrets(['get'])), getOwn, []],
    [
      'to one object is not used for another',
      role('Role', secrets(['get'], { resourceNames: ['other', 'key'] })),
      getOwn,
      ["operator: get secrets 'other', in the system namespace"],
    ],
    [
      'to create is used by an apply that creates',
      role('ClusterRole', secrets(['create', 'patch'])),
      request('patch', 'acme', 'new', { responseStatus: { code: 201 } }),
      [],
    ],
    [
      'to create is not used by an apply that changes',
      role('ClusterRole', secrets(['create', 'patch'])),
      request('patch', 'acme', 'old'),
      ['operator: create secrets'],
    ],
  ])('%s', async (_, granted, event, unused) => {
    expect(await unusedOf([granted], event)).toEqual(unused)
  })
})

describe('a Secret that is read', () => {
  const gu = '0123456789abcdef0123456789abcdef01234567'
  const account = written('acme', { spec: { credentialsSecretName: 'login' } })
  test.each([
    ['is named by an object of its namespace', 'acme', 'login', true],
    ['is not named by an object of another namespace', 'globex', 'login', false],
    ['is not named by a part of a name', 'acme', 'log', false],
    ['is one of the outputs of a resource', 'acme', `${gu}-outputs`, true],
    ['is one of an environment', 'acme--shop--staging', 'computed', true],
    ['is the key of sessions', 'quartermaster-system', 'quartermaster-session-key', true],
    ['is another one of the system namespace', 'quartermaster-system', 'login', false],
    ['is one of a namespace that is no organization', 'kube-system', 'bootstrap-token', false],
  ])('%s', async (_, namespace, name, isNamed) => {
    const { unnamedSecrets } = await useOf(account, request('get', namespace, name))
    expect(unnamedSecrets).toEqual(isNamed ? [] : [`${namespace}/${name}`])
  })

  test.each([
    ['is named by a key', { login: 1 }],
    ['is named in a list', { list: [[{ name: 'the login of acme' }]] }],
  ])('%s', async (_, requestObject) => {
    const { unnamedSecrets } = await useOf(written('acme', requestObject), request('get', 'acme', 'login'))
    expect(unnamedSecrets).toEqual([])
  })

  test('is named by an object that is nested deeper than the call stack', async () => {
    const line = JSON.stringify(written('acme', { list: 0 })).replace(
      '"list":0',
      `"list":${'['.repeat(20_000)}"login"${']'.repeat(20_000)}`,
    )
    async function* lines() {
      yield line
      yield* linesOf([request('get', 'acme', 'login')])
    }
    const { unnamedSecrets } = await readUseOfRights(lines(), new Set(['process']))
    expect(unnamedSecrets).toEqual([])
  })
})
