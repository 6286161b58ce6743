import { beforeAll, describe, expect, test } from '@jest/globals'
import { type ApiAccess, apiCall, apiRequest } from '../../../dev/control-plane/kubernetes.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { eventually, makeTestOrganization, moduleWith } from '../support/client.ts'
import { accessOf, isAllowed, type Person, persons } from '../support/people.ts'
import { samplesIn } from '../support/samples.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'forged')
const people = {} as Record<Person, ApiAccess> // filled before the tests
const merge = 'application/merge-patch+json'
const group = '/apis/quartermaster.dev/v1alpha1'
const pathIn = (plural: string, name = '') =>
  `${group}/namespaces/${organization.id}/${plural}${name === '' ? '' : `/${name}`}`
const patchAs = (person: Person, path: string, body: object) =>
  apiRequest<KubeObject>(people[person], 'PATCH', path, body, merge)

beforeAll(async () => {
  for (const person of persons) people[person] = await accessOf(cluster.access, person, organization.id)
  await organization.define('redis', {
    type: 'redis',
    driverType: 'quartermaster/echo',
    driverInputs: { values: { host: 'cache', port: 6379 } },
    criteria: [{}],
  })
  await organization.application('shop')
  await organization.environment('shop', 'live')
  await organization.deploy('shop.live', { modules: { web: moduleWith({ cache: { type: 'redis' } }) } })
})

/** Gives a person a right that the ready-made roles lack. */
async function mayPatchSecrets(person: Person): Promise<void> {
  const inside = `/apis/rbac.authorization.k8s.io/v1/namespaces/${organization.id}`
  const metadata = { name: 'patch-secrets' }
  const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['patch'] }]
  await apiCall(cluster.access, 'POST', `${inside}/roles`, { metadata, rules })
  await apiCall(cluster.access, 'POST', `${inside}/rolebindings`, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', ...metadata },
    subjects: [{ kind: 'ServiceAccount', name: person, namespace: organization.id }],
  })
  await eventually('the right to patch Secrets', 30_000, async () =>
    (await isAllowed(people[person], organization.id, 'patch', 'core/secrets')) ? true : undefined,
  )
}

