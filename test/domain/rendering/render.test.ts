import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { KubeObject } from '../../../operator/api/kind.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import { type ModuleParams, readModule } from '../../../operator/domain/module/module-problems.ts'
import { moduleSchema } from '../../../operator/domain/module/module-schema.ts'
import { SecretText, withSecretTexts } from '../../../operator/domain/module/secret-text.ts'
import { type PodParts, podPartsOf } from '../../../operator/domain/rendering/pod-parts.ts'
import { renderWorkload } from '../../../operator/domain/rendering/render.ts'
import { casesOf } from '../../support/properties.ts'
import { validModules } from '../module/support/valid-modules.ts'

const vendors = ['quartermaster', 'humanitec']
const guResId = 'a'.repeat(40)

function rendered(params: ModuleParams, parts: readonly PodParts[] = []): KubeObject[] {
  const read = readModule(params, vendors)
  expect(read.problems).toEqual([])
  const { objects, problems } = renderWorkload({
    workload: { id: read.id, guResId, applicationId: 'shop' },
    organizationId: 'acme',
    namespace: 'acme--shop--dev',
    read,
    parts,
    hash: (value) => `hash of ${Buffer.from(canonicalJson(value)).toString('hex')}`,
  })
  expect(problems).toEqual([])
  return objects
}

interface PodTemplate {
  readonly metadata: FreeForm
  readonly spec: { readonly containers: readonly FreeForm[]; readonly initContainers?: readonly FreeForm[] }
}

const kindsOf = (objects: readonly KubeObject[]) => objects.map(({ kind }) => kind)
const named = (objects: readonly KubeObject[], kind: string) => objects.find((each) => each.kind === kind)
/** The pod template of the Deployment. */
const templateOf = (objects: readonly KubeObject[]) => {
  const spec = named(objects, 'Deployment')?.spec as { template: PodTemplate } | undefined // a Deployment
  return spec?.template ?? { metadata: {}, spec: { containers: [] } }
}
const moduleWith = (container: object, more: object = {}): ModuleParams => ({
  id: 'api',
  spec: { containers: { main: { image: 'api:1', ...container } }, ...more },
})
/** The value with the members of its objects in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  )
}

describe('every valid module', () => {
  test('gives equal objects for equal content, in any order of keys', () => {
    fc.assert(
      fc.property(validModules, (params) => {
        const objects = rendered(params)
        expect(rendered(reversed(params) as ModuleParams)).toEqual(objects)
      }),
      { numRuns: casesOf(300) },
    )
  })

  test('gives objects with different names, in the namespace of the environment, with the labels of the workload', () => {
    fc.assert(
      fc.property(validModules, (params) => {
        const objects = rendered(params)
        const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
        expect(new Set(names).size).toBe(names.length)
        for (const { metadata } of objects) {
          expect(metadata.namespace).toBe('acme--shop--dev')
          expect(metadata.labels).toMatchObject({
            'app.kubernetes.io/name': params.id,
            'app.kubernetes.io/instance': guResId,
            'app.kubernetes.io/part-of': 'shop',
            'app.kubernetes.io/managed-by': 'quartermaster',
          })
        }
      }),
      { numRuns: casesOf(300) },
    )
  })

  test('has its secret texts in the Secret alone', () => {
    const secretParts = fc.constantFrom('variables', 'args', 'command', 'files')
    fc.assert(
      fc.property(validModules, secretParts, ({ id, profile, spec }, part) => {
        const secret = new SecretText('canary-4711')
        const value = {
          variables: { URL: secret },
          args: ['-p', secret],
          command: [secret],
          files: { '/login': { value: secret } },
        }[part]
        const containers = Object.fromEntries(
          Object.entries(spec.containers).map(([name, each]) => [name, { ...each, [part]: value }]),
        )
        const objects = rendered({ id, profile, spec: { ...spec, containers } })
        const plain = objects.filter(({ kind }) => kind !== 'Secret')
        expect(JSON.stringify(plain)).not.toMatch(/canary|Y2FuYXJ5|\(secret\)/)
        const data = Object.values(named(objects, 'Secret')?.data as FreeForm)
        expect(data).toContain(Buffer.from('canary-4711').toString('base64'))
      }),
      { numRuns: casesOf(200) },
    )
  })

  test('keeps the selector of its pods when anything but its id changes', () => {
    const selectorOf = (objects: readonly KubeObject[]) =>
      (named(objects, 'Deployment')?.spec as FreeForm | undefined)?.selector
    fc.assert(
      fc.property(validModules, validModules, (first, second) => {
        const [before, after] = [
          rendered(first),
          rendered({
            ...second,
            id: first.id,
            profile: first.profile,
            spec: { ...second.spec, ...sectionsOf(first.spec) },
          }),
        ]
        expect(selectorOf(after)).toEqual(selectorOf(before))
      }),
      { numRuns: casesOf(200) },
    )
  })
})

describe('how pods are replaced is complete, so that a later change removes all of it', () => {
  const update = (rollingUpdate: FreeForm) => ({ type: 'RollingUpdate', rollingUpdate })
  const ofDeployment = update({ maxSurge: '25%', maxUnavailable: '25%' })
  const recreate = { type: 'Recreate' }
  test.each<[rule: string, profile: string, spec: FreeForm, expected: FreeForm]>([
    ['of a Deployment', 'default-module', {}, { strategy: ofDeployment }],
    [
      'of one that names the type',
      'default-module',
      { deployment: { strategy: { type: 'RollingUpdate' } } },
      { strategy: ofDeployment },
    ],
    [
      'of one that names a parameter',
      'default-module',
      { deployment: { strategy: { rollingUpdate: { maxSurge: 1 } } } },
      { strategy: update({ maxSurge: 1, maxUnavailable: '25%' }) },
    ],
    [
      'of one that recreates them',
      'default-module',
      { deployment: { strategy: recreate } },
      { strategy: recreate },
    ],
    ['of a StatefulSet', 'default-stateful', {}, { updateStrategy: update({ partition: 0 }) }],
    [
      'of one that leaves them to a person',
      'default-stateful',
      { statefulset: { updateStrategy: { type: 'OnDelete' } } },
      { updateStrategy: { type: 'OnDelete' } },
    ],
  ])('%s', (_, profile, spec, expected) => {
    const objects = rendered({ ...moduleWith({}, spec), profile: `humanitec/${profile}` })
    const { strategy, updateStrategy } = (objects.at(-1)?.spec ?? {}) as FreeForm
    expect({ strategy, updateStrategy }).toEqual(expected)
  })
})

/** The sections of a module that belong to its profile. */
function sectionsOf(spec: FreeForm): FreeForm {
  const names = ['replicas', 'deployment', 'statefulset', 'job', 'cronjob', 'schedules']
  return Object.fromEntries(names.map((name) => [name, spec[name]]))
}

