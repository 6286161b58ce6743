import { describe, expect, test } from '@jest/globals'
import { runHelm } from '../../dev/helm/helm.ts'
import { manifestFiles, manifestsServed } from '../../dev/quartermaster.ts'
import { readConfig } from '../../operator/config.ts'
import {
  allSwitches,
  chart,
  find,
  type Manifest,
  manifestsIn,
  render,
  systemNamespace,
  valuesArguments,
} from './support.ts'

const [byDefault, withAll] = [await render(), await render(allSwitches)]
const processes = ['operator', 'gateway'] as const

function podOf(manifests: readonly Manifest[], process: string) {
  const { spec } = find(manifests, 'Deployment', `quartermaster-${process}`)
  const { template } = spec as { template: { metadata: Manifest['metadata']; spec: Pod } }
  const [container] = template.spec.containers
  if (!container) throw new Error(`the pod of the ${process} has no container`)
  return { ...template, container }
}

interface Probe {
  readonly httpGet: { readonly path: string }
}

interface Pod {
  readonly containers: readonly {
    readonly image: string
    readonly args: readonly string[]
    readonly env: readonly { readonly name: string; readonly value?: string }[]
    readonly resources: { readonly limits: { readonly 'ephemeral-storage': string } }
    readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
    readonly lifecycle?: object
    readonly securityContext: object
    readonly startupProbe: Probe
    readonly livenessProbe: Probe
    readonly readinessProbe: Probe
  }[]
  readonly enableServiceLinks: boolean
  readonly securityContext: object
  readonly terminationGracePeriodSeconds: number
  readonly topologySpreadConstraints?: readonly {
    readonly labelSelector: { readonly matchLabels: Readonly<Record<string, string>> }
  }[]
  readonly volumes?: readonly object[]
}

function envOf(
  manifests: readonly Manifest[],
  process: string,
): Readonly<Record<string, string | undefined>> {
  const { env } = podOf(manifests, process).container
  return Object.fromEntries(env.map(({ name, value }) => [name, value]))
}

test('helm lint finds nothing with the default values and with all switches', async () => {
  const lint = ['lint', '--strict', chart, `--namespace=${systemNamespace}`]
  for (const values of [{}, allSwitches]) {
    expect(await runHelm(...lint, ...valuesArguments(values))).toContain(
      '1 chart(s) linted, 0 chart(s) failed',
    )
  }
})

