import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { type ModuleParams, readModule } from '../../../operator/domain/module/module-problems.ts'
import { SecretText } from '../../../operator/domain/module/secret-text.ts'
import { casesOf } from '../../support/properties.ts'
import { validModules } from './support/valid-modules.ts'

const vendors = ['quartermaster', 'humanitec']
const problemsOf = (params: ModuleParams) => readModule({ id: 'api', ...params }, vendors).problems
const inContainer = (container: object, more: object = {}): ModuleParams => ({
  spec: { containers: { main: { image: 'api:1', ...container } }, ...more },
})
const inSpec = (spec: object) => inContainer({}, spec)
const inPod = (pod: object) => inSpec({ pod })
const inFirst = (container: object) =>
  inPod({ initContainers: [{ name: 'first', image: 'a', ...container }] })
const appArmor = 'container.apparmor.security.beta.kubernetes.io/main'

describe('a problem of a module names its field', () => {
  test.each<[rule: string, params: ModuleParams, at: string, text: RegExp]>([
    [
      'an unknown field, and the nearest one',
      inContainer({ variabels: {} }),
      '/spec/containers/main/variabels',
      /did you mean 'variables'/,
    ],
    [
      'an unknown field of the pod',
      inSpec({ pod: { hostNetwork: true } }),
      '/spec/pod/hostNetwork',
      /is no field/,
    ],
    [
      'privileges',
      inContainer({ security_context: { privileged: true } }),
      '/spec/containers/main/security_context/privileged',
      /is no field/,
    ],
    [
      'a capability beyond the defaults of containers',
      inContainer({ security_context: { capabilities: { add: ['SYS_ADMIN'] } } }),
      '/spec/containers/main/security_context/capabilities/add/0',
      /must be one of/,
    ],
    [
      'a placeholder for what a deployment waits for',
      { ...inContainer({}), deploy: { success: '${values.SUCCESS}', timeout: '${values.TIMEOUT}' } },
      '/deploy/success',
      /cannot be a placeholder/,
    ],
    [
      'a placeholder for the order of workloads',
      { ...inContainer({}), deploy: { when: '${values.WHEN}' } },
      '/deploy/when',
      /cannot be a placeholder/,
    ],
    [
      'an unknown profile',
      { ...inContainer({}), profile: 'humanitec/default-modul' },
      '/profile',
      /did you mean 'humanitec\/default-module'/,
    ],
    [
      'the name of an image',
      inContainer({ image: 'API 1' }),
      '/spec/containers/main/image',
      /'API 1' is not the name of an image/,
    ],
    [
      'a missing image',
      { spec: { containers: { main: { image: 'a' }, other: {} } } },
      '/spec/containers/other',
      /has no 'image'/,
    ],
    [
      'a port beyond the range',
      inSpec({ service: { ports: { http: { service_port: 70_000 } } } }),
      '/spec/service/ports/http/service_port',
      /from 1 to 65535, not 70000/,
    ],
    [
      'a port of a probe',
      inContainer({ liveness_probe: { type: 'tcp', port: 0 } }),
      '/spec/containers/main/liveness_probe/port',
      /from 1 to 65535/,
    ],
    [
      'two containers on one port',
      {
        spec: {
          containers: {
            a: { image: 'a', ports: { p: { container_port: 80 } } },
            b: { image: 'b', ports: { q: { container_port: 80 } } },
          },
        },
      },
      '/spec/containers/b/ports/q',
      /port 80 \(TCP\) is used at '\/containers\/a\/ports\/p' too/,
    ],
    [
      'two ports of the Service that are equal',
      inSpec({ service: { ports: { a: { service_port: 80 }, b: { service_port: 80 } } } }),
      '/spec/service/ports/b',
      /port 80 \(TCP\) is used/,
    ],
    [
      'two mounts at one path',
      inContainer({
        files: { '/data/': { value: 'a' } },
        volume_mounts: { '/data': { id: 'externals.data' } },
      }),
      '/spec/containers/main/volume_mounts/~1data',
      /is mounted twice/,
    ],
    [
      'a file below a file',
      inContainer({
        files: { '/etc/a': { value: 'a' }, '/etc/a-b': { value: 'b' }, '/etc//a/b/c': { value: 'c' } },
      }),
      '/spec/containers/main/files/~1etc~1~1a~1b~1c',
      /is below the file at '.*~1etc~1a'/,
    ],
    [
      'a volume below a file',
      inContainer({
        files: { '/etc/a': { value: 'a' } },
        volume_mounts: { '/etc/a/b': { id: 'externals.data' } },
      }),
      '/spec/containers/main/volume_mounts/~1etc~1a~1b',
      /is below the file at/,
    ],
    [
      'a path that is not absolute',
      inContainer({ files: { 'etc/a': { value: 'a' } } }),
      '/spec/containers/main/files/etc~1a',
      /absolute path/,
    ],
    [
      'a path that leads upwards',
      inContainer({ files: { '/etc/../a': { value: 'a' } } }),
      '/spec/containers/main/files/~1etc~1..~1a',
      /absolute path/,
    ],
    [
      'a file of 2 MiB',
      inContainer({ files: { '/a': { value: 'a'.repeat(2 ** 21) } } }),
      '/spec/containers/main/files/~1a/value',
      /has 2097152 characters/,
    ],
    [
      'a binary file of 1.5 MiB',
      inContainer({ files: { '/a': { binary_value: 'aaaa'.repeat(2 ** 19) } } }),
      '/spec/containers/main/files/~1a/binary_value',
      /more than/,
    ],
    [
      'files of more than 1 MiB together',
      inContainer({ files: { '/a': { value: 'a'.repeat(600_000) }, '/b': { value: 'b'.repeat(600_000) } } }),
      '/spec/containers',
      /1200000 bytes together/,
    ],
    [
      'secret files of more than 1 MiB together',
      inContainer({
        files: {
          '/a': { value: new SecretText('a'.repeat(600_000)) },
          '/b': { value: new SecretText('b'.repeat(600_000)) },
          '/c': { value: 'c'.repeat(600_000) },
        },
      }),
      '/spec/containers',
      /1200000 bytes together, more than the 1048576 of a Secret$/,
    ],
    [
      'a file with two contents',
      inContainer({ files: { '/a': { value: 'a', binary_value: 'YQ==' } } }),
      '/spec/containers/main/files/~1a',
      /has both/,
    ],
    [
      'a mode',
      inContainer({ files: { '/a': { value: 'a', mode: 'rw' } } }),
      '/spec/containers/main/files/~1a/mode',
      /does not fit/,
    ],
    [
      'a volume that does not exist',
      inContainer({ volume_mounts: { '/a': { id: 'dat' } } }, { volumes: { data: { emptyDir: {} } } }),
      '/spec/containers/main/volume_mounts/~1a/id',
      /did you mean 'data'/,
    ],
    [
      'a folder of the node',
      inSpec({ volumes: { root: { hostPath: { path: '/' } } } }),
      '/spec/volumes/root',
      /'hostPath' is no source/,
    ],
    [
      'a probe without its port',
      inContainer({ liveness_probe: { type: 'http' } }),
      '/spec/containers/main/liveness_probe',
      /has no 'port'/,
    ],
    [
      'a probe of another address',
      inContainer({ readiness_probe: { type: 'tcp', port: 80, host: '169.254.169.254' } }),
      '/spec/containers/main/readiness_probe/host',
      /reaches the pod itself/,
    ],
    [
      'a grace period of a readiness probe',
      inContainer({ readiness_probe: { type: 'tcp', port: 80, terminationGracePeriodSeconds: 5 } }),
      '/spec/containers/main/readiness_probe/terminationGracePeriodSeconds',
      /ends no container/,
    ],
    [
      'a quantity',
      inContainer({ resources: { limits: { memory: 'much' } } }),
      '/spec/containers/main/resources/limits/memory',
      /not a quantity/,
    ],
    [
      'a request above its limit',
      inContainer({ resources: { limits: { cpu: '100m' }, requests: { cpu: '1' } } }),
      '/spec/containers/main/resources/requests/cpu',
      /more than the limit/,
    ],
    [
      'a label of the operator',
      inSpec({ labels: { 'app.kubernetes.io/name': 'x' } }),
      '/spec/labels/app.kubernetes.io~1name',
      /set by the operator/,
    ],
    [
      'the value of a label',
      inSpec({ pod: { labels: { a: 'x y' } } }),
      '/spec/pod/labels/a',
      /cannot be the value of a label/,
    ],
    [
      'a section of another profile',
      inSpec({ statefulset: {} }),
      '/spec/statefulset',
      /has no effect: the profile makes a Deployment/,
    ],
    [
      'a CronJob without schedules',
      { ...inContainer({}), profile: 'humanitec/default-cronjob' },
      '/spec/schedules',
      /has no schedule/,
    ],
    [
      'a schedule',
      { ...inSpec({ schedules: { a: { schedule: 'daily' } } }), profile: 'humanitec/default-cronjob' },
      '/spec/schedules/a/schedule',
      /is not a schedule/,
    ],
    [
      'an ended Job that is deleted',
      { ...inSpec({ job: { ttlSecondsAfterFinished: 1 } }), profile: 'humanitec/default-job' },
      '/spec/job/ttlSecondsAfterFinished',
      /shows that it ran/,
    ],
    [
      'an id that is too long',
      { ...inContainer({}), id: 'a'.repeat(60), profile: 'humanitec/default-stateful' },
      '/id',
      /60 characters; at most 52/,
    ],
    [
      'the name of a Service',
      { ...inSpec({ service: { ports: { a: { service_port: 1 } } } }), id: '1a' },
      '/id',
      /begin with a letter/,
    ],
    [
      'the id of the ServiceAccount that every namespace has',
      { ...inContainer({}), id: 'default' },
      '/id',
      /ServiceAccount 'default'/,
    ],
    [
      'a secret where it would be visible',
      inSpec({ annotations: { a: new SecretText('canary') } }),
      '/spec/annotations/a',
      /contains a secret/,
    ],
    [
      'a secret in a part that Kubernetes reads',
      inSpec({ pod: { affinity: { a: [new SecretText('canary')] } } }),
      '/spec/pod/affinity/a/0',
      /contains a secret/,
    ],
    [
      'the name of a container',
      { spec: { containers: { Main: { image: 'a' } } } },
      '/spec/containers/Main',
      /'Main' cannot be the name of a container/,
    ],
    [
      'the name of a container that is too long',
      { spec: { containers: { ['a'.repeat(64)]: { image: 'a' } } } },
      `/spec/containers/${'a'.repeat(64)}`,
      /cannot be the name of a container/,
    ],
    [
      'another id of a container than its key',
      inContainer({ id: 'other' }),
      '/spec/containers/main/id',
      /is 'other', but the key of the container is 'main'/,
    ],
    [
      'more than a hundred containers',
      {
        spec: {
          containers: Object.fromEntries([...Array(101).keys()].map((i) => [`c${i}`, { image: 'a' }])),
        },
      },
      '/spec/containers',
      /has 101 entries, more than 100/,
    ],
    [
      'the name of an init container',
      inFirst({ name: 'First' }),
      '/spec/pod/initContainers/0/name',
      /'First' cannot be the name of a container/,
    ],
    [
      'an init container without a name',
      inPod({ initContainers: [{ image: 'a' }] }),
      '/spec/pod/initContainers/0',
      /has no 'name'/,
    ],
    [
      'the image of an init container',
      inFirst({ image: 'A 1' }),
      '/spec/pod/initContainers/0/image',
      /is not the name of an image/,
    ],
    [
      'an init container with the name of a container',
      inFirst({ name: 'main' }),
      '/spec/pod/initContainers/0/name',
      /another container is named 'main' too/,
    ],
    [
      'two init containers with one name',
      inPod({
        initContainers: [
          { name: 'first', image: 'a' },
          { name: 'first', image: 'a' },
        ],
      }),
      '/spec/pod/initContainers/1/name',
      /another container is named 'first' too/,
    ],
    [
      'two mounts at one path in other forms',
      inContainer({
        files: { '/data/./a//': { value: 'a' } },
        volume_mounts: { '/data/a': { id: 'externals.data' } },
      }),
      '/spec/containers/main/volume_mounts/~1data~1a',
      /is mounted twice/,
    ],
    ...['/', '/a:b', '/../a'].map((path): [string, ModuleParams, string, RegExp] => [
      `the mount path ${path}`,
      inContainer({ volume_mounts: { [path]: { id: 'externals.data' } } }),
      `/spec/containers/main/volume_mounts/${path.replaceAll('/', '~1')}`,
      /absolute path/,
    ]),
    ...['/a', 'a/../b', '..'].map((path): [string, ModuleParams, string, RegExp] => [
      `the path ${path} in a volume`,
      inContainer({ volume_mounts: { '/a': { id: 'externals.data', sub_path: path } } }),
      '/spec/containers/main/volume_mounts/~1a/sub_path',
      /must be a path inside the volume/,
    ]),
    [
      'a binary file that is not Base64',
      inContainer({ files: { '/a': { binary_value: 'a' } } }),
      '/spec/containers/main/files/~1a/binary_value',
      /is not Base64/,
    ],
    ...['A', 'a b', '-a', 'files', 'secret-files'].map((name): [string, ModuleParams, string, RegExp] => [
      `the name ${name} of a volume`,
      inSpec({ volumes: { [name]: { emptyDir: {} } } }),
      `/spec/volumes/${name}`,
      /cannot be the name of a volume/,
    ]),
    ...[{}, { emptyDir: {}, configMap: {} }, 'emptyDir', []].map(
      (source): [string, ModuleParams, string, RegExp] => [
        `the volume ${JSON.stringify(source)}`,
        inSpec({ volumes: { data: source } }),
        '/spec/volumes/data',
        /must have one source/,
      ],
    ),
    [
      'the name of a volume claim',
      {
        ...inSpec({ statefulset: { volume_claims: { files: { storage: '1Gi' } } } }),
        profile: 'humanitec/default-stateful',
      },
      '/spec/statefulset/volume_claims/files',
      /cannot be the name of a volume/,
    ],
    [
      'a volume claim with the name of a volume',
      {
        ...inSpec({
          volumes: { data: { emptyDir: {} } },
          statefulset: { volume_claims: { data: { storage: '1Gi' } } },
        }),
        profile: 'humanitec/default-stateful',
      },
      '/spec/statefulset/volume_claims/data',
      /has the name of a volume/,
    ],
    [
      'the successes of a probe that is none of readiness',
      inContainer({ liveness_probe: { type: 'tcp', port: 80, successThreshold: 2 } }),
      '/spec/containers/main/liveness_probe/successThreshold',
      /must be 1 except for a readiness probe/,
    ],
    [
      'a probe with an empty command',
      inContainer({ liveness_probe: { type: 'command', command: [] } }),
      '/spec/containers/main/liveness_probe',
      /has no 'command'/,
    ],
    ['a Service without ports', inSpec({ service: {} }), '/spec/service', /has no 'ports'/],
    [
      'the name of a port of the Service',
      inSpec({ service: { ports: { HTTP: { service_port: 80 } } } }),
      '/spec/service/ports/HTTP',
      /cannot be the name of a port/,
    ],
    [
      'the name of a port',
      inContainer({ ports: { HTTP: { container_port: 80 } } }),
      '/spec/containers/main/ports/HTTP',
      /cannot be the name of a port/,
    ],
    [
      'a headless Service with an address outside',
      inSpec({ service: { headless: true, type: 'NodePort', ports: { http: { service_port: 80 } } } }),
      '/spec/service/headless',
      /'NodePort' cannot be headless/,
    ],
    ...['a b', 'A_/b', 'a/b/c', '/a', 'a'.repeat(64), `${'a'.repeat(254)}/b`].map(
      (key): [string, ModuleParams, string, RegExp] => [
        `the key ${key} of an annotation`,
        inSpec({ annotations: { [key]: 'b' } }),
        `/spec/annotations/${key.replaceAll('/', '~1')}`,
        /cannot be the key of a label or an annotation/,
      ],
    ),
    [
      'an annotation of the operator',
      inPod({ annotations: { 'quartermaster.dev/content': 'x' } }),
      '/spec/pod/annotations/quartermaster.dev~1content',
      /set by the operator/,
    ],
    [
      'the value of a label that is too long',
      inSpec({ labels: { a: 'a'.repeat(64) } }),
      '/spec/labels/a',
      /has 64 characters, more than 63/,
    ],
    ...(['serviceAccountName', 'pod'] as const).map((field): [string, ModuleParams, string, RegExp] => {
      const isOfPod = field === 'pod'
      return [
        `the name of a ServiceAccount${isOfPod ? ' of the pods' : ''}`,
        inSpec({ [field]: isOfPod ? { serviceAccountName: 'A_B' } : 'A_B' }),
        isOfPod ? '/spec/pod/serviceAccountName' : '/spec/serviceAccountName',
        /'A_B' cannot be the name of a ServiceAccount/,
      ]
    }),
    [
      'the name of a schedule',
      { ...inSpec({ schedules: { Daily: { schedule: '@daily' } } }), profile: 'humanitec/default-cronjob' },
      '/spec/schedules/Daily',
      /cannot be the name of a schedule/,
    ],
    [
      'the names of a workload and a schedule that are too long together',
      {
        ...inSpec({ schedules: { ['a'.repeat(20)]: { schedule: '@daily' } } }),
        id: 'a'.repeat(32),
        profile: 'humanitec/default-cronjob',
      },
      `/spec/schedules/${'a'.repeat(20)}`,
      /has more than 52 characters/,
    ],
    [
      'a schedule that changes a container that does not exist',
      {
        ...inSpec({ schedules: { a: { schedule: '@daily', containers: { mian: {} } } } }),
        profile: 'humanitec/default-cronjob',
      },
      '/spec/schedules/a/containers/mian',
      /no container is named 'mian'.*did you mean 'main'/,
    ],
    ...['other/default-job', 'humanitec/default-job/a', 'humanitec/constructor', 'default-job'].map(
      (profile): [string, ModuleParams, string, RegExp] => [
        `the profile ${profile}`,
        { ...inContainer({}), profile },
        '/profile',
        /is not known/,
      ],
    ),
    [
      'a truth',
      inSpec({ pod: { hostname: 'a', enableServiceLinks: 'yes' } }),
      '/spec/pod/enableServiceLinks',
      /must be true or false, not 'yes'/,
    ],
    ['an object', inSpec({ pod: 'a' }), '/spec/pod', /must be an object, not 'a'/],
    ['a list', inContainer({ args: 'a' }), '/spec/containers/main/args', /must be a list, not 'a'/],
    [
      'a text',
      inContainer({ working_dir: ['a'] }),
      '/spec/containers/main/working_dir',
      /must be a text, not a list/,
    ],
    [
      'a part of a number',
      inSpec({ replicas: 1.5 }),
      '/spec/replicas',
      /must be a whole number at least 0, not 1.5/,
    ],
    ['a number below the least', inSpec({ replicas: '-1' }), '/spec/replicas', /at least 0, not '-1'/],
    [
      'the number of replicas',
      inSpec({ replicas: 'two' }),
      '/spec/replicas',
      /must be a whole number at least 0, not 'two'/,
    ],
  ])('%s', (_, params, at, text) => {
    const problems = problemsOf(params)
    expect(problems).toEqual([expect.stringMatching(text)])
    expect(problems[0]).toContain(`'${at}': `)
    expect(problems.join()).not.toContain('canary')
  })
})