interface Fields {
  readonly properties?: Readonly<Record<string, Fields>>
  readonly additionalProperties?: Fields
}

/** The value with null for each of its fields that is absent. */
function withNulls(value: unknown, { properties, additionalProperties }: Fields): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const given = Object.entries(value).map(([key, member]) => [
    key,
    withNulls(member, additionalProperties ?? properties?.[key] ?? {}),
  ])
  const absent = Object.keys(properties ?? {}).map((key) => [key, null])
  return Object.fromEntries([...absent, ...given])
}

// Kubernetes keeps what it chose for the image of an earlier deployment, so that it does not pull `latest` again.
test.each<[image: string, policy: string]>([
  ['api', 'Always'],
  ['api:latest', 'Always'],
  ['localhost:5000/api', 'Always'],
  [`api:latest@sha256:${'0'.repeat(64)}`, 'Always'],
  ['api:1', 'IfNotPresent'],
  ['localhost:5000/api:1', 'IfNotPresent'],
  [`api@sha256:${'0'.repeat(64)}`, 'IfNotPresent'],
])(
  'the image %s has the policy that Kubernetes gives to a new container, unless the module has one',
  (image, policy) => {
    const init = { name: 'first', image }
    const { containers, initContainers } = templateOf(
      rendered(moduleWith({ image }, { pod: { initContainers: [init] } })),
    ).spec
    expect([containers, initContainers]).toMatchObject([
      [{ imagePullPolicy: policy }],
      [{ imagePullPolicy: policy }],
    ])
    const own = moduleWith(
      { image, image_pull_policy: 'Never' },
      { pod: { initContainers: [{ ...init, imagePullPolicy: 'Never' }] } },
    )
    const { spec } = templateOf(rendered(own))
    expect([...spec.containers, ...(spec.initContainers ?? [])].map((each) => each.imagePullPolicy)).toEqual([
      'Never',
      'Never',
    ])
  },
)