describe('one source for the cluster', () => {
  test.each(manifestFiles.map((file) => file.slice(chart.length + 1)))(
    'development applies %s, and the chart renders the same with labels of the release',
    (file) => {
      for (const wanted of manifestsIn(file)) {
        const { metadata, ...rest } = find(withAll, wanted.kind, wanted.metadata.name)
        const { metadata: wantedMetadata, ...wantedRest } = wanted
        expect(rest).toEqual(wantedRest)
        expect(metadata).toEqual({
          ...wantedMetadata,
          labels: expect.objectContaining({
            ...wantedMetadata.labels,
            'app.kubernetes.io/instance': 'quartermaster',
          }),
          ...(wanted.kind === 'CustomResourceDefinition'
            ? { annotations: { 'helm.sh/resource-policy': 'keep' } }
            : {}),
        })
      }
    },
  )

  test('each kind has the version of the chart, so that an older one is refused however it is applied', () => {
    const version = 'app.kubernetes.io/version'
    for (const { kind, metadata } of manifestsIn('files/crds.yaml')) {
      const rendered = find(byDefault, kind, metadata.name).metadata.labels?.[version]
      expect(metadata.labels).toEqual({ [version]: rendered })
    }
  })

  test('development leaves out the record of creators where the API server does not serve its kind', () => {
    const kinds = (...names: readonly string[]) => ({ resources: names.map((kind) => ({ kind })) })
    const kindsIn = (files: readonly string[]) =>
      files.flatMap((file) => manifestsIn(file.slice(chart.length + 1))).map(({ kind }) => kind)
    const older = kindsIn(manifestsServed(manifestFiles, kinds('ValidatingAdmissionPolicy')))
    const newer = kindsIn(manifestsServed(manifestFiles, kinds('MutatingAdmissionPolicy')))
    expect(older).toEqual(newer.filter((kind) => !kind.startsWith('MutatingAdmissionPolicy')))
    expect(newer).toEqual(kindsIn(manifestFiles))
  })

  test('the pods act under the identities that the roles are bound to', () => {
    for (const process of processes) {
      const { spec } = podOf(byDefault, process)
      const { subjects } = find(byDefault, 'ClusterRoleBinding', `quartermaster-${process}`) as unknown as {
        subjects: readonly object[]
      }
      expect(spec).toMatchObject({ serviceAccountName: `quartermaster-${process}` })
      expect(subjects).toEqual([
        { kind: 'ServiceAccount', name: `quartermaster-${process}`, namespace: systemNamespace },
      ])
    }
  })

  test('no role has a wildcard', async () => {
    const inOrganizations = await render({ rbac: { scope: 'organizations' } })
    const roles = [...withAll, ...inOrganizations].filter(
      ({ kind }) => kind === 'ClusterRole' || kind === 'Role',
    )
    expect(roles.length).toBeGreaterThan(6)
    expect(JSON.stringify(roles)).not.toContain('*')
  })

  test('no process lists Secrets, runs commands in pods, or takes the rights of others', async () => {
    interface Rule {
      readonly apiGroups: readonly string[]
      readonly resources: readonly string[]
      readonly resourceNames?: readonly string[]
      readonly verbs: readonly string[]
    }
    const inOrganizations = await render({ rbac: { scope: 'organizations' } })
    const rules = [...byDefault, ...inOrganizations]
      .filter(({ kind, metadata: { name } }) => kind.endsWith('Role') && /-(operator|gateway)/.test(name))
      .flatMap((role) => (role as unknown as { rules: readonly Rule[] }).rules)
    expect(rules.length).toBeGreaterThan(20)
    for (const { apiGroups, resources, resourceNames, verbs } of rules) {
      const isCore = apiGroups.includes('')
      const isOfSecrets = isCore && resources.includes('secrets')
      expect(isOfSecrets && (verbs.includes('list') || verbs.includes('watch'))).toBe(false)
      expect(isCore && resources.some((each) => each.startsWith('pods/'))).toBe(false)
      if (isCore && resources.includes('pods'))
        expect(['list', 'watch']).toEqual(expect.arrayContaining([...verbs]))
      expect(verbs.includes('escalate') || verbs.includes('impersonate')).toBe(false)
      if (verbs.includes('bind')) expect(resourceNames?.every((name) => name.endsWith('-secrets'))).toBe(true)
    }
  })

  test.each([
    ['v1', 'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy'],
    ['v1beta1', 'admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy'],
    [undefined, 'example.test/v1/Other'],
  ])('created objects have the label of version %s where the cluster serves %s', async (version, served) => {
    const text = await runHelm(
      'template',
      'quartermaster',
      chart,
      `--namespace=${systemNamespace}`,
      `--api-versions=${served}`,
      '--show-only=templates/cluster.yaml',
    )
    const found = [...text.matchAll(/apiVersion: (\S+)\nkind: MutatingAdmissionPolicy/g)].map(
      ([, apiVersion]) => apiVersion,
    )
    const wanted = version && `admissionregistration.k8s.io/${version}`
    expect(found).toEqual(wanted ? [wanted, wanted] : [])
  })
})

