import { describe, expect, test } from '@jest/globals'
import type { KubeObject } from '../../../operator/api/kind.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { problemsOfInputs } from '../../../operator/domain/definition/definition.ts'
import { renderTemplates } from '../../../operator/drivers/rendering.ts'
import { templateDescriptor } from '../../../operator/drivers/template/descriptor.ts'
import { type Templates, TemplatesFailed } from '../../../operator/templates/templates.ts'
import {
  configMap,
  cookieInMemory,
  setUpTemplateDriver,
  templateRequest,
} from '../support/template-request.ts'

const { driver, provision } = setUpTemplateDriver()

const password = 'pass-word-1234'

describe('outputs', () => {
  test.each<[rule: string, given: FreeForm, expected: FreeForm]>([
    ['none', {}, {}],
    [
      'of a text',
      { outputs: 'name: {{ .id | trunc 4 | quote }}\nsize: {{ .resource.size }}' },
      { name: '0123', size: 3 },
    ],
    ['of a map of texts', { outputs: { name: '{{ .driver.values.name }}' } }, { name: 'shop' }],
    ['blank templates are none', { init: '', cookie: '', manifests: '', outputs: ' ' }, {}],
    [
      'with the results of init',
      { init: 'name: db-{{ .type }}', outputs: 'name: {{ .init.name }}' },
      { name: 'db-postgres' },
    ],
    [
      'with the namespace and the class',
      { outputs: 'at: {{ .namespace }}/{{ .class }}' },
      { at: 'acme--shop--dev/default' },
    ],
  ])('%s', async (_, given, expected) => {
    expect((await provision(given, {}, { name: 'shop' })).outputs).toEqual({ values: expected, secrets: {} })
  })

  test('secret ones are from values.templates.secrets and secrets.templates.outputs, and can use the others', async () => {
    const given = {
      outputs: 'host: db',
      secrets: 'url: postgres://{{ .driver.secrets.password }}@{{ .outputs.values.host }}',
    }
    const { outputs } = await provision(given, {
      password,
      templates: { outputs: { password: '{{ .driver.secrets.password }}' } },
    })
    expect(outputs).toEqual({
      values: { host: 'db' },
      secrets: { url: `postgres://${password}@db`, password },
    })
  })
})

describe('the cookie', () => {
  const given = {
    init: 'password: {{ dig "password" (randAlphaNum 16) (.cookie | default dict) | quote }}',
    cookie: 'password: {{ .init.password | quote }}',
    secrets: 'password: {{ .cookie.password | quote }}',
  }

  test('keeps random values', async () => {
    const cookie = cookieInMemory()
    const request = () => templateRequest({ templates: given }, {}, { cookie })
    const first = await driver.provision(request())
    expect(first.outputs.secrets.password).toMatch(/^[a-zA-Z0-9]{16}$/)
    expect(cookie.text).toBe(JSON.stringify({ password: first.outputs.secrets.password }))
    const { text } = cookie
    cookie.write = () => Promise.reject(new Error('no change to write'))
    expect(await driver.provision(request())).toEqual(first)
    expect(cookie.text).toBe(text)
  })

  test.each([
    ['another driver left it', 'not json'],
    ['it is missing', undefined],
  ])('is nothing when %s', async (_, text) => {
    const cookie = cookieInMemory(text)
    const { outputs } = await driver.provision(
      templateRequest({ templates: { outputs: 'cookie: {{ .cookie | default "none" }}' } }, {}, { cookie }),
    )
    expect(outputs.values).toEqual({ cookie: 'none' })
    expect(cookie.text).toBe(text)
  })

  test('is not changed when something else fails', async () => {
    const cookie = cookieInMemory()
    const broken = { ...given, manifests: { a: { data: 'kind: ConfigMap' } } }
    await expect(
      driver.provision(templateRequest({ templates: broken }, {}, { cookie })),
    ).rejects.toMatchObject({
      reason: 'InvalidManifest',
    })
    expect(cookie.text).toBeUndefined()
  })
})