describe('nothing can be forged:', () => {
  const writers = ['developer', 'platform-engineer'] as const
  const activeResource = async () => {
    const [resource] = await organization.resources()
    if (!resource) throw new Error('no active resource')
    return resource
  }

  test.each(writers)('an active resource is not created by a %s', async (person) => {
    const { metadata, spec, ...rest } = await activeResource()
    const object = { ...rest, metadata: { name: `0${metadata.name.slice(1)}` }, spec }
    const answer = await apiRequest(people[person], 'POST', pathIn('activeresources'), object)
    expect(answer.status).toBe(403)
  })

  test('the specification of an active resource is not changed by a person who may patch it', async () => {
    const { metadata } = await activeResource()
    const path = pathIn('activeresources', metadata.name)
    const answer = await patchAs('platform-engineer', path, { spec: { class: 'other' } })
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      403,
      expect.stringContaining('only the operator writes active resources'),
    ])
  })

  test.each(writers)('no status is written by a %s', async (person) => {
    for (const { plural, status } of kinds.filter((kind) => kind.status)) {
      const answer = await patchAs(person, `${pathIn(plural, 'any')}/status`, { status: {} })
      expect([plural, status !== undefined, answer.status]).toEqual([plural, true, 403])
    }
  })

  const records = [
    'announced',
    'artefact-versions',
    'contributors',
    'created-by',
    'deleted-by',
    'idempotency-key',
    'last-calls',
    'last-modified-at',
    'last-modified-by',
    'new-secret-0a1b2c3d',
    'trial-until',
    'triggered-by',
  ]
  test.each(records)('the annotation %s is neither set nor changed, and may be removed', async (name) => {
    const key = `quartermaster.dev/${name}`
    const spec = { applicationName: 'shop', key: `KEY_${records.indexOf(name)}`, value: 'x', description: '' }
    const object = {
      apiVersion: 'quartermaster.dev/v1alpha1',
      kind: 'SharedValue',
      metadata: { name: `value-${records.indexOf(name)}`, annotations: { [key]: 'forged' } },
      spec,
    }
    const path = pathIn('sharedvalues', object.metadata.name)
    const send = (as: ApiAccess) => apiRequest(as, 'POST', pathIn('sharedvalues'), object)
    const refused = await send(people.developer)
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([403, expect.stringContaining(key)])
    // A cluster administrator restores it from a backup.
    expect((await send(cluster.access)).status).toBe(201)
    const annotate = (value: string | null) =>
      patchAs('developer', path, { metadata: { annotations: { [key]: value, mine: 'too' } } })
    expect((await annotate('changed')).status).toBe(403)
    expect((await annotate('forged')).status).toBe(200)
    expect((await annotate(null)).status).toBe(200)
    expect((await annotate('again')).status).toBe(403)
  })

  test('the user who triggered a deployment is recorded, not the one that the object names', async () => {
    const stamp = 'quartermaster.dev/triggered-by'
    const object = {
      apiVersion: 'quartermaster.dev/v1alpha1',
      kind: 'Environment',
      metadata: { name: 'shop.mine', annotations: { [stamp]: 'forged' } },
      spec: { applicationName: 'shop', typeName: 'development' },
    }
    const user = `system:serviceaccount:${organization.id}:developer`
    const created = await apiRequest<KubeObject>(people.developer, 'POST', pathIn('environments'), object)
    expect(created).toMatchObject({ status: 201, body: { metadata: { annotations: { [stamp]: user } } } })
    const path = pathIn('environments', 'shop.mine')
    const changed = await patchAs('developer', path, { metadata: { annotations: { [stamp]: 'forged' } } })
    expect(changed).toMatchObject({ status: 200, body: { metadata: { annotations: { [stamp]: user } } } })
  })

  test('a shared value names a Secret only for a user who may read it or write definitions', async () => {
    const namespace = `/api/v1/namespaces/${organization.id}/secrets`
    for (const name of ['login', 'other'])
      await organization.kube('POST', namespace, { metadata: { name }, stringData: { text: 'hidden' } })
    const write = async (person: Person, name: string, key: string, secret?: string) => {
      const object = {
        apiVersion: 'quartermaster.dev/v1alpha1',
        kind: 'SharedValue',
        metadata: { name, labels: { person } },
        spec: {
          applicationName: 'shop',
          key: `NAMED_${name.toUpperCase()}`,
          ...(secret === undefined ? { value: 'x' } : { secret: { secret, key } }),
        },
      }
      const path = `${pathIn('sharedvalues', name)}?fieldManager=${person}&force=true`
      return (await apiRequest(people[person], 'PATCH', path, object, 'application/apply-patch+yaml')).status
    }
    expect(await write('developer', 'mine', 'text', 'login')).toBe(403)
    expect(await write('developer', 'mine', '')).toBe(201)
    expect(await write('developer', 'mine', 'text', 'login')).toBe(403)
    expect(await write('platform-engineer', 'named', 'text', 'login')).toBe(201)
    // Who may not name it may keep it.
    expect(await write('developer', 'named', 'text', 'login')).toBe(200)
    expect(await write('developer', 'named', 'another', 'login')).toBe(403)
    expect(await write('developer', 'named', 'text', 'other')).toBe(403)
  })

  test('a webhook names its signing secret only for such a user too', async () => {
    const write = async (person: Person, name: string, signingSecretName?: string) => {
      const object = {
        apiVersion: 'quartermaster.dev/v1alpha1',
        kind: 'Webhook',
        metadata: { name, labels: { person } },
        spec: { applicationName: 'shop', url: 'hooks.example.test/x', disabled: true, signingSecretName },
      }
      const path = `${pathIn('webhooks', name)}?fieldManager=${person}&force=true`
      return (await apiRequest(people[person], 'PATCH', path, object, 'application/apply-patch+yaml')).status
    }
    expect(await write('developer', 'mine', 'login')).toBe(403)
    expect(await write('developer', 'mine')).toBe(201)
    expect(await write('developer', 'mine', 'login')).toBe(403)
    expect(await write('platform-engineer', 'named', 'login')).toBe(201)
    expect(await write('developer', 'named', 'login')).toBe(200)
    expect(await write('developer', 'named', 'other')).toBe(403)
  })

  test('a Secret with a token of a ServiceAccount is made for it only by a user who may create such tokens', async () => {
    const path = `/api/v1/namespaces/${organization.id}/secrets`
    const write = async (access: ApiAccess, name: string, type: string) => {
      const annotations = { 'kubernetes.io/service-account.name': 'auditor' }
      return (await apiRequest(access, 'POST', path, { metadata: { name, annotations }, type })).status
    }
    const token = 'kubernetes.io/service-account-token'
    expect(await write(people['platform-engineer'], 'minted', token)).toBe(403)
    expect(await write(people['platform-engineer'], 'plain', 'Opaque')).toBe(201)
    expect(await write(cluster.access, 'minted', token)).toBe(201)
    await mayPatchSecrets('platform-engineer')
    const change = async (access: ApiAccess, annotations: object) =>
      (await apiRequest(access, 'PATCH', `${path}/minted`, { metadata: { annotations } }, merge)).status
    expect(await change(people['platform-engineer'], { note: 'rotated' })).toBe(200)
    const other = {
      'kubernetes.io/service-account.name': 'developer',
      'kubernetes.io/service-account.uid': null,
    }
    expect(await change(people['platform-engineer'], other)).toBe(403)
    expect(await change(cluster.access, other)).toBe(200)
  })

  test('our finalizer is not removed, and another one is', async () => {
    const path = pathIn('environments', 'shop.live')
    const finalizers = async () => {
      const { body } = await organization.kube<KubeObject>('GET', path)
      return body.metadata.finalizers ?? []
    }
    const ours = await eventually('the finalizer', 30_000, async () => {
      const found = await finalizers()
      return found.length > 0 ? found : undefined
    })
    for (const person of writers)
      for (const left of [[], ['example.org/other']])
        expect((await patchAs(person, path, { metadata: { finalizers: left } })).status).toBe(403)
    const added = { metadata: { finalizers: [...ours, 'example.org/other'] } }
    expect((await patchAs('developer', path, added)).status).toBe(200)
    expect((await patchAs('developer', path, { metadata: { finalizers: ours } })).status).toBe(200)
    expect(await finalizers()).toEqual(ours)
  })

  test('our finalizer is added by no user to an object from which the operator would never remove it', async () => {
    const finalizers = ['quartermaster.dev/finalizer']
    const kindsWith = []
    for (const { kind, object } of samplesIn(organization.id)) {
      const path = `${pathIn(kind.plural)}?dryRun=All`
      const named = { ...object, metadata: { ...object.metadata, name: `${object.metadata.name}9` } }
      const without = await apiRequest(cluster.access, 'POST', path, named)
      if (!without.ok) continue // only the operator makes it, or its name is that of its content
      const kept = { ...named, metadata: { ...named.metadata, finalizers } }
      const { status, body } = await apiRequest(cluster.access, 'POST', path, kept)
      if (status === 201) kindsWith.push(kind.kind)
      else
        expect([kind.kind, status, JSON.stringify(body)]).toEqual([
          kind.kind,
          403,
          expect.stringContaining('never removes its finalizer'),
        ])
    }
    expect(kindsWith).toEqual([
      'Application',
      'EnvironmentType',
      'Environment',
      'Workload',
      'Webhook',
      'EnvironmentDeployment',
    ])
  })

  test('nor is it added to one that is there', async () => {
    const spec = { type: 'mysql', driverType: 'quartermaster/echo', criteria: [{ appId: 'other' }] }
    await organization.define('mysql', spec)
    const path = pathIn('resourcedefinitions', 'mysql')
    const add = { metadata: { finalizers: ['quartermaster.dev/finalizer', 'example.org/other'] } }
    expect((await patchAs('platform-engineer', path, add)).status).toBe(403)
    await organization.remove('resourcedefinitions', 'mysql')
    expect(await organization.get('resourcedefinitions', 'mysql')).toBeUndefined()
  })
})