describe('pods', () => {
  test.each(processes)('the %s has two pods that are spread and not evicted together', (process) => {
    const name = `quartermaster-${process}`
    expect(find(byDefault, 'Deployment', name).spec).toMatchObject({ replicas: 2 })
    expect(find(byDefault, 'PodDisruptionBudget', name).spec).toMatchObject({ maxUnavailable: 1 })
    expect(podOf(byDefault, process).spec.topologySpreadConstraints).toHaveLength(2)
  })

  test.each(processes)('an upgrade keeps each pod of the %s until its successor is ready', (process) => {
    const { spec } = find(byDefault, 'Deployment', `quartermaster-${process}`)
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 }
    expect(spec).toMatchObject({ strategy: { type: 'RollingUpdate', rollingUpdate } })
  })

  test.each(processes)('a drain of nodes does not wait for pods of the %s that are not ready', (process) => {
    const { spec } = find(byDefault, 'PodDisruptionBudget', `quartermaster-${process}`)
    expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' })
  })

  test('the gateway alone waits until no Service leads to it, and both have time to end their work', () => {
    const lifecycles = processes.map((process) => podOf(byDefault, process).container.lifecycle)
    expect(lifecycles).toEqual([undefined, { preStop: { sleep: { seconds: 3 } } }])
    for (const process of processes)
      expect(podOf(byDefault, process).spec.terminationGracePeriodSeconds).toBe(30)
  })

  test.each(processes)('the %s has no rights on its node, and writes no file of its image', (process) => {
    const { spec, container } = podOf(byDefault, process)
    const user = { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532 }
    expect(spec.securityContext).toEqual({ ...user, seccompProfile: { type: 'RuntimeDefault' } })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  test.each(processes)('a single pod of the %s has neither', async (process) => {
    const single = await render({ [process]: { replicas: 1 } })
    expect(single.filter(({ kind }) => kind === 'PodDisruptionBudget')).toHaveLength(1)
    expect(podOf(single, process).spec.topologySpreadConstraints).toBeUndefined()
  })

  test.each(processes)(
    'constraints on where pods of the %s run count these pods, by default and when they are given',
    (process) => {
      for (const manifests of [byDefault, withAll]) {
        const { metadata, spec } = podOf(manifests, process)
        const constraints = spec.topologySpreadConstraints ?? []
        expect(constraints.length).toBeGreaterThan(0)
        for (const { labelSelector } of constraints)
          expect(metadata.labels).toMatchObject(labelSelector.matchLabels)
      }
    },
  )

  test.each(processes)(
    'budgets, policies and the Service select the pods of the %s and no others',
    (process) => {
      const { labels = {} } = podOf(withAll, process).metadata
      const selectors = withAll
        .filter(
          ({ kind, metadata }) =>
            ['Deployment', 'PodDisruptionBudget', 'NetworkPolicy'].includes(kind) &&
            metadata.name === `quartermaster-${process}`,
        )
        .map(({ spec = {} }) => spec['selector'] ?? spec['podSelector'])
      if (process === 'gateway') {
        const { selector } = find(withAll, 'Service', 'quartermaster-gateway').spec ?? {}
        selectors.push({ matchLabels: selector })
      }
      expect(selectors.length).toBeGreaterThanOrEqual(3)
      for (const selector of selectors) {
        const { matchLabels } = selector as { matchLabels: Record<string, string> }
        expect(labels).toMatchObject(matchLabels)
        expect(matchLabels['app.kubernetes.io/component']).toBe(process)
      }
    },
  )

  test.each(processes)('the logs that a kubelet keeps of the %s do not evict its pod', (process) => {
    const { resources } = podOf(byDefault, process).container
    // Five files of 50 MiB, where the maker of the cluster raised the default of 10 MiB.
    const kept = 5 * 50
    const limit = /^(\d+)Mi$/.exec(resources.limits['ephemeral-storage'])?.[1]
    expect(Number(limit)).toBeGreaterThan(kept)
  })

  test.each(processes)('the %s is probed on paths that it has', (process) => {
    const { startupProbe, livenessProbe, readinessProbe } = podOf(byDefault, process).container
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)
    expect(paths).toEqual(['/livez', '/livez', '/readyz'])
  })

  test('the variables that Kubernetes makes of the Service do not reach the gateway', () => {
    expect(podOf(byDefault, 'gateway').spec.enableServiceLinks).toBe(false)
    expect(envOf(byDefault, 'gateway')['QUARTERMASTER_GATEWAY_PORT']).toBe('8080')
  })

  test('an image is named by its digest rather than by its tag, which is the version of the application', () => {
    expect(podOf(byDefault, 'operator').container.image).toBe('quartermaster:0.1.0')
    expect(podOf(withAll, 'operator').container.image).toBe(
      `registry.example.test/team/quartermaster@sha256:${'0'.repeat(64)}`,
    )
  })

  test('both processes get every setting, and a number as it is written', () => {
    for (const process of processes) {
      expect(envOf(withAll, process)).toMatchObject({
        QUARTERMASTER_LOG_LEVEL: 'debug',
        QUARTERMASTER_WEBHOOK_KEPT_SECONDS: '1000000',
        NODE_EXTRA_CA_CERTS: '/etc/quartermaster/ca/ca.crt',
        NODE_OPTIONS: '--max-semi-space-size=16',
        QUARTERMASTER_TRACING_ENDPOINT: 'http://collector.example.test:4318',
      })
    }
  })

  test('a variable of one process takes the place of the setting of both', async () => {
    const manifests = await render({
      settings: { QUARTERMASTER_LOG_LEVEL: 'warn', QUARTERMASTER_ROLLOUT: 'applied' },
      operator: { extraEnv: [{ name: 'QUARTERMASTER_LOG_LEVEL', value: 'debug' }] },
    })
    const levelsOf = (process: string) =>
      podOf(manifests, process).container.env.filter(({ name }) => name === 'QUARTERMASTER_LOG_LEVEL')
    expect(levelsOf('operator')).toEqual([{ name: 'QUARTERMASTER_LOG_LEVEL', value: 'debug' }])
    expect(levelsOf('gateway')).toEqual([{ name: 'QUARTERMASTER_LOG_LEVEL', value: 'warn' }])
    expect(envOf(manifests, 'operator')).toMatchObject({ QUARTERMASTER_ROLLOUT: 'applied' })
  })

  test('traces are off by default, and the ratio is a number that the processes read', () => {
    expect(readConfig(envOf(byDefault, 'gateway')).tracing).toBeUndefined()
    expect(readConfig(envOf(withAll, 'operator')).tracing).toEqual({
      endpoint: 'http://collector.example.test:4318',
      ratio: 0.000001,
    })
  })

  test('the operator alone gets the limits of new organizations, as it reads them', async () => {
    const limitsOf = (manifests: readonly Manifest[]) => {
      const environment = envOf(manifests, 'operator')
      return Object.entries(readConfig(environment).organizationQuota)
    }
    expect(limitsOf(byDefault)).toContainEqual(['count/activeresources.quartermaster.dev', 20_000])
    expect(envOf(byDefault, 'gateway')).not.toHaveProperty('QUARTERMASTER_ORGANIZATION_QUOTA')
    const given = { webhooks: 1_000_000, secrets: 5, applications: null }
    const changed = limitsOf(await render({ organizationQuota: { limits: given } }))
    expect(changed).toContainEqual(['count/webhooks.quartermaster.dev', 1_000_000])
    expect(changed).toContainEqual(['count/secrets', 5])
    expect(changed.map(([name]) => name)).not.toContain('count/applications.quartermaster.dev')
    expect(limitsOf(await render({ organizationQuota: { enabled: false } }))).toEqual([])
    expect(limitsOf(await render({ organizationQuota: { limits: null } }))).toEqual([])
  })

  test('labels of pods are added, and take no pod away from its Deployment', async () => {
    const podLabels = { tier: 'control', 'app.kubernetes.io/component': 'other' }
    const manifests = await render({ operator: { podLabels } })
    const { spec } = find(manifests, 'Deployment', 'quartermaster-operator')
    const { selector } = spec as { selector: { matchLabels: object } }
    const { labels } = podOf(manifests, 'operator').metadata
    expect(labels).toMatchObject({ tier: 'control', ...selector.matchLabels })
    expect(podOf(manifests, 'gateway').metadata.labels).not.toHaveProperty('tier')
  })

  test('the client secret is a file of the gateway and of nothing else', () => {
    expect(envOf(withAll, 'gateway')['QUARTERMASTER_OIDC_CLIENT_SECRET_FILE']).toBe(
      '/etc/quartermaster/oidc/client',
    )
    expect(JSON.stringify(podOf(withAll, 'operator'))).not.toContain('oidc')
  })
})