describe('what the cluster refuses is a problem of the plan', () => {
  const indexed = (completions: unknown) => ({ job: { completionMode: 'Indexed', completions } })
  const daily = { schedules: { daily: { schedule: '@daily' } } }
  test.each<[rule: string, params: ModuleParams, at: string, text: RegExp]>([
    [
      'a variable twice in an init container',
      inFirst({ env: [{ name: 'A' }, { name: 'B' }, { name: 'A' }] }),
      '/pod/initContainers/0/env/2/name',
      /variable 'A' is given at '\/pod\/initContainers\/0\/env\/0\/name' too/,
    ],
    [
      'a variable of the operator',
      inContainer({ variables: { QUARTERMASTER_ARG_0: 'a' }, args: [new SecretText('canary')] }),
      '/containers/main/variables/QUARTERMASTER_ARG_0',
      /the operator gives this name to secret words/,
    ],
    [
      'a variable of the operator in an init container',
      inFirst({ env: [{ name: 'QUARTERMASTER_COMMAND_12' }] }),
      '/pod/initContainers/0/env/0/name',
      /the operator gives this name/,
    ],
    [
      'the name of a resource',
      inContainer({ resources: { limits: { 'bad key!': '1' } } }),
      '/containers/main/resources/limits/bad key!',
      /'bad key!' cannot be the name of a resource/,
    ],
    [
      'the name of a device',
      inContainer({ resources: { limits: { 'a b/c': '1' } } }),
      '/containers/main/resources/limits/a b~1c',
      /'a b\/c' cannot be the name of a resource/,
    ],
    [
      'a resource that containers do not have',
      inFirst({ resources: { requests: { pods: '1' } } }),
      '/pod/initContainers/0/resources/requests/pods',
      /'pods' cannot be the name of a resource/,
    ],
    ...[
      [{ limits: { 'a.com/gpu': '1.5' } }, 'limits/a.com~1gpu', /'1.5' is not a whole number/] as const,
      [{ requests: { 'a.com/gpu': '1' } }, 'requests/a.com~1gpu', /needs the same limit/] as const,
      [{ limits: {}, requests: { 'a.com/gpu': '1' } }, 'requests/a.com~1gpu', /the same limit/] as const,
      [
        { limits: { 'hugepages-2Mi': '4Mi' }, requests: { 'hugepages-2Mi': '2Mi' } },
        'requests/hugepages-2Mi',
        /the same limit/,
      ] as const,
    ].map(([resources, at, text]): [string, ModuleParams, string, RegExp] => [
      `the resources ${JSON.stringify(resources)}`,
      inContainer({ resources }),
      `/containers/main/resources/${at}`,
      text,
    ]),
    [
      'the key of a label of nodes',
      inPod({ nodeSelector: { 'a b': 'c' } }),
      '/pod/nodeSelector/a b',
      /cannot be the key of a label/,
    ],
    [
      'the value of a label of nodes',
      inPod({ nodeSelector: { a: 'b c' } }),
      '/pod/nodeSelector/a',
      /cannot be the value of a label/,
    ],
    ['a host name', inPod({ hostname: 'A_B' }), '/pod/hostname', /'A_B' cannot be a host name/],
    ['a subdomain', inPod({ subdomain: 'a.b' }), '/pod/subdomain', /'a.b' cannot be a host name/],
    [
      'an Indexed Job with a long id',
      { ...inSpec(indexed(10)), id: 'a'.repeat(53), profile: 'humanitec/default-job' },
      '/job/completionMode',
      /the host names of 10 pods of the Job would have 64 characters, more than 63/,
    ],
    [
      'Indexed Jobs of a CronJob with a long name',
      {
        ...inSpec({ ...daily, ...indexed(101) }),
        id: 'a'.repeat(45),
        profile: 'humanitec/default-cronjob',
      },
      '/job/completionMode',
      /the host names of 101 pods of the Job would have 64 characters/,
    ],
    [
      'a number that Kubernetes would wrap',
      inSpec({ replicas: 2 ** 31 }),
      '/replicas',
      /from 0 to 2147483647, not 2147483648/,
    ],
    [
      'the name of a header',
      inContainer({ liveness_probe: { type: 'http', port: 80, headers: { 'a.b': 'c' } } }),
      '/containers/main/liveness_probe/headers/a.b',
      /cannot be the name of a header/,
    ],
    [
      'a seccomp profile of the node without a file',
      inContainer({ security_context: { seccompProfile: { type: 'Localhost' } } }),
      '/containers/main/security_context/seccompProfile',
      /has no 'localhostProfile'/,
    ],
    ...['', '/a', 'a/../../b'].map((localhostProfile): [string, ModuleParams, string, RegExp] => [
      `the file '${localhostProfile}' of a seccomp profile`,
      inPod({ securityContext: { seccompProfile: { type: 'Localhost', localhostProfile } } }),
      `/pod/securityContext/seccompProfile${localhostProfile === '' ? '' : '/localhostProfile'}`,
      /has no 'localhostProfile'|must be a path inside/,
    ]),
    [
      'a file of another seccomp profile',
      inPod({ securityContext: { seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'a' } } }),
      '/pod/securityContext/seccompProfile/localhostProfile',
      /is for the type 'Localhost'/,
    ],
    [
      'a seccomp profile outside of its folder',
      inFirst({ securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: '../a' } } }),
      '/pod/initContainers/0/securityContext/seccompProfile/localhostProfile',
      /must be a path inside/,
    ],
    ['a priority class', inPod({ priorityClassName: 'A' }), '/pod/priorityClassName', /name of a class/],
    ['a runtime class', inPod({ runtimeClassName: '/a' }), '/pod/runtimeClassName', /name of a class/],
    ['an empty runtime class', inPod({ runtimeClassName: '' }), '/pod/runtimeClassName', /name of a class/],
    ['a resolver without settings', inPod({ dnsPolicy: 'None' }), '/pod/dnsPolicy', /needs 'dnsConfig'/],
    ...[{}, { nameservers: [] }].map((dnsConfig): [string, ModuleParams, string, RegExp] => [
      `a resolver with the settings ${JSON.stringify(dnsConfig)}`,
      inPod({ dnsPolicy: 'None', dnsConfig }),
      '/pod/dnsPolicy',
      /'None' needs 'dnsConfig' with 'nameservers'/,
    ]),
    [
      'an empty protocol of an application',
      inSpec({ service: { ports: { a: { service_port: 1, app_protocol: '' } } } }),
      '/service/ports/a/app_protocol',
      /cannot be the name of a protocol/,
    ],
    [
      'many numbered pods at once',
      {
        ...inSpec({ job: { completionMode: 'Indexed', completions: 2, parallelism: 100_001 } }),
        profile: 'humanitec/default-job',
      },
      '/job/parallelism',
      /at most 100000/,
    ],
    [
      'the protocol of an application',
      inSpec({ service: { ports: { a: { service_port: 1, app_protocol: '-1' } } } }),
      '/service/ports/a/app_protocol',
      /cannot be the name of a protocol/,
    ],
    [
      'a time without progress that pods need to be available',
      inSpec({ deployment: { minReadySeconds: 600 } }),
      '/deployment/minReadySeconds',
      /less than the 600 seconds/,
    ],
    [
      'a timeout of the deployment that pods need to be available',
      { ...inSpec({ deployment: { minReadySeconds: 300 } }), deploy: { timeout: 300 } },
      '/deployment/minReadySeconds',
      /less than the 300 seconds/,
    ],
    ...['a--b', 'europe/berlin', 'Europe/berlin', 'EUROPE/BERLIN', 'utc', 'PST', 'Local', '+01:00'].map(
      (timeZone): [string, ModuleParams, string, RegExp] => [
        `the time zone ${timeZone}`,
        { ...inSpec({ ...daily, cronjob: { timeZone } }), profile: 'humanitec/default-cronjob' },
        '/cronjob/timeZone',
        /is not a time zone/,
      ],
    ),
    ...[
      [{ storage: '0' }, 'storage', /is not a quantity/] as const,
      [{ storage: '1Gi', storage_class: 'A' }, 'storage_class', /name of a class/] as const,
      [{ storage: '1Gi', access_modes: ['Any'] }, 'access_modes/0', /must be one of ReadWriteOnce/] as const,
      [{ storage: '1Gi', access_modes: [] }, 'access_modes', /is empty/] as const,
      [
        { storage: '1Gi', access_modes: ['ReadWriteOnce', 'ReadWriteOncePod'] },
        'access_modes',
        /'ReadWriteOncePod' excludes other modes/,
      ] as const,
    ].map(([claim, at, text]): [string, ModuleParams, string, RegExp] => [
      `the ${at} of a volume claim`,
      {
        ...inSpec({ statefulset: { volume_claims: { data: claim } } }),
        profile: 'humanitec/default-stateful',
      },
      `/statefulset/volume_claims/data/${at}`,
      text,
    ]),
    [
      'an Indexed Job without a number of pods',
      { ...inSpec({ job: { completionMode: 'Indexed' } }), profile: 'humanitec/default-job' },
      '/job/completionMode',
      /'Indexed' needs 'completions'/,
    ],
  ])('%s', (_, params, at, text) => {
    const problems = problemsOf(params)
    expect(problems).toEqual([expect.stringMatching(text)])
    expect(problems[0]).toContain(`'/spec${at}': `)
    expect(problems.join()).not.toContain('canary')
  })

  describe('files that the ConfigMap holds again for a schedule that changes their container', () => {
    const change = { variables: { A: 'a' } }
    const withSchedules = (files: object, schedules: object) => ({
      ...inContainer({ files }, { schedules }),
      profile: 'humanitec/default-cronjob',
    })
    const scheduled = (changes?: object) => ({
      schedule: '@daily',
      ...(changes && { containers: { main: changes } }),
    })
    const file = { value: 'a'.repeat(600_000) }
    const both = { '/a': { value: 'b' } }

    test.each<[rule: string, params: ModuleParams]>([
      ['one of two schedules', withSchedules({ '/a': file }, { a: scheduled(), b: scheduled(change) })],
      ['two schedules', withSchedules({ '/a': file }, { a: scheduled(change), b: scheduled(change) })],
    ])('%s', (_, params) => {
      const problems = problemsOf(params)
      expect(problems).toEqual([expect.stringMatching(/^'\/spec\/containers': the files have 1200000 bytes/)])
      expect(problems[0]).toMatch(/again for each schedule/)
    })

    test('a file of a schedule that is too long, or too long with the others', () => {
      const long = { binary_value: 'aaaa'.repeat(300_000) }
      const at = '/schedules/a/containers/main/files/~1b'
      const longer = { binary_value: 'aaaa'.repeat(349_526) }
      expect(problemsOf(withSchedules({ '/a': file }, { a: scheduled({ files: { '/b': long } }) }))).toEqual([
        expect.stringContaining("'/spec/containers': the files have 1500000 bytes"),
      ])
      expect(problemsOf(withSchedules({}, { a: scheduled({ files: { '/b': longer } }) }))).toEqual([
        expect.stringContaining(`'/spec${at}': has 1048578 bytes`),
      ])
    })

    test.each<[rule: string, params: ModuleParams]>([
      [
        'no schedule changes the container',
        withSchedules({ '/a': file }, { a: scheduled(), b: scheduled() }),
      ],
      ['the only schedule does', withSchedules({ '/a': file }, { a: scheduled(change) })],
      [
        'it has another file',
        withSchedules({ '/a': file }, { a: scheduled(), b: scheduled({ files: both }) }),
      ],
    ])('but not when %s', (_, params) => {
      expect(problemsOf(params)).toEqual([])
    })
  })

  test.each<[rule: string, params: ModuleParams]>([
    [
      'variables of names that are not known yet',
      inFirst({ env: [1, 2].map(() => ({ name: '${values.A}' })) }),
    ],
    ['other variables', inContainer({ variables: { QUARTERMASTER_ARG_A: 'a', QUARTERMASTER_ARG: 'b' } })],
    [
      'resources of nodes',
      inContainer({
        resources: { limits: { 'ephemeral-storage': '1Gi', 'hugepages-2Mi': '4Mi', 'nvidia.com/gpu': '1' } },
      }),
    ],
    ...[
      { limits: { 'a.com/gpu': '2' }, requests: { 'a.com/gpu': '2000m' } },
      { limits: '${values.L}', requests: { 'a.com/gpu': '2' } },
      { limits: { '${values.N}': '2' }, requests: { 'a.com/gpu': '2' } },
      { limits: { 'a.com/gpu': '${values.L}' }, requests: { 'a.com/gpu': '2' } },
      { requests: { 'kubernetes.io/a': '1.5', cpu: '1.5' } },
    ].map((resources): [string, ModuleParams] => [
      `the resources ${JSON.stringify(resources)}`,
      inContainer({ resources }),
    ]),
    ['labels of nodes', inPod({ nodeSelector: { 'example.com/disk': '${values.DISK}', a: '' } })],
    ['a host name that is not known yet', inPod({ hostname: '${values.A}', subdomain: '' })],
    [
      'a Job whose pods are not numbered',
      { ...inSpec({ job: { completions: 10 } }), id: 'a'.repeat(53), profile: 'humanitec/default-job' },
    ],
    [
      'an Indexed Job whose host names fit',
      { ...inSpec(indexed(10)), id: 'a'.repeat(52), profile: 'humanitec/default-job' },
    ],
    [
      'a time without progress that is not known yet',
      { ...inSpec({ deployment: { minReadySeconds: 700 } }), deploy: { timeout: '${values.T}' } },
    ],
    ...[
      'Etc/UTC',
      'UTC',
      'EST',
      'EST5EDT',
      'W-SU',
      'GMT+0',
      'Asia/Calcutta',
      'Asia/Kolkata',
      'Europe/Isle_of_Man',
    ].map((timeZone): [string, ModuleParams] => [
      `the time zone ${timeZone}`,
      { ...inSpec({ ...daily, cronjob: { timeZone } }), profile: 'humanitec/default-cronjob' },
    ]),
    [
      'a resolver with an unknown server',
      inPod({ dnsPolicy: 'None', dnsConfig: { nameservers: '${values.D}' } }),
    ],
    ['settings that are not known yet', inPod({ dnsPolicy: 'None', dnsConfig: '${values.D}' })],
    ['an empty priority class', inPod({ priorityClassName: '' })],
    ['classes of pods', inPod({ priorityClassName: 'high', runtimeClassName: 'g.visor' })],
    [
      'classes that are not known yet',
      inPod({ priorityClassName: '${values.A}', runtimeClassName: '${values.B}' }),
    ],
    [
      'the seccomp profile of the runtime, or one that is not known yet',
      inContainer(
        { security_context: { seccompProfile: { type: 'RuntimeDefault' } } },
        { pod: { securityContext: { seccompProfile: { type: '${values.A}', localhostProfile: 'a' } } } },
      ),
    ],
    [
      'a file of a seccomp profile that is not known yet',
      inPod({ securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: '/${values.A}' } } }),
    ],
    ['a resolver with servers', inPod({ dnsPolicy: 'None', dnsConfig: { nameservers: ['10.0.0.1'] } })],
    ["the id 'default' with an account", { ...inSpec({ serviceAccountName: 'robot' }), id: 'default' }],
    ['an id that begins with a digit, without a Service', { ...inContainer({}), id: '1a' }],
    [
      'protocols of applications',
      inSpec({
        service: {
          type: 'NodePort',
          ports: {
            a: { service_port: 1, app_protocol: 'kubernetes.io/h2c' },
            b: { service_port: 2, app_protocol: '${values.A}' },
          },
        },
      }),
    ],
    [
      'one port for two protocols',
      inSpec({
        service: { ports: { a: { service_port: 53, protocol: 'UDP' }, b: { service_port: 53 } } },
      }),
    ],
    [
      'ports that are not known yet',
      inContainer(
        { ports: { a: { container_port: '${values.A}' }, b: { container_port: '${values.B}' } } },
        { service: { ports: { a: { service_port: '${values.A}' }, b: { service_port: '${values.B}' } } } },
      ),
    ],
    [
      'a probe that is not known yet',
      inContainer({ liveness_probe: { type: '${values.A}', host: 'a' }, startup_probe: '${values.B}' }),
    ],
    ['a name that is not known yet', inFirst({ name: '${values.A}', image: '${values.A}' })],
    ['an id of a container that is not known yet', inContainer({ id: '${values.A}' })],
    [
      'a path or a content that is not known yet',
      inContainer({
        files: { '/a': { binary_value: '${values.A}' } },
        volume_mounts: { '/b': { id: '${values.A}', sub_path: '/${values.A}' } },
      }),
    ],
    [
      'a ServiceAccount that is not known yet',
      inSpec({ serviceAccountName: '${values.A}', labels: { a: '${values.A}' } }),
    ],
    [
      'a mount of a volume whose name is not known yet',
      inContainer(
        { volume_mounts: { '/a': { id: 'data' } } },
        { volumes: { '${values.A}': { emptyDir: {} }, other: { emptyDir: {} } } },
      ),
    ],
    ['a volume that is not known yet', inSpec({ volumes: { data: '${values.A}' } })],
    [
      'a Service whose name resolves to its pods',
      inSpec({ service: { headless: true, type: 'ClusterIP', ports: { http: { service_port: 80 } } } }),
    ],
    [
      'several successes of a readiness probe',
      inContainer({ readiness_probe: { type: 'tcp', port: 80, successThreshold: 2 } }),
    ],
    [
      'a schedule and a time zone that are not known yet',
      {
        ...inSpec({
          schedules: {
            daily: { schedule: '${values.A}', containers: { '${values.B}': {} } },
            '${values.C}': { schedule: 'never' },
          },
          cronjob: { timeZone: '${values.A}' },
        }),
        profile: 'humanitec/default-cronjob',
      },
    ],
    [
      'ended Jobs of a CronJob that are deleted',
      { ...inSpec({ ...daily, job: { ttlSecondsAfterFinished: 1 } }), profile: 'humanitec/default-cronjob' },
    ],
    ...[
      { storage: '${values.A}', storage_class: '${values.A}', access_modes: ['${values.A}'] },
      { storage: '1Gi', storage_class: 'fast', access_modes: ['ReadWriteOncePod'] },
      { storage: '1Gi', access_modes: ['ReadWriteOncePod', '${values.A}'] },
    ].map((claim): [string, ModuleParams] => [
      `the volume claim ${JSON.stringify(claim)}`,
      {
        ...inSpec({ statefulset: { volume_claims: { data: claim } } }),
        profile: 'humanitec/default-stateful',
      },
    ]),
    ...[
      {
        ...inSpec({ deployment: { minReadySeconds: 700, progressDeadlineSeconds: 701 } }),
        deploy: { timeout: 1 },
      },
      { ...inSpec({ deployment: { minReadySeconds: 700 } }), deploy: { timeout: 701 } },
      {
        ...inSpec({ deployment: { minReadySeconds: 700, progressDeadlineSeconds: '${values.A}' } }),
        deploy: { timeout: 1 },
      },
    ].map((params): [string, ModuleParams] => [
      `pods that need less time than the rollout: ${JSON.stringify([params.spec, params.deploy])}`,
      params,
    ]),
    [
      'headers of a probe that sends none',
      inContainer({ liveness_probe: { type: 'tcp', port: 80, headers: { 'a.b': 'c' } } }),
    ],
    ['seconds that Kubernetes does not wrap', inPod({ terminationGracePeriodSeconds: 2 ** 31 })],
    [
      'seconds of a Job that Kubernetes does not wrap',
      { ...inSpec({ job: { activeDeadlineSeconds: 2 ** 40 } }), profile: 'humanitec/default-job' },
    ],
    [
      'seconds of a CronJob that Kubernetes does not wrap',
      {
        ...inSpec({ ...daily, cronjob: { startingDeadlineSeconds: 9_999_999_999 } }),
        profile: 'humanitec/default-cronjob',
      },
    ],
    [
      'seconds of a probe that Kubernetes does not wrap',
      inContainer({ liveness_probe: { type: 'tcp', port: 80, terminationGracePeriodSeconds: 2 ** 31 } }),
    ],
    [
      'a number of pods that is not known yet',
      { ...inSpec(indexed('${values.N}')), id: 'a'.repeat(54), profile: 'humanitec/default-job' },
    ],
  ])('but not %s', (_, params) => {
    expect(problemsOf(params)).toEqual([])
  })
})

