import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { type ApiAccess, apiCall, apiRequest, eventually } from '../../../dev/control-plane/kubernetes.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { pathOf, resourceOf } from '../../../operator/kube/client/resource.ts'
import { samplesIn } from '../support/samples.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const run = promisify(execFile)
const { access, kubectl, kubeconfigPath } = sharedCluster()
/** Not an organization: the operator ignores its objects. */
const namespace = `crds-${Date.now().toString(36)}`
const samples = samplesIn(namespace)
const pending = {
  observedGeneration: -1,
  conditions: [
    {
      type: 'Ready',
      status: 'Unknown',
      reason: 'Pending',
      message: 'waiting for the operator',
      lastTransitionTime: '1970-01-01T00:00:00Z',
    },
  ],
}

function collectionOf(kindName: string, name?: string): string {
  const kind = kinds.find((each) => each.kind === kindName)
  if (!kind) throw new Error(`no kind is named '${kindName}'`)
  return pathOf(resourceOf(kind), namespace, name)
}

/** Sends a JSON merge patch, and answers the status. */
async function patch(kindName: string, name: string, body: object): Promise<number> {
  const answer = await apiRequest(
    access,
    'PATCH',
    collectionOf(kindName, name),
    body,
    'application/merge-patch+json',
  )
  return answer.status
}

async function create(object: KubeObject, as: ApiAccess = access): Promise<KubeObject> {
  return apiCall<KubeObject>(as, 'POST', collectionOf(object.kind), object)
}

beforeAll(async () => {
  await apiCall(access, 'POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  })
  const asOperator = {
    ...access,
    adminToken: await tokenOf('quartermaster-system', 'quartermaster-operator'),
  }
  // Active resources are the operator's to write.
  for (const { object } of samples) if (object.kind === 'ActiveResource') await create(object, asOperator)
})

async function tokenOf(inNamespace: string, serviceAccount: string): Promise<string> {
  const path = `/api/v1/namespaces/${inNamespace}/serviceaccounts/${serviceAccount}/token`
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 600 },
  }
  return (await apiCall<{ status: { token: string } }>(access, 'POST', path, request)).status.token
}

describe('every kind', () => {
  test('has a sample here', () => {
    expect(samples.map(({ kind }) => kind.kind).sort()).toEqual(kinds.map(({ kind }) => kind).sort())
  })

  test.each(samples.map((each) => [each.kind.kind, each] as const))(
    '%s is served, keeps a valid object whole, and is pending at once',
    async (_, { kind, object }) => {
      const path = collectionOf(kind.kind, object.metadata.name)
      const { status } = await apiRequest(access, 'GET', path)
      const created = status === 200 ? await apiCall<KubeObject>(access, 'GET', path) : await create(object)
      expect(created.spec).toEqual(object.spec)
      expect(created.status).toEqual(kind.status ? pending : undefined)
    },
  )

  test.each(kinds.map((kind) => [kind.kind, kind] as const))(
    '%s is explained by kubectl, field by field',
    async (_, kind) => {
      const { stdout } = await run(kubectl, [
        '--kubeconfig',
        kubeconfigPath,
        'explain',
        `${kind.plural}.quartermaster.dev`,
        '--recursive',
      ])
      for (const field of Object.keys((kind.spec as unknown as { properties: object }).properties))
        expect(stdout).toContain(field) // an object schema
      const { stdout: page } = await run(kubectl, [
        '--kubeconfig',
        kubeconfigPath,
        'explain',
        `${kind.plural}.quartermaster.dev.spec`,
      ])
      expect(page).not.toContain('<no description>')
    },
  )
})