describe('manifests', () => {
  const meta = { name: 'settings', namespace: 'acme--shop--dev' }

  test.each<[rule: string, manifests: unknown, expected: readonly object[]]>([
    [
      'of a text',
      'a.yaml:\n  location: namespace\n  data:\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: "{{ .id | trunc 4 }}"}',
      [{ metadata: { name: '0123', namespace: 'acme--shop--dev' } }],
    ],
    [
      'data as YAML in a text',
      { a: { data: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .type }}' } },
      [{ metadata: { name: 'postgres', namespace: 'acme--shop--dev' } }],
    ],
    [
      'several documents',
      {
        a: {
          data: 'apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\napiVersion: v1\nkind: B\nmetadata: {name: b}\n',
        },
      },
      [{ kind: 'A' }, { kind: 'B' }],
    ],
    [
      'numbers where texts belong',
      { a: configMap({ port: '{{ .resource.size }}' }) },
      [{ data: { port: '3' } }],
    ],
    [
      'an empty namespace is absent',
      { a: { data: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', namespace: '' } } } },
      [{ metadata: { name: 'a', namespace: 'acme--shop--dev' } }],
    ],
    [
      'a namespace that is given',
      { a: { data: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', namespace: 'other' } } } },
      [{ metadata: { name: 'a', namespace: 'other' } }],
    ],
    [
      'of the cluster',
      { a: { location: 'cluster', data: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } } } },
      [{ metadata: { name: 'a' } }],
    ],
    [
      'nothing rendered',
      { a: { data: '{{ if false }}x{{ end }}' }, b: null, c: configMap({}) },
      [{ metadata: meta }],
    ],
    ['a list', [configMap({})], [{ metadata: meta }]],
    [
      'seen by outputs before',
      { a: configMap({ host: '{{ .outputs.values.host }}' }) },
      [{ data: { host: 'db' } }],
    ],
  ])('%s', async (_, manifests, expected) => {
    const { objects } = await provision({ manifests, outputs: 'host: db' })
    expect(objects).toMatchObject(expected)
    expect(objects).toHaveLength(expected.length)
    for (const { metadata } of objects)
      if (metadata.name === 'a' && expected.length === 1)
        expect({ metadata }).toEqual({ metadata: (expected[0] as KubeObject).metadata })
  })

  test.each<[rule: string, manifests: unknown]>([
    ['no apiVersion', { a: { data: { kind: 'ConfigMap', metadata: { name: 'a' } } } }],
    ['no kind', { a: { data: { apiVersion: 'v1', metadata: { name: 'a' } } } }],
    ['no name', { a: { data: { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} } } }],
    [
      'a namespace that is no text',
      { a: { data: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', namespace: 7 } } } },
    ],
    ['no metadata', { a: { data: { apiVersion: 'v1', kind: 'ConfigMap' } } }],
    ['a text', { a: { data: ['x'] } }],
    ['an unknown location', { a: { ...configMap({}), location: 'moon' } }],
    ['the same object twice', { a: configMap({}), b: configMap({}) }],
    ['no map', 'just text'],
    [
      'more than a hundred',
      Array.from({ length: 101 }, (_, i) => ({
        data: { apiVersion: 'v1', kind: 'A', metadata: { name: `n${i}` } },
      })),
    ],
  ])('refused: %s', async (_, manifests) => {
    await expect(provision({ manifests })).rejects.toMatchObject({ reason: 'InvalidManifest' })
  })
})

/** The error of a call; a machine that is busy with other work lets templates wait. */
async function refusalOf(given: FreeForm): Promise<unknown> {
  for (;;) {
    const answer: unknown = await provision(given).catch((error: unknown) => error)
    if ((answer as { reason?: unknown }).reason !== 'TemplatesBusy') return answer
  }
}

test.each([
  ['NotYet', 'OutputsNotReady'],
  ['Busy', 'TemplatesBusy'],
] as const)('templates that are %s are rendered later: %s', async (why, reason) => {
  const templates = {
    render: () => Promise.reject(new TemplatesFailed(why, 'not now')),
  } as unknown as Templates // it renders only
  const call = renderTemplates(templates, [], {}, templateRequest({}))
  await expect(call).rejects.toMatchObject({ reason, retryAfterSeconds: 5 })
})

describe('errors that need a person', () => {
  test.each<[rule: string, given: FreeForm, reason: string]>([
    ['a template that fails', { outputs: '{{ fail "no" }}' }, 'InvalidTemplate'],
    [
      'a template that does not end',
      { outputs: '{{ range 50000 }}{{ range 50000 }}{{ end }}{{ end }}' },
      'TemplateTooSlow',
    ],
    [
      'a template that takes all memory',
      { init: '{{ $l := list }}{{ range until 100000 }}{{ $l = append $l (until 100000) }}{{ end }}' },
      'TemplateTooLarge',
    ],
    ['outputs that are no map', { outputs: 'text' }, 'InvalidOutputs'],
    ['a cookie that is too long', { cookie: 'a: {{ repeat 70000 "x" }}' }, 'InvalidCookie'],
  ])('%s', async (_, given, reason) => {
    expect(await refusalOf(given)).toMatchObject({ reason })
  })

  test.each<[rule: string, values: FreeForm, faults: number]>([
    ['a template that can be read', { templates: { outputs: 'a: {{ .id }}' } }, 0],
    [
      'placeholders in actions',
      { templates: { outputs: { a: '{{ add ${resources.dns.outputs.port} 1 }}' } } },
      0,
    ],
    ['an action without end', { templates: { outputs: 'a: {{ .id' } }, 1],
    ['an if without end', { templates: { manifests: { a: { data: '{{ if .id }}' } } } }, 1],
    ['too long a template', { templates: { init: `{{ "${'x'.repeat(300_000)}" }}` } }, 1],
    ['too deep a template', { templates: { init: `{{ ${'('.repeat(50_000)} }}` } }, 1],
    [
      'the name of an observed object',
      { templates: {}, observed: { a: { apiVersion: 'v1', kind: 'A', name: '{{' } } },
      1,
    ],
  ])('is found when the definition is made: %s', (_, values, faults) => {
    expect(templateDescriptor.check?.({ values, secrets: {} }, 0).problems).toHaveLength(faults)
  })

  test.each<[rule: string, values: FreeForm, faults: number]>([
    ['templates and values of any kind', { templates: { outputs: 'a: 1', manifests: {} }, any: [1] }, 0],
    ['no templates', {}, 0],
    ['a template that is a number', { templates: { outputs: 7 } }, 1],
    [
      'an observed object without a name',
      { templates: {}, observed: { a: { apiVersion: 'v1', kind: 'A' } } },
      1,
    ],
  ])('inputs: %s', (_, values, faults) => {
    expect(problemsOfInputs(templateDescriptor, { values, secrets: {} })).toHaveLength(faults)
  })
})

test('deprovision has nothing to do', async () => {
  const { guResId, context, type, class: resourceClass, resourceId, signal } = templateRequest({})
  await driver.deprovision({ guResId, context, type, class: resourceClass, resourceId, signal, identity: {} })
})
