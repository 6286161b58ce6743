import { describe, expect, test } from '@jest/globals'
import { allSwitches, find, type Manifest, manifestsIn, render } from './support.ts'

const [byDefault, withAll] = [await render(), await render(allSwitches)]

describe('switches', () => {
  const optional = new Set([
    'Ingress',
    'HTTPRoute',
    'ServiceMonitor',
    'PodMonitor',
    'PrometheusRule',
    'Namespace',
  ])
  test('all are off by default', () => {
    const released = byDefault.filter(({ metadata }) => !metadata.annotations?.['helm.sh/hook'])
    expect(released.map(({ kind }) => kind).filter((kind) => optional.has(kind))).toEqual([])
    expect(byDefault.some(({ metadata }) => metadata.namespace === 'sample')).toBe(false)
  })

  test.each([
    ['crds.install', { crds: { install: false } }, 'CustomResourceDefinition'],
    ['flowControl.enabled', { flowControl: { enabled: false } }, 'FlowSchema'],
    ['networkPolicy.enabled', { networkPolicy: { enabled: false } }, 'NetworkPolicy'],
  ])('%s: false leaves them out', async (_, values, kind) => {
    expect(byDefault.some((each) => each.kind === kind)).toBe(true)
    expect((await render(values)).some((each) => each.kind === kind)).toBe(false)
  })

  test('rbac.aggregate: false leaves the roles of the cluster alone, and keeps the roles of persons', async () => {
    const aggregated = (manifests: readonly Manifest[]) =>
      manifests.filter(({ metadata }) =>
        JSON.stringify(metadata.labels).includes('rbac.authorization.k8s.io/aggregate-to-'),
      )
    expect(aggregated(byDefault)).toHaveLength(4)
    const without = await render({ rbac: { aggregate: false } })
    expect(aggregated(without)).toEqual([])
    for (const person of ['platform-engineer', 'developer', 'auditor']) {
      expect(find(without, 'ClusterRole', `quartermaster-${person}`)).toHaveProperty('aggregationRule')
      const label = `quartermaster.dev/aggregate-to-${person}`
      expect(without.filter(({ metadata }) => metadata.labels?.[label] === 'true')).not.toEqual([])
    }
  })

  test('rbac.scope: organizations binds no right to Secrets in the cluster, and lets the operator bind', async () => {
    const [cluster, organizations] = [byDefault, await render({ rbac: { scope: 'organizations' } })]
    const bound = (manifests: readonly Manifest[]) =>
      manifests.filter(({ kind }) => kind === 'ClusterRoleBinding').map(({ metadata }) => metadata.name)
    const others = ['quartermaster-operator', 'quartermaster-gateway']
    const secrets = others.map((name) => `${name}-secrets`)
    expect(bound(cluster)).toEqual(expect.arrayContaining([...others, ...secrets]))
    expect(bound(organizations).sort()).toEqual([...others, 'quartermaster-operator-bindings'].sort())
    const scopeOf = (manifests: readonly Manifest[], process: string) =>
      JSON.stringify(find(manifests, 'Deployment', `quartermaster-${process}`)).includes(
        '{"name":"QUARTERMASTER_SECRETS_SCOPE","value":"organizations"}',
      )
    expect([scopeOf(organizations, 'operator'), scopeOf(organizations, 'gateway')]).toEqual([true, false])
    expect(scopeOf(cluster, 'operator')).toBe(false)
    const wanted = manifestsIn('files/organizations/rights.yaml')
    expect(wanted.length).toBeGreaterThan(5)
    for (const { kind, metadata } of wanted)
      expect(find(organizations, kind, metadata.name)).toMatchObject({ kind, metadata })
  })

  test('crds.keep: false has Helm delete them with the release', async () => {
    const crds = (await render({ crds: { keep: false } })).filter(({ kind }) =>
      kind.startsWith('CustomResource'),
    )
    expect(crds.length).toBeGreaterThan(10)
    for (const { metadata } of crds) expect(metadata.annotations).toBeUndefined()
  })

  test('the gateway is reached under the name and the Secret that are given', () => {
    expect(find(withAll, 'Ingress', 'quartermaster-gateway').spec).toMatchObject({
      ingressClassName: 'nginx',
      rules: [{ host: 'quartermaster.example.test' }],
      tls: [{ hosts: ['quartermaster.example.test'], secretName: 'gateway-tls' }],
    })
    expect(find(withAll, 'HTTPRoute', 'quartermaster-gateway').spec).toMatchObject({
      parentRefs: [{ name: 'public', namespace: 'gateways' }],
      hostnames: ['quartermaster.example.test'],
      rules: [{ backendRefs: [{ name: 'quartermaster-gateway', port: 8443 }] }],
    })
  })

  test('a policy lets in those that are named for each process, and lets both reach DNS and the named ports', () => {
    const ports = [
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
      { port: 443, protocol: 'TCP' },
      { port: 6443, protocol: 'TCP' },
    ]
    for (const [process, team] of [
      ['operator', 'monitoring'],
      ['gateway', 'portal'],
    ]) {
      const { policyTypes, egress, ingress } = find(withAll, 'NetworkPolicy', `quartermaster-${process}`)
        .spec as {
        policyTypes: readonly string[]
        egress: readonly object[]
        ingress: readonly { from: readonly object[] }[]
      }
      expect([policyTypes, egress]).toEqual([['Ingress', 'Egress'], [{ ports }]])
      expect(ingress[0]?.from[0]).toEqual({ namespaceSelector: { matchLabels: { team } } })
    }
  })

  test('a policy that names who may connect lets `helm test` in as well', () => {
    const { ingress } = find(withAll, 'NetworkPolicy', 'quartermaster-gateway').spec as {
      ingress: readonly { from: readonly object[] }[]
    }
    expect(ingress[0]?.from).toContainEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/component': 'test' } },
    })
    expect(find(withAll, 'Pod', 'quartermaster-test').metadata.labels).toMatchObject({
      'app.kubernetes.io/component': 'test',
    })
  })
})
