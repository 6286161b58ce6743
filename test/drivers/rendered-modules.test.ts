import { expect, test } from '@jest/globals'
import type { FreeForm } from '../../operator/api/schema.ts'
import type { Driver, Outputs, Provisioned, ProvisionRequest } from '../../operator/drivers/driver.ts'
import { withRenderedModules } from '../../operator/drivers/workload/rendered-modules.ts'
import { driver } from '../support/builders.ts'
import { moduleSettings, provisionRequest } from './support/contract.ts'

const params = {
  id: 'api',
  profile: 'quartermaster/default-module',
  spec: { containers: { main: { image: 'nginx' } } },
}
const update = [{ op: 'add', path: '/spec/labels', value: { team: 'a' } }]
const plain = (values: FreeForm): Outputs => ({ values, secrets: {} })

/** What a workload, or another resource, consists of whose driver answers this. */
async function provision(
  answer: Partial<Provisioned>,
  values: FreeForm = {},
  changes: Partial<ProvisionRequest> = {},
) {
  const answering: Driver = {
    descriptor: driver('answering'),
    provision: async () => ({ outputs: plain({}), objects: [], ...answer }),
    async deprovision() {},
  }
  const request = provisionRequest('workload', { params, values, ...changes })
  return withRenderedModules(answering, moduleSettings).provision(request)
}

test.each<[rule: string, outputs: Outputs, kinds: readonly string[]]>([
  ['with an update it is rendered', plain({ update }), ['ServiceAccount', 'Deployment']],
  ['without an update it consists of the objects of the driver', plain({ other: 1 }), []],
])('a module: %s', async (_, outputs, kinds) => {
  const { objects } = await provision({ outputs })
  expect(objects.map(({ kind }) => kind)).toEqual(kinds)
})

test('only the params of a workload are a module', async () => {
  const answer = { outputs: { values: { update, manifests: [] }, secrets: { update } } }
  expect(await provision(answer, {}, { type: 's3' })).toMatchObject({ ...answer, objects: [] })
  const { objects } = await provision({ outputs: plain({ update }) }, {}, { type: 'acme/workload' })
  expect(objects).toHaveLength(2)
})

test('an update that does not apply is a problem of the module', async () => {
  const outputs = plain({ update: [{ op: 'replace', path: '/spec/none', value: 1 }] })
  await expect(provision({ outputs })).rejects.toMatchObject({ reason: 'InvalidModule' })
})

const sidecar = { name: 'agent', image: 'agent:1' }
const manifests = [
  { location: 'containers', data: sidecar },
  { location: 'volumes', data: { name: 'settings', emptyDir: {} } },
]

test.each<[rule: string, outputs: Outputs]>([
  ['beside an update', plain({ update, manifests })],
  ['without an update, which could only be lost', plain({ manifests })],
  ['with an update that is null', plain({ update: null, manifests })],
])('containers and volumes of the definition are in the pods: %s', async (_, outputs) => {
  const { objects } = await provision({ outputs })
  expect(objects.find(({ kind }) => kind === 'Deployment')).toMatchObject({
    spec: {
      template: { spec: { containers: [{ name: 'main' }, sidecar], volumes: [{ name: 'settings' }] } },
    },
  })
})

test('containers of the definition are in the pods when other outputs depend on objects', async () => {
  const outputsFrom = async () => plain({ host: 'a', manifests })
  const made = await provision({ outputs: plain({ manifests }), outputsFrom })
  expect(made.objects.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'Deployment'])
  expect(await made.outputsFrom?.([], {})).toEqual(plain({ host: 'a', manifests }))
  const late = await provision({ outputs: plain({ manifests }), outputsFrom: async () => plain({ update }) })
  await expect(late.outputsFrom?.([], {})).rejects.toMatchObject({ reason: 'InvalidOutputs' })
})

test.each<[what: string, secrets: FreeForm]>([
  ['an update', { update }],
  ['containers', { manifests }],
])('%s with a secret: refused, not left out, which would delete the pods', async (_, secrets) => {
  const outputs = { values: {}, secrets }
  await expect(provision({ outputs })).rejects.toMatchObject({ reason: 'SecretLeak' })
})

test.each<[rule: string, template: FreeForm | string]>([
  ['in a text', 'update: [{op: add, path: /a, value: {{ .objects.a.status.b }}}]'],
  ['in a text, after others', 'host: {{ .objects.a.status.b }}\nupdate: []\n'],
  ['in a map', { update: [{ op: 'add', path: '/a', value: '{{ .objects.a.status.b }}' }] }],
])('an update that depends on objects is refused before they are applied: %s', async (_, outputs) => {
  const late = provision({ outputsFrom: async () => plain({ update }) }, { templates: { outputs } })
  await expect(late).rejects.toMatchObject({ reason: 'InvalidOutputs' })
})

test.each<[rule: string, outputs: FreeForm | string]>([
  ['another output', { 'last-update': '{{ .objects.a.status.b }}' }],
  ['the text of another output', 'strategy: {{ .objects.a.spec.update }}\nnote: "update: none"\n'],
])('late outputs may have the word in %s', async (_, outputs) => {
  const late = provision({ outputsFrom: async () => plain({}) }, { templates: { outputs } })
  await expect(late).resolves.toBeDefined()
})

test.each<[rule: string, outputs: string]>([
  ['that no template mentions', ''],
  ['in JSON', '{"update": [{"op": "add", "path": "/a", "value": "{{ .objects.a.status.b }}"}]}'],
  ['that is indented', '  update: [{op: add, path: /a, value: {{ .objects.a.status.b }}}]'],
  ['after an action', '{{- $b := .objects.a.status.b -}} update: [{op: add, path: /a, value: {{ $b }}}]'],
])('an update %s is refused when it comes, and the pods stay until then', async (_, outputs) => {
  const late = provision({ outputsFrom: async () => plain({ update }) }, { templates: { outputs } })
  const { outputsFrom, keepsEarlier } = await late
  await expect(outputsFrom?.([], {})).rejects.toMatchObject({ reason: 'InvalidOutputs' })
  expect(keepsEarlier).toBe(true)
})

test('a secret update that depends on objects is refused as a plain one', async () => {
  const secret = async (): Promise<Outputs> => ({ values: {}, secrets: { update } })
  const templates = { outputs: { update: [] } }
  const early = provision({ outputsFrom: secret }, {}, { secrets: { templates } })
  await expect(early).rejects.toMatchObject({ reason: 'InvalidOutputs' })
  const { outputsFrom } = await provision({ outputsFrom: secret })
  await expect(outputsFrom?.([], {})).rejects.toMatchObject({ reason: 'InvalidOutputs' })
})