describe('a problem of what a schedule changes in a container names its field', () => {
  test.each<[rule: string, changes: object, at: string, text: RegExp]>([
    ['an image', { image: 'API 1' }, '/image', /is not the name of an image/],
    ['a variable', { variables: { 'A=': 'b' } }, '/variables/A=', /cannot be the name of a variable/],
    ['a path', { files: { 'etc/a': { value: 'a' } } }, '/files/etc~1a', /absolute path/],
    ['a quantity', { resources: { limits: { cpu: 'much' } } }, '/resources/limits/cpu', /is not a quantity/],
    ['a probe', { startup_probe: { type: 'tcp' } }, '/startup_probe', /has no 'port'/],
    ['a volume', { volume_mounts: { '/a': { id: 'dta' } } }, '/volume_mounts/~1a/id', /did you mean 'data'/],
  ])('%s', (_, changes, at, text) => {
    const schedules = { daily: { schedule: '@daily', containers: { main: changes } } }
    const params = inSpec({ volumes: { data: { emptyDir: {} } }, schedules })
    const [problem, ...more] = problemsOf({ ...params, profile: 'humanitec/default-cronjob' })
    expect(more).toEqual([])
    expect(problem).toMatch(text)
    expect(problem).toContain(`'/spec/schedules/daily/containers/main${at}'`)
  })
})