test('a container that a dependency adds has the policy of its image too, unless it has one', () => {
  const added = (name: string, policy?: string) => ({
    location: 'containers',
    data: { name, image: 'agent', ...(policy === undefined ? {} : { imagePullPolicy: policy }) },
  })
  const manifests = [added('agent'), added('other', 'Never')]
  const part = podPartsOf({ guResId: 'db', names: ['externals.db'], descriptor: 'db' }, { manifests })
  const { containers } = templateOf(rendered(moduleWith({}), part && [part])).spec
  expect(containers.slice(1)).toMatchObject([{ imagePullPolicy: 'Always' }, { imagePullPolicy: 'Never' }])
})

test('a field that is null is absent', () => {
  const nulls = { allowPrivilegeEscalation: null, capabilities: { add: null, drop: null } }
  const pod = { securityContext: { runAsNonRoot: null, seccompProfile: null } }
  expect(rendered(moduleWith({ security_context: nulls }, { pod }))).toEqual(rendered(moduleWith({})))
  fc.assert(
    fc.property(validModules, (params) => {
      const spec = withNulls(params.spec, moduleSchema as Fields)
      expect(rendered({ ...params, spec })).toEqual(rendered(params))
    }),
    { numRuns: casesOf(100) },
  )
})

test('a file with an empty mode has the default mode, as clients write it that know only texts', () => {
  const withFile = (file: object) =>
    rendered(moduleWith({ files: { '/etc/a.conf': { value: 'a', ...file } } }))
  expect(withFile({ mode: '' })).toEqual(withFile({}))
  expect(withFile({ mode: '0600' })).not.toEqual(withFile({}))
})

