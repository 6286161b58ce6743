import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { convertScore, defaultProfile } from '../../../operator/domain/score/convert-score.ts'
import { restoreScore } from '../../../operator/domain/score/restore-score.ts'

const shared = {
  files: { type: 'volume' },
  'db-class-large': { type: 's3', class: 'large', id: 'shared.db' },
}
const moduleOf = (container: FreeForm, more: FreeForm = {}, fields: FreeForm = {}): FreeForm => ({
  profile: defaultProfile,
  spec: { containers: { main: { id: 'main', image: 'web:1', ...container } }, ...more },
  externals: { db: { type: 'postgres' } },
  ...fields,
})
const restored = (module: FreeForm, id = 'web') => restoreScore({ id, module, shared })
const inContainer = (fields: FreeForm) => ({ containers: { main: fields } })

describe('what Score has no field for is in the extension', () => {
  const http = { type: 'http', port: 80, path: '/' }
  test.each<[rule: string, container: FreeForm]>([
    ['a probe over TCP', { liveness_probe: { ...http, type: 'tcp' } }],
    ['a probe without a path', { liveness_probe: { type: 'http', port: 80 } }],
    ['times of a probe', { readiness_probe: { ...http, periodSeconds: 5 } }],
    ['a placeholder in a probe', { readiness_probe: { ...http, path: '/${values.A}' } }],
    ['a port of a probe that is not known yet', { liveness_probe: { ...http, port: '${values.A}' } }],
    ['a probe with a command and a port', { liveness_probe: { type: 'command', command: ['a'], port: 1 } }],
    ['a probe over HTTP with a command', { liveness_probe: { ...http, command: ['a'] } }],
    ['headers of a command', { liveness_probe: { type: 'command', command: ['a'], headers: { a: 'b' } } }],
    ['a third probe', { startup_probe: http }],
    ['a device', { resources: { limits: { 'example.com/gpu': '1' } } }],
    ['a quantity in another form', { resources: { requests: { memory: '1.5Gi' } } }],
    ['a file with two contents', { files: { '/a': { value: 'a', binary_value: 'YQ==' } } }],
    ['a file without content', { files: { '/a': { mode: '0600' } } }],
    ['a file with another field', { files: { '/a': { value: 'a', owner: 1 } } }],
    ['a file that is no map', { files: { '/a': 'text', '/b': { value: 'b' } } }],
    ['a content that is no text', { files: { '/a': { value: 7 } } }],
    ['a text with a placeholder that Score has no name for', { variables: { A: '${context.env.id}' } }],
    ['a text that names a resource that is not there', { variables: { A: '${externals.none.host}' } }],
    [
      'a text that names a resource of another workload',
      { variables: { A: '${modules.api.externals.a.b}' } },
    ],
    ['a text with another form of a placeholder', { variables: { A: "${externals['db'].host}" } }],
    ['a variable that is no text', { variables: { A: { b: 1 }, C: 'd' } }],
    ['a word that is no text', { args: ['a', 1] }],
    ['a word that Score would take for a reference', { args: ['${resources.db.host}'] }],
    ['a word that would hide a reference', { args: ['$${externals.db.host}'] }],
    ['a command that is no list', { command: 'run' }],
    ['a volume without a name', { volume_mounts: { '/a': {} } }],
    ['a mount with another field', { volume_mounts: { '/a': { id: 'externals.db', owner: 1 } } }],
    ['a port of a container', { ports: { http: { container_port: 80 } } }],
  ])('%s', (_, container) => {
    const module = moduleOf(container)
    const { document, extension, omitted } = restored(module) ?? { document: {}, omitted: ['all'] }
    expect([extension?.['spec'], omitted]).toEqual([inContainer(expect.any(Object) as never), []])
    expect(convertScore({ document, extension: extension ?? {} }).module).toEqual(module)
  })

  const port = { service_port: 80, container_port: 8080, protocol: 'TCP' }
  test.each<[rule: string, spec: FreeForm]>([
    ['the type of a Service', { service: { type: 'NodePort', ports: { http: port } } }],
    ['a field of a port', { service: { ports: { http: { ...port, app_protocol: 'http' } } } }],
    ['a port without that of the container', { service: { ports: { http: { service_port: 80 } } } }],
    [
      'a port that is not known yet',
      { service: { ports: { http: { ...port, service_port: '${values.P}' } } } },
    ],
    ['a name of a port that Score does not take', { service: { ports: { h: port } } }],
    ['a protocol that Score does not know', { service: { ports: { http: { ...port, protocol: 'SCTP' } } } }],
    ['a Service without ports', { service: { ports: {} } }],
    ['a key of an annotation that Score does not take', { annotations: { a: 'b' } }],
    ['an annotation with a placeholder of another kind', { annotations: { note: '${context.env.id}' } }],
    ['annotations that are no texts', { annotations: { note: 1 } }],
    ['another field', { replicas: 2, labels: { a: '$x ${values.A}' } }],
  ])('%s', (_, spec) => {
    const module = moduleOf({}, spec)
    const { document, extension, omitted } = restored(module) ?? { document: {}, omitted: ['all'] }
    expect([Object.keys(extension?.['spec'] ?? {}), omitted]).toEqual([Object.keys(spec), []])
    expect(convertScore({ document, extension: extension ?? {} }).module).toEqual(module)
  })
})