test('names that YAML would read as numbers or as something else stay texts, and no key is given twice', async () => {
  const manifests = await render({
    commonLabels: { 'app.kubernetes.io/part-of': 'platform' },
    oidc: { clientSecret: { existingSecret: '123' } },
    trustedCa: { existingConfigMap: 'null' },
    operator: {
      podAnnotations: { 'kubectl.kubernetes.io/default-container': 'proxy' },
      priorityClassName: '1',
    },
    gateway: { ingress: { enabled: true, host: '*.example.test', className: '1e3', tlsSecret: '0x1' } },
    sample: { enabled: true, name: '1e5' },
    tests: { organization: '123' },
  })
  for (const { metadata } of manifests) {
    expect([metadata.name, metadata.namespace ?? '', ...Object.values(metadata.labels ?? {})]).toEqual(
      expect.not.arrayContaining([expect.any(Number)]),
    )
    expect(metadata.labels?.['app.kubernetes.io/part-of'] ?? 'platform').toBe('platform')
  }
  expect(find(manifests, 'Namespace', '1e5').metadata.labels).toMatchObject({
    'quartermaster.dev/organization': '1e5',
  })
  expect(find(manifests, 'Namespace', '123').metadata.labels).toMatchObject({
    'quartermaster.dev/organization': '123',
  })
  expect(find(manifests, 'Ingress', 'quartermaster-gateway').spec).toMatchObject({
    ingressClassName: '1e3',
    rules: [{ host: '*.example.test' }],
    tls: [{ hosts: ['*.example.test'], secretName: '0x1' }],
  })
  expect(podOf(manifests, 'gateway').spec.volumes).toEqual([
    { name: 'trusted-ca', configMap: { name: 'null' } },
    { name: 'oidc', secret: { secretName: '123' } },
  ])
  expect(podOf(manifests, 'operator')).toMatchObject({
    metadata: { annotations: { 'kubectl.kubernetes.io/default-container': 'proxy' } },
    spec: { priorityClassName: '1' },
  })
})