describe('writes that the schema refuses', () => {
  const environment = (name: string) => ({
    ...samples.find(({ object }) => object.kind === 'Environment')?.object,
    metadata: { name, namespace },
  })
  const environmentType = (name: string) => ({ ...application(name), kind: 'EnvironmentType' })
  const application = (name: string) => ({
    apiVersion: 'quartermaster.dev/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace },
    spec: {},
  })

  const type = (name: string, spec = {}) => ({
    ...application(name),
    kind: 'ResourceType',
    spec: { use: 'direct', ...spec },
  })
  const value = (key: string) => ({
    ...samples.find(({ object }) => object.kind === 'SharedValue')?.object,
    metadata: { name: 'keyed', namespace },
    spec: { applicationName: 'shop', key, value: '' },
  })

  test.each<[rule: string, object: object, status: number]>([
    ['an environment is named <application>.<environment>', environment('shop.prod'), 201],
    ['not after another application', environment('store.prod'), 422],
    ['not after the application alone', environment('shop'), 422],
    ['not with a third part', environment('shop.prod.1'), 422],
    ['not with a double hyphen', environment('shop.pr--od'), 422],
    ['its id may have 63 characters', environment(`shop.${'e'.repeat(63)}`), 201],
    ['not more: no resource could name it', environment(`shop.${'e'.repeat(64)}`), 422],
    ['an application is named by an id', application('my-shop2'), 201],
    ['not of one letter', application('s'), 422],
    ['not of more than 50', application('s'.repeat(51)), 422],
    ['not with a dot', application('my.shop'), 422],
    ['not with a double hyphen either', application('my--shop'), 422],
    ['a type of environments is named by an id', environmentType('qa'), 201],
    ['which may have 63 characters', environmentType('q'.repeat(63)), 201],
    ['not more: no environment could name the type', environmentType('q'.repeat(64)), 422],
    ['nor only one', environmentType('q'), 422],
    ['nor a dot', environmentType('q.a'), 422],
    ['a type may have a name of 63 characters', type('t'.repeat(63)), 201],
    ['not more: no definition could name the type', type('t'.repeat(64)), 422],
    ['its classes are named as needs name them', type('bucket', { classes: [{ name: 'Large_2-a' }] }), 201],
    ['not in other characters', type('bucket', { classes: [{ name: 'a/b' }] }), 422],
    ['nor by nothing', type('bucket', { classes: [{ name: '' }] }), 422],
    ['the key of a value may have dots', value('a.b'), 201],
    ['not one alone: no path could name the value', value('.'), 422],
    ['nor two', value('..'), 422],
    ['a field is of its type', { ...application('typed'), spec: { displayName: 7 } }, 422],
    ['a spec there must be', { ...application('bare'), spec: undefined }, 422],
  ])('%s', async (_, object, status) => {
    const path = collectionOf((object as KubeObject).kind)
    expect((await apiRequest(access, 'POST', `${path}?dryRun=All`, object)).status).toBe(status)
  })

  test.each<[rule: string, kind: string, name: string, spec: object, status: number]>([
    ['the application of an environment stays', 'Environment', 'shop.dev', { applicationName: 'store' }, 422],
    ['the type of an environment stays', 'Environment', 'shop.dev', { typeName: 'production' }, 422],
    ['its name for people may change', 'Environment', 'shop.dev', { displayName: 'Development' }, 200],
    ['the application of a delta stays', 'DeploymentDelta', 'draft', { applicationName: 'store' }, 422],
    ['its content may change', 'DeploymentDelta', 'draft', { archived: true }, 200],
    ['the application of a webhook stays', 'Webhook', 'chat', { applicationName: 'store' }, 422],
    ['its address may change', 'Webhook', 'chat', { url: 'hooks.example.com/other' }, 200],
    ['the type of a class stays', 'ResourceClass', 'mysql.large', { typeName: 'redis' }, 422],
    ['its name stays', 'ResourceClass', 'mysql.large', { className: 'small' }, 422],
    ['its description may change', 'ResourceClass', 'mysql.large', { description: 'Much' }, 200],
    ['nothing of a set changes', 'DeploymentSet', 'shop.abc', { modules: { other: {} } }, 422],
    ['also when nothing was there before', 'EnvironmentDeployment', 'shop.dev.1', { comment: 'late' }, 422],
    ['and not by taking away', 'EnvironmentDeployment', 'shop.dev.1', { setName: null }, 422],
  ])('%s', async (_, kind, name, spec, status) => {
    expect(await patch(kind, name, { spec })).toBe(status)
  })
})