test('a variable that is an object with a secret has its JSON, by the Secret alone', () => {
  const login = {
    user: 'orders',
    password: 'hunter2',
    more: ['hunter3'],
    port: 5432,
    tls: { key: 'hunter4' },
  }
  const at = '/spec/containers/main/variables/LOGIN'
  const params = withSecretTexts({ ...moduleWith({ variables: { LOGIN: login } }) }, [
    `${at}/password`,
    `${at}/more/0`,
    `${at}/port`,
    `${at}/tls`,
  ])
  const objects = rendered(params)
  const { data } = named(objects, 'Secret') as { data?: Record<string, string> } // the Secret of the workload
  const text = Buffer.from(data?.['main.LOGIN'] ?? '', 'base64').toString()
  expect(JSON.parse(text)).toEqual(login)
  expect(JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'))).not.toContain('hunter')
})

test('secrets whose names are joined to the same text have different keys', () => {
  const first = { name: 'first', image: 'a', env: [{ name: 'LOGIN', value: new SecretText('one') }] }
  const textsWith = (more: object) => {
    const variables = { 'first.LOGIN': new SecretText('two'), ...more }
    const containers = { init: { image: 'a', variables } }
    const objects = rendered({ id: 'api', spec: { containers, pod: { initContainers: [first] } } })
    const { data = {} } = named(objects, 'Secret') as { data?: Record<string, string> } // the Secret of the workload
    return Object.fromEntries(
      Object.entries(data).map(([key, each]) => [key, Buffer.from(each, 'base64').toString()]),
    )
  }
  const texts = textsWith({})
  expect(Object.values(texts).sort()).toEqual(['one', 'two'])
  // A name that is made for it is not that of the other key.
  const key = Object.keys(texts).find((each) => texts[each] === 'one') ?? ''
  const known = { [key.replace(/^init\./, '')]: new SecretText('three') }
  expect(Object.values(textsWith(known)).sort()).toEqual(['one', 'three', 'two'])
})

test('a secret file and a variable that is named as its key is have different keys', () => {
  const files = { '/login': { value: new SecretText('file') } }
  const secretOf = (variables: object) => {
    const objects = rendered(moduleWith({ variables, files }))
    return (named(objects, 'Secret') as { data?: Record<string, string> }).data ?? {} // the Secret of the workload
  }
  const [key = ''] = Object.keys(secretOf({}))
  const data = secretOf({ [key.replace(/^main\./, '')]: new SecretText('variable') })
  const texts = Object.values(data).map((each) => Buffer.from(each, 'base64').toString())
  expect(texts.sort()).toEqual(['file', 'variable'])
})

test('a field that is null in a container of a dependency takes the place of no restriction', () => {
  const container = { name: 'proxy', image: 'proxy:1' }
  const contextOf = (securityContext: object) => {
    const containers = [{ ...container, securityContext }]
    const part = { guResId: 'a', names: [], descriptor: 'db', volumes: [], containers }
    const [, added] = templateOf(rendered(moduleWith({}), [part])).spec.containers
    return added?.securityContext
  }
  const nulls = { allowPrivilegeEscalation: null, capabilities: { drop: null } }
  const restrictions = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
  expect(contextOf(nulls)).toEqual(restrictions)
})

test('a secret whose name has dots has a readable key, which no upgrade changes', () => {
  const variables = { 'spring.datasource.password': new SecretText('one') }
  const objects = rendered({ id: 'api', spec: { containers: { main: { image: 'a', variables } } } })
  expect(named(objects, 'Secret')).toMatchObject({
    data: { 'main.spring.datasource.password': Buffer.from('one').toString('base64') },
  })
})

describe('what a module consists of', () => {
  test.each<[rule: string, params: ModuleParams, kinds: string[]]>([
    ['no profile: a Deployment', moduleWith({}), ['ServiceAccount', 'Deployment']],
    [
      'a ServiceAccount of others is not made',
      moduleWith({}, { serviceAccountName: 'robot' }),
      ['Deployment'],
    ],
    ['nor one that the pods name', moduleWith({}, { pod: { serviceAccountName: 'robot' } }), ['Deployment']],
    [
      'ports: a Service',
      moduleWith({}, { service: { ports: { http: { service_port: 80 } } } }),
      ['ServiceAccount', 'Service', 'Deployment'],
    ],
    [
      'plain files: a ConfigMap',
      moduleWith({ files: { '/a': { value: 'a' } } }),
      ['ServiceAccount', 'ConfigMap', 'Deployment'],
    ],
    [
      'stateful: a StatefulSet',
      { ...moduleWith({}), profile: 'humanitec/default-stateful' },
      ['ServiceAccount', 'StatefulSet'],
    ],
    ['a job: a Job', { ...moduleWith({}), profile: 'humanitec/default-job' }, ['ServiceAccount', 'Job']],
    [
      'schedules: a CronJob for each',
      {
        ...moduleWith({}, { schedules: { a: { schedule: '@daily' }, b: { schedule: '@hourly' } } }),
        profile: 'humanitec/default-cronjob',
      },
      ['ServiceAccount', 'CronJob', 'CronJob'],
    ],
  ])('%s', (_, params, kinds) => {
    expect(kindsOf(rendered(params))).toEqual(kinds)
  })
})

describe('a change', () => {
  const podOf = (params: ModuleParams) => templateOf(rendered(params))
  const secretModule = (text: string) =>
    withSecretTexts({ ...moduleWith({ variables: { PASSWORD: text } }) }, [
      '/spec/containers/main/variables/PASSWORD',
    ])

  test('of a secret text changes the pods, by their annotation alone', () => {
    const [before, after] = [podOf(secretModule('one')), podOf(secretModule('two'))]
    expect(after.spec).toEqual(before.spec)
    expect(after.metadata).not.toEqual(before.metadata)
  })

  test('of a plain text changes one field', () => {
    const [before, after] = [
      podOf(moduleWith({ variables: { LEVEL: 'info' } })),
      podOf(moduleWith({ variables: { LEVEL: 'warn' } })),
    ]
    expect(JSON.stringify(after)).toBe(JSON.stringify(before).replace('info', 'warn'))
  })

  test('of a Job makes another Job', () => {
    const nameOf = (image: string) =>
      named(rendered({ ...moduleWith({ image }), profile: 'humanitec/default-job' }), 'Job')?.metadata.name
    expect(nameOf('api:1')).toBe(nameOf('api:1'))
    expect(nameOf('api:2')).not.toBe(nameOf('api:1'))
  })
})

interface Variable {
  readonly value: string
}

/** The text after the kubelet replaced each `$$` by a dollar sign and each `$(NAME)` by a value. */
const expanded = (text: string) =>
  text.replace(/\$(?:\$|\([^)]*\))/g, (found) => (found === '$$' ? '$' : 'value'))