describe('what the Pod Security level baseline forbids is a problem', () => {
  const foreign = { httpGet: { host: '169.254.169.254', port: 80 } }
  test.each<[rule: string, params: ModuleParams, at: string]>([
    [
      'a port of the node',
      inFirst({ ports: [{ containerPort: 80, hostPort: 80 }] }),
      '/pod/initContainers/0/ports/0/hostPort',
    ],
    [
      'a probe of another address',
      inFirst({ livenessProbe: { tcpSocket: { host: '10.0.0.1', port: 22 } } }),
      '/pod/initContainers/0/livenessProbe/tcpSocket/host',
    ],
    [
      'a handler of another address',
      inContainer({ lifecycle: { postStart: foreign } }),
      '/containers/main/lifecycle/postStart/httpGet/host',
    ],
    [
      'a handler of another address, in an init container',
      inFirst({ lifecycle: { preStop: foreign } }),
      '/pod/initContainers/0/lifecycle/preStop/httpGet/host',
    ],
    [
      'a handler of another address, in a schedule',
      {
        ...inSpec({
          schedules: { a: { schedule: '@daily', containers: { main: { lifecycle: { preStop: foreign } } } } },
        }),
        profile: 'humanitec/default-cronjob',
      },
      '/schedules/a/containers/main/lifecycle/preStop/httpGet/host',
    ],
    [
      'no seccomp profile',
      inPod({ securityContext: { seccompProfile: { type: 'Unconfined' } } }),
      '/pod/securityContext/seccompProfile/type',
    ],
    [
      'no seccomp profile of a container',
      inContainer({ security_context: { seccompProfile: { type: 'Unconfined' } } }),
      '/containers/main/security_context/seccompProfile/type',
    ],
    [
      'an SELinux type',
      inPod({ securityContext: { seLinuxOptions: { type: 'spc_t' } } }),
      '/pod/securityContext/seLinuxOptions/type',
    ],
    [
      'an SELinux user',
      inFirst({ securityContext: { seLinuxOptions: { user: 'system_u' } } }),
      '/pod/initContainers/0/securityContext/seLinuxOptions/user',
    ],
    [
      'a kernel parameter of the node',
      inPod({ securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }),
      '/pod/securityContext/sysctls/0/name',
    ],
    [
      'no AppArmor profile',
      inPod({ annotations: { [appArmor]: 'unconfined' } }),
      `/pod/annotations/${appArmor.replace('/', '~1')}`,
    ],
  ])('%s', (_, params, at) => {
    expect(problemsOf(params)).toEqual([expect.stringContaining(`'/spec${at}': `)])
  })

  test.each<[rule: string, params: ModuleParams]>([
    ['a port of the container', inFirst({ ports: [{ containerPort: 80, hostPort: 0 }] })],
    ['a probe of the pod', inFirst({ livenessProbe: { httpGet: { host: '', port: 80 } } })],
    ['a handler of the pod', inContainer({ lifecycle: { preStop: { httpGet: { port: 80 } } } })],
    [
      'a part that is not known yet',
      inFirst({ ports: [{ hostPort: '${values.PORT}' }], lifecycle: '${values.A}' }),
    ],
    [
      'a seccomp profile',
      inPod({ securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'a.json' } } }),
    ],
    [
      'SELinux options of containers',
      inContainer({ security_context: { seLinuxOptions: { type: 'container_init_t', level: 's0:c1,c2' } } }),
    ],
    [
      'a kernel parameter of the pod',
      inPod({ securityContext: { sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] } }),
    ],
    ['an AppArmor profile', inPod({ annotations: { [appArmor]: 'localhost/main' } })],
  ])('but not %s', (_, params) => {
    expect(problemsOf(params)).toEqual([])
  })
})

