import { afterAll, expect, test } from '@jest/globals'
import { apiCall, apiRequest, eventually } from '../../../dev/control-plane/kubernetes.ts'
import { crdOf } from '../../../dev/generate/crds.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentType } from '../../../operator/api/environment-type.ts'
import type { Kind } from '../../../operator/api/kind.ts'
import { group } from '../../../operator/api/names.ts'
import { ResourceType } from '../../../operator/api/resource-type.ts'
import { SharedValue } from '../../../operator/api/shared-value.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const { access } = sharedCluster()
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const merge = 'application/merge-patch+json'
/** The operator does not watch the kinds of this group. */
const testGroup = `names-${Date.now().toString(36)}.example.org`
const tested = [EnvironmentType, Environment, ResourceType, SharedValue]

/** The CRD of a kind in the group of this test. */
function crdWith(kind: Kind, rules: Kind['rules']) {
  const { spec, ...crd } = crdOf({ ...kind, rules, inCategory: false, shortName: `${kind.shortName}old` })
  return {
    ...crd,
    metadata: { name: `${kind.plural}.${testGroup}` },
    spec: { ...spec, group: testGroup },
  }
}

afterAll(async () => {
  for (const { plural } of tested) await apiRequest(access, 'DELETE', `${definitions}/${plural}.${testGroup}`)
})

test.each<[what: string, kind: Kind, stored: string, refused: string, spec: object]>([
  ['a type of environments', EnvironmentType, 'prod.eu', 'prod.us', {}],
  ['an environment', Environment, 'shop.a', 'shop.b', { applicationName: 'shop', typeName: 'development' }],
  ['a type of resources', ResourceType, 't'.repeat(64), 'u'.repeat(64), { use: 'direct' }],
  ['a value', SharedValue, 'dot', 'dots', { applicationName: 'shop', key: '.', value: '' }],
])(
  '%s with a name that is now refused can be changed and deleted',
  async (_, kind, stored, refused, spec) => {
    const collection = `/apis/${testGroup}/v1alpha1/namespaces/default/${kind.plural}`
    const object = (name: string) => ({
      apiVersion: `${testGroup}/v1alpha1`,
      kind: kind.kind,
      metadata: { name, finalizers: [`${group}/finalizer`] },
      spec,
    })
    await apiCall(access, 'POST', definitions, crdWith(kind, []))
    await eventually('the kind without rules', 30_000, () =>
      apiCall(access, 'POST', collection, object(stored)),
    )
    const crd = crdWith(kind, kind.rules)
    const { versions } = crd.spec
    await apiCall(access, 'PATCH', `${definitions}/${crd.metadata.name}`, { spec: { versions } }, merge)
    await eventually('the kind with rules', 30_000, async () => {
      const { status } = await apiRequest(access, 'POST', `${collection}?dryRun=All`, object(refused))
      return status === 422 || undefined
    })

    const path = `${collection}/${stored}`
    const patch = async (body: object, part = '') =>
      (await apiRequest(access, 'PATCH', `${path}${part}`, body, merge)).status
    expect(await patch({ metadata: { labels: { team: 'shop' } } })).toBe(200)
    expect(await patch({ status: { observedGeneration: 1 } }, '/status')).toBe(200)
    expect((await apiRequest(access, 'DELETE', path)).status).toBe(200)
    expect(await patch({ metadata: { finalizers: null } })).toBe(200)
    expect((await apiRequest(access, 'GET', path)).status).toBe(404)
  },
)