test.each(['a$b', '$(A)', 'pa$$word', '$$(A)', '$$$(A)', '$$', '$', '$(A'])(
  'a variable reaches all containers as it is written: %s',
  (value) => {
    const initContainers = [{ name: 'first', image: 'api:1', env: [{ name: 'B', value }] }]
    const { spec } = templateOf(
      rendered(moduleWith({ variables: { B: value } }, { pod: { initContainers } })),
    )
    const variables = [...spec.containers, ...(spec.initContainers ?? [])].flatMap(
      ({ env }) => env as Variable[], // of a container
    )
    expect(variables.map((each) => expanded(each.value))).toEqual([value, value])
  },
)

describe('a container', () => {
  const containerOf = (params: ModuleParams) => templateOf(rendered(params)).spec.containers[0]

  test.each<[rule: string, container: object, expected: object]>([
    [
      'a variable is literal: Kubernetes inserts no other one',
      { variables: { A: 'x$(HOME)' } },
      { env: [{ name: 'A', value: 'x$$(HOME)' }] },
    ],
    [
      'a secret argument is inserted from a variable',
      { args: ['-p', new SecretText('s')] },
      {
        args: ['-p', '$(QUARTERMASTER_ARG_1)'],
        env: [{ name: 'QUARTERMASTER_ARG_1', valueFrom: { secretKeyRef: { name: 'api-secrets' } } }],
      },
    ],
    [
      'a probe over HTTP',
      { liveness_probe: { type: 'http', path: '/live', port: 80, headers: { B: '2', A: '1' } } },
      {
        livenessProbe: {
          httpGet: {
            path: '/live',
            port: 80,
            httpHeaders: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
          },
        },
      },
    ],
    [
      'a probe whose host is a header',
      { liveness_probe: { type: 'http', port: 80, host: 'web.example.test' } },
      {
        livenessProbe: {
          httpGet: { path: '/', port: 80, httpHeaders: [{ name: 'Host', value: 'web.example.test' }] },
        },
      },
    ],
    [
      'a probe whose header is its host',
      { liveness_probe: { type: 'http', port: 80, host: 'web.example.test', headers: { host: 'other' } } },
      {
        livenessProbe: { httpGet: { path: '/', port: 80, httpHeaders: [{ name: 'host', value: 'other' }] } },
      },
    ],
    [
      'a probe by command',
      { startup_probe: { type: 'command', command: ['true'] } },
      { startupProbe: { exec: { command: ['true'] } } },
    ],
    [
      'a probe over TCP',
      { readiness_probe: { type: 'tcp', port: 80, failureThreshold: 9 } },
      { readinessProbe: { tcpSocket: { port: 80 }, failureThreshold: 9 } },
    ],
    [
      'a probe over gRPC',
      { readiness_probe: { type: 'grpc', port: 80, service: 's' } },
      { readinessProbe: { grpc: { port: 80, service: 's' } } },
    ],
    [
      'numbers as texts, as values of placeholders are',
      { ports: { http: { container_port: '80' } } },
      { ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }] },
    ],
    [
      'the security context of the level restricted',
      {},
      { securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } },
    ],
    [
      'a security context that the module gives',
      { security_context: { allowPrivilegeEscalation: true, capabilities: { add: ['CHOWN'] } } },
      {
        securityContext: { allowPrivilegeEscalation: true, capabilities: { drop: ['ALL'], add: ['CHOWN'] } },
      },
    ],
  ])('%s', (_, container, expected) => {
    expect(containerOf(moduleWith(container))).toMatchObject(expected)
  })

  test.each(['8080', 'a--b', 'more-than-15-characters'])(
    'has no name of a port that Kubernetes refuses: %s',
    (name) => {
      const { ports } = containerOf(moduleWith({ ports: { [name]: { container_port: 80 } } })) ?? {}
      expect(ports).toEqual([{ containerPort: 80, protocol: 'TCP' }])
    },
  )
})