describe('an entry that is null is a problem at its place', () => {
  test.each<[entry: string, params: ModuleParams, at: string]>([
    ['a container', { spec: { containers: { main: { image: 'a' }, side: null } } }, '/spec/containers/side'],
    ['a port of the Service', inSpec({ service: { ports: { http: null } } }), '/spec/service/ports/http'],
    ['a file', inContainer({ files: { '/a': null } }), '/spec/containers/main/files/~1a'],
    ['a mount', inContainer({ volume_mounts: { '/a': null } }), '/spec/containers/main/volume_mounts/~1a'],
    ['a port', inContainer({ ports: { http: null } }), '/spec/containers/main/ports/http'],
    ['a variable', inContainer({ variables: { A: null } }), '/spec/containers/main/variables/A'],
    ['a word', inContainer({ args: ['-a', null] }), '/spec/containers/main/args/1'],
    ['a volume', inSpec({ volumes: { data: null } }), '/spec/volumes/data'],
    ['an init container', inSpec({ pod: { initContainers: [null] } }), '/spec/pod/initContainers/0'],
    [
      'a variable of an init container',
      inSpec({ pod: { initContainers: [{ name: 'first', image: 'a', env: [null] }] } }),
      '/spec/pod/initContainers/0/env/0',
    ],
    [
      'a schedule',
      { ...inSpec({ schedules: { daily: null } }), profile: 'humanitec/default-cronjob' },
      '/spec/schedules/daily',
    ],
    [
      'a volume claim',
      {
        ...inSpec({ statefulset: { volume_claims: { data: null } } }),
        profile: 'humanitec/default-stateful',
      },
      '/spec/statefulset/volume_claims/data',
    ],
  ])('%s', (_, params, at) => {
    expect(problemsOf(params)).toEqual([`'${at}': is null: give it a value, or remove it`])
  })

  test('but a field of a module that is null is absent', () => {
    expect(problemsOf(inContainer({ variables: null, command: null, liveness_probe: null }))).toEqual([])
    expect(problemsOf({ spec: { containers: { main: { image: null } } } })).toEqual([])
  })

  test.each<[rule: string, container: object, problem: RegExp]>([
    ['the port of a probe', { liveness_probe: { type: 'tcp', port: null } }, /has no 'port'/],
    ['the content of a file', { files: { '/a': { value: null } } }, /has neither 'value' nor 'binary_value'/],
  ])('and %s is needed', (_, container, problem) => {
    expect(problemsOf(inContainer(container))).toEqual([expect.stringMatching(problem)])
  })
})

