import { describe, expect, test } from '@jest/globals'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import { createSecretBindings, withSecretBindings } from '../../../operator/kube/client/secret-bindings.ts'

const forbidden = new ApiError(403, 'Forbidden', 'cannot get resource "secrets"')
const notFound = new ApiError(404, 'NotFound', 'namespaces "shop" not found')
const secret = '/api/v1/namespaces/shop/secrets/login'
const secrets = '/api/v1/namespaces/shop/secrets'
const terminating = new ApiError(403, 'Forbidden', 'unable to create new content: it is being terminated')
const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings'

/** A client of an API server that grants a right to Secrets once the operator is bound, and the requests that it got. */
function clientOf({
  namespace = {},
  isBindable = true,
}: {
  namespace?: object | ApiError
  isBindable?: boolean
}) {
  const requests: string[] = []
  const finalizers: unknown[] = []
  let isBound = false
  const answers: Readonly<Record<string, () => unknown>> = {
    [`GET ${secret}`]: () => (isBound ? { kind: 'Secret' } : forbidden),
    [`POST ${secrets}`]: () => terminating,
    'GET /api/v1/namespaces/shop': () =>
      namespace instanceof ApiError ? namespace : { metadata: namespace },
    [`POST ${bindings}`]: () => {
      isBound = isBindable
      return isBindable ? {} : new ApiError(403, 'Forbidden', 'ValidatingAdmissionPolicy denied request')
    },
    'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews': () => ({ status: { allowed: isBound } }),
    'GET /api/v1/namespaces/shop/configmaps/any': () => forbidden,
  }
  const client: KubeClient = {
    async request(method, path, { body } = {}) {
      requests.push(`${method} ${path}`)
      if (path === bindings) finalizers.push((body as KubeObject).metadata.finalizers) // a RoleBinding
      const answer = answers[`${method} ${path}`]?.()
      if (answer instanceof Error) throw answer
      return answer
    },
    watch: () => {
      throw new Error('nothing is watched')
    },
    close: async () => {},
  }
  return { client: withSecretBindings(client, createSecretBindings(client)), requests, finalizers }
}

describe('a request for a Secret that is forbidden', () => {
  test('is repeated when the operator is bound', async () => {
    const { client, requests } = clientOf({})
    expect(await client.request('GET', secret)).toEqual({ kind: 'Secret' })
    expect(requests.filter((each) => each.endsWith(bindings))).toHaveLength(1)
  })

  test('binds once for all requests in a namespace', async () => {
    const { client, requests } = clientOf({})
    await Promise.all([1, 2, 3].map(() => client.request('GET', secret)))
    expect(requests.filter((each) => each === `POST ${bindings}`)).toHaveLength(1)
  })

  test.each<[string, object, readonly string[]]>([
    ['an organization', { 'quartermaster.dev/organization': 'shop' }, [finalizer]],
    ['an environment', { 'app.kubernetes.io/managed-by': 'quartermaster' }, []],
    ['another organization', { 'quartermaster.dev/organization': 'acme' }, []],
  ])(
    'binds with the finalizer that keeps the rights until the end in the namespace of an organization alone: %s',
    async (_, labels, expected) => {
      const { client, finalizers } = clientOf({ namespace: { labels } })
      await client.request('GET', secret)
      expect(finalizers).toEqual([expected])
    },
  )

  test.each<[string, Parameters<typeof clientOf>[0], object]>([
    ['has the answer "not found" when the namespace is gone', { namespace: notFound }, { status: 404 }],
    [
      'is repeated later while the namespace is terminating',
      { namespace: { deletionTimestamp: '2030-01-01T00:00:00Z' } },
      { message: expect.stringContaining('is being terminated') },
    ],
    ['stays forbidden in a namespace in which the operator may not bind', { isBindable: false }, forbidden],
  ])('%s', async (_, cluster, error) => {
    await expect(clientOf(cluster).client.request('GET', secret)).rejects.toMatchObject(error)
  })

  test('makes no binding when the namespace takes no new objects: that is no matter of rights', async () => {
    const { client, requests } = clientOf({ namespace: { deletionTimestamp: '2026-01-01T00:00:00Z' } })
    await expect(client.request('POST', secrets)).rejects.toBe(terminating)
    expect(requests).toEqual([`POST ${secrets}`])
  })

  test('makes no binding when it is for another kind', async () => {
    const { client, requests } = clientOf({})
    await expect(client.request('GET', '/api/v1/namespaces/shop/configmaps/any')).rejects.toBe(forbidden)
    expect(requests).toHaveLength(1)
  })
})

test('a namespace is bound while our finalizer keeps one of its RoleBindings', async () => {
  const kept = [finalizer]
  const items = [
    { metadata: { namespace: 'acme', finalizers: kept } },
    { metadata: { namespace: 'acme', finalizers: kept } },
    { metadata: { namespace: 'open', finalizers: ['example.com/other'] } },
    { metadata: { namespace: 'shop' } },
  ]
  const request = async () => ({ items })
  const client = { request } as unknown as KubeClient // makes no other calls
  expect(await createSecretBindings(client).bound()).toEqual(['acme'])
})

describe('the rights in the namespace of an organization', () => {
  const roles = ['operator', 'gateway'].map((account) => `quartermaster-${account}-secrets`)
  const taken = new ApiError(409, 'AlreadyExists', 'it exists')

  /** The bindings at an API server that refuses requests of some method, and the requests that it gets. */
  function bindingsOf(refused: string, error: ApiError) {
    const requests: string[] = []
    const client = {
      async request(method: string, path: string) {
        requests.push(`${method} ${path.replace(bindings, '')}`)
        if (method === refused) throw error
        return {}
      },
    } as unknown as KubeClient // makes no other calls
    return { bound: createSecretBindings(client), requests }
  }
  const each = (method: string) => roles.map((role) => `${method} /${role}`)

  test.each<[rule: string, refused: string, requests: readonly string[]]>([
    ['are given to both processes', '', ['POST ', 'POST ']],
    ['get the finalizer again when they exist', 'POST', ['POST ', 'POST ', ...each('PATCH')]],
  ])('%s', async (_, refused, expected) => {
    const { bound, requests } = bindingsOf(refused, taken)
    await bound.bindOrganization('shop')
    expect(requests).toEqual(expected)
  })

  test.each<[rule: string, refused: string, requests: readonly string[]]>([
    ['end without the finalizer', '', [...each('PATCH'), ...each('DELETE')]],
    ['have ended when there are none', 'PATCH', each('PATCH')],
  ])('%s', async (_, refused, expected) => {
    const { bound, requests } = bindingsOf(refused, notFound)
    await bound.unbind('shop')
    expect(requests).toEqual(expected)
  })

  test.each(['POST', 'PATCH', 'DELETE'])('stay as they are when %s is forbidden', async (refused) => {
    const { bound } = bindingsOf(refused, forbidden)
    await expect(refused === 'POST' ? bound.bindOrganization('shop') : bound.unbind('shop')).rejects.toBe(
      forbidden,
    )
  })
})