describe('the pods of a module', () => {
  const restricted = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }
  const env = [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }]
  test.each<[rule: string, params: ModuleParams, expected: object]>([
    ['have the security context of the level restricted', moduleWith({}), { securityContext: restricted }],
    [
      'have the security context that the module gives',
      moduleWith({}, { pod: { securityContext: { runAsNonRoot: false, fsGroup: 1 } } }),
      { securityContext: { ...restricted, runAsNonRoot: false, fsGroup: 1 } },
    ],
    [
      'have the ServiceAccount of the workload, and no token of it',
      moduleWith({}),
      { serviceAccountName: 'api', automountServiceAccountToken: false },
    ],
    [
      'have a token of the ServiceAccount of the workload if the module says so',
      moduleWith({}, { pod: { automountServiceAccountToken: true } }),
      { serviceAccountName: 'api', automountServiceAccountToken: true },
    ],
    [
      'have the volumes of the module, by either name',
      moduleWith(
        { volume_mounts: { '/a': { id: 'data' }, '/b/': { id: 'volumes.data', sub_path: 'b' } } },
        { volumes: { data: { emptyDir: {} } } },
      ),
      {
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [
          {
            volumeMounts: [
              { name: 'data', mountPath: '/a' },
              { name: 'data', mountPath: '/b', subPath: 'b' },
            ],
          },
        ],
      },
    ],
    [
      'have variables of init containers from their sources',
      moduleWith({}, { pod: { initContainers: [{ name: 'first', image: 'a', env }] } }),
      { initContainers: [{ name: 'first', env }] },
    ],
  ])('%s', (_, params, expected) => {
    const { spec } = templateOf(rendered(params))
    expect(spec).toMatchObject(expected)
  })

  test.each([{ serviceAccountName: 'robot' }, { pod: { serviceAccountName: 'robot' } }])(
    'have the ServiceAccount that the module names, which decides whether they have a token: %j',
    (more) => {
      const { spec } = templateOf(rendered(moduleWith({}, more)))
      expect(spec).toMatchObject({ serviceAccountName: 'robot' })
      expect(spec).not.toHaveProperty('automountServiceAccountToken')
    },
  )

  test('have a name for each volume of a dependency that its definition does not name', () => {
    const volumes = podPartsOf(
      { guResId, names: ['externals.db'], descriptor: 'db' },
      { manifests: [1, 2].map(() => ({ location: 'volumes', data: { emptyDir: {} } })) },
    )?.volumes
    expect(volumes).toEqual([guResId, `${guResId}-1`].map((name) => ({ name, emptyDir: {} })))
  })
})

test('a headless Service has no address', () => {
  const service = { headless: true, ports: { http: { service_port: 80 } } }
  expect(named(rendered(moduleWith({}, { service })), 'Service')?.spec).toMatchObject({ clusterIP: 'None' })
})

describe('a schedule that changes a container', () => {
  const changed = {
    image: 'api:2',
    variables: { LEVEL: 'debug' },
    files: { '/etc/api': { value: 'changed' } },
  }
  const objects = rendered({
    ...moduleWith(
      { variables: { LEVEL: 'info', HOST: 'db' }, files: { '/etc/api': { value: 'given' } } },
      {
        schedules: {
          daily: { schedule: '@daily' },
          hourly: { schedule: '@hourly', containers: { main: changed } },
        },
      },
    ),
    profile: 'humanitec/default-cronjob',
  })
  const containerOf = (name: string) => {
    const found = objects.find(({ metadata }) => metadata.name === name)?.spec as {
      jobTemplate: { spec: { template: PodTemplate } }
    } // a CronJob
    return found.jobTemplate.spec.template.spec.containers[0]
  }
  const fileOf = (name: string) => {
    const { volumeMounts } = containerOf(name) as { volumeMounts: { subPath: string }[] } // it has a file
    const { data } = named(objects, 'ConfigMap') as { data?: Record<string, string> } // the ConfigMap of the workload
    return volumeMounts.map(({ subPath }) => data?.[subPath]).join()
  }

  test('changes it for its own Jobs alone', () => {
    expect(containerOf('api-daily')).toMatchObject({
      image: 'api:1',
      env: [
        { name: 'HOST', value: 'db' },
        { name: 'LEVEL', value: 'info' },
      ],
    })
    expect(containerOf('api-hourly')).toMatchObject({
      image: 'api:2',
      env: [
        { name: 'HOST', value: 'db' },
        { name: 'LEVEL', value: 'debug' },
      ],
    })
    expect(['api-daily', 'api-hourly'].map(fileOf)).toEqual(['given', 'changed'])
  })
})