describe('a placeholder fits everywhere until its value is known', () => {
  test.each<[rule: string, params: ModuleParams]>([
    ['a number', inSpec({ replicas: '${values.REPLICAS}' })],
    ['an image', inContainer({ image: '${values.REGISTRY}/api' })],
    ['a port that a probe needs', inContainer({ liveness_probe: { type: 'http', port: '${values.PORT}' } })],
    [
      'a command that a probe needs',
      inContainer({ startup_probe: { type: 'command', command: '${values.C}' } }),
    ],
    ['a path', inContainer({ files: { '/etc/${context.env.id}': { value: 'a' } } })],
    ['an object', inContainer({ volume_mounts: { '/a': '${externals.data}' } })],
    ['a boolean', inSpec({ service: { headless: '${values.HEADLESS}', ports: { a: { service_port: 1 } } } })],
  ])('%s', (_, params) => {
    expect(problemsOf(params)).toEqual([])
  })
})

test.each<[rule: string, params: ModuleParams]>([
  ['without containers, of any form', { spec: { ingress: { rules: {} } } }],
  ...[
    ['700m', '0.7'],
    ['0.1m', '1e-4'],
    ['300000u', '300m'],
    ['1100', '1.1k'],
  ].map(([cpu, limit]): [string, ModuleParams] => [
    `whose request ${cpu} is the limit ${limit} in another form`,
    inContainer({ resources: { requests: { cpu }, limits: { cpu: limit } } }),
  ]),
  ['with containers that have no images yet', { spec: { containers: { main: { variables: { A: 'b' } } } } }],
])('a module %s has no problem', (_, params) => {
  expect(problemsOf(params)).toEqual([])
})