describe('a document alone is enough', () => {
  test.each<[rule: string, container: FreeForm]>([
    ['for a file as it is written', { files: { '/a': { value: '$\\{values.A} $\\{b}' } } }],
    ['for a file with references', { files: { '/a': { value: '${externals.db.host}', mode: '0600' } } }],
    [
      'for probes',
      {
        liveness_probe: { type: 'http', port: 80, path: '/' },
        readiness_probe: { type: 'command', command: ['a', '$\\{values.A}'] },
      },
    ],
    ['for a text with a shared value', { variables: { A: '${values.A}', B: '$ $$' } }],
    [
      'for a text with a shared resource',
      { variables: { A: '${shared.files.a}${shared.db-class-large.b}' } },
    ],
    ['for a text with another workload', { variables: { A: '${modules.api.service.name}' } }],
    ['for a volume of a dependency', { volume_mounts: { '/a': { id: 'externals.db', sub_path: 'a' } } }],
    ['for a shared volume', { volume_mounts: { '/a': { id: 'shared.files', read_only: true } } }],
    ['for another volume', { volume_mounts: { '/a': { id: 'data' }, '/b': { id: '${externals.db.a}' } } }],
    [
      'for a text that begins and ends with a reference',
      { files: { '/a': { value: '$\\{values.A}${externals.db.a}' } } },
    ],
    ['for a volume that is named as an output', { volume_mounts: { '/a': { id: 'externals.db.a' } } }],
    ['for words with references', { args: ['${externals.db.host}', '$$'], image: 'web:${values.TAG}' }],
  ])('%s', (_, container) => {
    const module = moduleOf(container, {
      service: { ports: { http: { service_port: 80, container_port: 8080, protocol: 'TCP' } } },
      annotations: { note: '${values.A}' },
    })
    const { document, extension, omitted } = restored(module) ?? { document: {}, omitted: ['all'] }
    expect([extension, omitted]).toEqual([undefined, []])
    expect(convertScore({ document }).module).toEqual(module)
  })

  test('for a module without a profile, dependencies and ids of its containers', () => {
    const found = restored({ spec: { containers: { main: { image: 'web:1' } } } })
    expect(found).toMatchObject({ document: { containers: { main: { image: 'web:1' } } }, omitted: [] })
  })
})

describe('what Score cannot express', () => {
  test.each<[rule: string, externals: FreeForm, omitted: string[]]>([
    ['a name', { Db_1: { type: 'postgres' } }, ['externals.Db_1']],
    ['a type', { db: { type: 'acme/postgres' } }, ['externals.db']],
    ['params', { db: { type: 'postgres', params: { a: ['${context.env.id}'] } } }, ['resources.db.params']],
    [
      'a key of params',
      { db: { type: 'postgres', params: { '${context.env.id}': 1 } } },
      ['resources.db.params'],
    ],
  ])('of a dependency is named: %s', (_, externals, omitted) => {
    expect(restored(moduleOf({}, {}, { externals }))?.omitted).toEqual(omitted)
  })

  test('of a shared dependency is named', () => {
    const variables = { A: '${shared.none.a}' }
    expect(restored(moduleOf({ variables }))?.omitted).toEqual(['shared.none'])
  })

  test.each<[rule: string, module: FreeForm]>([
    ['no containers', { spec: {} }],
    ['a container without an image', moduleOf({ image: undefined })],
    ['a container that is no map', { spec: { containers: { main: { image: 'web:1' }, other: 'text' } } }],
    ['a container with another id', moduleOf({ id: 'other' })],
    ['a container with a short name', { spec: { containers: { a: { image: 'web:1' } } } }],
    ['a spec that is no map', { spec: 'text' }],
    ['an unknown field', moduleOf({}, {}, { other: 1 })],
    [
      'a path in a volume that begins with a slash',
      moduleOf({ volume_mounts: { '/a': { id: 'd', sub_path: '/b' } } }),
    ],
  ])('has no document: %s', (_, module) => {
    expect(restored(module)).toBeUndefined()
  })

  test('has no document: a workload with a short id', () => {
    expect(restored(moduleOf({}), 'a')).toBeUndefined()
  })
})