describe('the share of the API server', () => {
  const schema = (name: string) =>
    find(byDefault, 'FlowSchema', name).spec as {
      priorityLevelConfiguration: { name: string }
      distinguisherMethod: { type: string }
      matchingPrecedence: number
      rules: { subjects: { serviceAccount: { name: string; namespace: string } }[] }[]
    }
  const accountsOf = (name: string) =>
    schema(name).rules.flatMap(({ subjects }) => subjects.map(({ serviceAccount }) => serviceAccount.name))

  test('is for the identities of both processes, and namespaces take turns in it', () => {
    expect(accountsOf('quartermaster').sort()).toEqual(
      processes
        .map((process) => find(byDefault, 'ServiceAccount', `quartermaster-${process}`).metadata.name)
        .sort(),
    )
    const { priorityLevelConfiguration, distinguisherMethod } = schema('quartermaster')
    expect(distinguisherMethod.type).toBe('ByNamespace')
    expect(find(byDefault, 'PriorityLevelConfiguration', priorityLevelConfiguration.name).spec).toMatchObject(
      {
        type: 'Limited',
        limited: { limitResponse: { type: 'Queue' } },
      },
    )
  })

  test('does not hold up the lease of the operator', () => {
    const lease = schema('quartermaster-leader-election')
    expect(lease.priorityLevelConfiguration.name).toBe('leader-election')
    expect(lease.matchingPrecedence).toBeLessThan(schema('quartermaster').matchingPrecedence)
    expect(accountsOf('quartermaster-leader-election')).toEqual(['quartermaster-operator'])
  })
})