test('a module with many problems has the first twenty', () => {
  const fields = Object.fromEntries([...Array(30).keys()].map((i) => [`field${i}`, 1]))
  expect(problemsOf(inSpec(fields))).toHaveLength(20)
})

describe('a value of another type is read as its field has it', () => {
  test.each<[rule: string, spec: FreeForm, expected: FreeForm]>([
    ['a number as a text', { replicas: '3' }, { replicas: 3 }],
    [
      'a truth as a text',
      { pod: { shareProcessNamespace: 'true', enableServiceLinks: 'false' } },
      { pod: { shareProcessNamespace: true, enableServiceLinks: false } },
    ],
    ['a text as a number or a truth', { labels: { a: 1, b: true } }, { labels: { a: '1', b: 'true' } }],
    [
      'a text of a container as any value',
      { containers: { main: { variables: { A: { b: [1] } }, args: [2] } } },
      { containers: { main: { variables: { A: '{"b":[1]}' }, args: ['2'] } } },
    ],
  ])('%s', (_, spec, expected) => {
    expect(readModule({ id: 'api', spec }, vendors)).toMatchObject({ module: expected, problems: [] })
  })
})

test('a valid module has no problems, and any data gives a result', () => {
  fc.assert(
    fc.property(validModules, (params) => expect(problemsOf(params)).toEqual([])),
    { numRuns: casesOf(300) },
  )
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (spec, container) => {
      expect(readModule({ id: 'api', spec }, vendors).problems.length).toBeLessThanOrEqual(20)
      problemsOf({ spec: { containers: { main: container, other: { image: 'a' } } } })
    }),
    { numRuns: casesOf(1000) },
  )
})