describe('only the operator writes active resources and status', () => {
  const name = 'f'.repeat(40)
  const asClusterAdmin = async () => access
  // The namespace's own account may do everything, as far as roles go.
  const asTenant = async (): Promise<ApiAccess> => {
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
    await apiRequest(access, 'POST', path, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
    })
    const token = await eventually('a token of the default account', 30_000, () =>
      tokenOf(namespace, 'default'),
    )
    return { ...access, adminToken: token }
  }
  const asGateway = async () => ({
    ...access,
    adminToken: await tokenOf('quartermaster-system', 'quartermaster-gateway'),
  })
  const merge = 'application/merge-patch+json'

  test.each<[who: string, as: () => Promise<ApiAccess>]>([
    ['the cluster administrator', asClusterAdmin],
    ['an account of the namespace with all rights', asTenant],
    ['the gateway', asGateway],
  ])('and no other user does, not even %s', async (_, as) => {
    const who = await as()
    const other = {
      ...samples.find(({ object }) => object.kind === 'ActiveResource')?.object,
      metadata: { name: 'b'.repeat(40), namespace },
    }
    expect((await apiRequest(who, 'POST', collectionOf('ActiveResource'), other)).status).toBe(403)
    expect(
      (await apiRequest(who, 'PATCH', collectionOf('ActiveResource', name), { spec: { class: 'x' } }, merge))
        .status,
    ).toBe(403)
    for (const { kind, object } of samples.filter((each) => each.kind.status)) {
      const path = `${collectionOf(kind.kind, object.metadata.name)}/status`
      expect([
        kind.kind,
        (await apiRequest(who, 'PATCH', path, { status: { observedGeneration: 9 } }, merge)).status,
      ]).toEqual([kind.kind, 403])
    }
  })

  test('status sent along with an object is not taken', async () => {
    const object = {
      apiVersion: 'quartermaster.dev/v1alpha1',
      kind: 'Application',
      metadata: { name: 'liar', namespace },
      spec: {},
    }
    const created = await create({ ...object, status: { observedGeneration: 1, conditions: [] } })
    expect(created.status).toEqual(pending)
  })

  test('other clients can add and remove annotations and finalizers, and the object can be deleted', async () => {
    expect(
      await patch('ActiveResource', name, {
        metadata: { annotations: { 'quartermaster.dev/detach': 'true' } },
      }),
    ).toBe(200)
    expect(await patch('ActiveResource', name, { metadata: { finalizers: ['example.org/hold'] } })).toBe(200)
    expect((await apiRequest(access, 'DELETE', collectionOf('ActiveResource', name))).status).toBe(200)
    expect(await patch('ActiveResource', name, { metadata: { finalizers: null } })).toBe(200)
    expect((await apiRequest(access, 'GET', collectionOf('ActiveResource', name))).status).toBe(404)
  })
})

test('kubectl get quartermaster lists the kinds that people use, with Ready and Reason', async () => {
  const { stdout } = await run(kubectl, [
    '--kubeconfig',
    kubeconfigPath,
    'get',
    'quartermaster',
    '-n',
    namespace,
  ])
  expect(stdout).toMatch(/NAME\s.*READY\s+REASON\s+AGE/)
  for (const shown of [
    'application.quartermaster.dev/shop ',
    'environment.quartermaster.dev/shop.dev ',
    'resourcedefinition.quartermaster.dev/dns ',
  ]) {
    expect(stdout).toContain(shown)
  }
  expect(stdout).not.toContain('deploymentset')
})
