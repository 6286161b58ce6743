import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import {
  configMap,
  cookieInMemory,
  secretObject,
  setUpTemplateDriver,
  templateRequest,
} from '../support/template-request.ts'

const { driver, provision } = setUpTemplateDriver()

const password = 'pass-word-1234'

describe('a secret appears nowhere but in Secrets', () => {
  test('in a Secret it may be, and in secret outputs', async () => {
    const { objects, outputs } = await provision(
      {
        manifests: { s: secretObject({ password: '{{ .driver.secrets.password }}' }) },
        secrets: 'p: {{ .driver.secrets.password }}',
      },
      { password },
    )
    expect(objects).toMatchObject([{ kind: 'Secret', stringData: { password } }])
    expect(outputs.secrets).toEqual({ p: password })
  })

  test.each<[where: string, given: FreeForm]>([
    ['an output', { outputs: 'p: {{ .driver.secrets.password }}' }],
    ['part of an output', { outputs: 'url: https://x:{{ .driver.secrets.password }}@y' }],
    ['the name of an output', { outputs: '{{ .driver.secrets.password }}: 1' }],
    ['an output through init', { init: 'p: {{ .driver.secrets.password }}', outputs: 'p: {{ .init.p }}' }],
    ['in base64', { outputs: 'p: {{ b64enc .driver.secrets.password }}' }],
    ['within base64', { outputs: 'p: {{ printf "user:%s!" .driver.secrets.password | b64enc }}' }],
    ['in a URL', { outputs: 'p: {{ urlquery .driver.secrets.odd }}' }],
    ['a ConfigMap', { manifests: { a: configMap({ p: '{{ .driver.secrets.password }}' }) } }],
    [
      'a container of pods',
      {
        manifests: {
          a: { location: 'containers', data: { name: 'a', p: '{{ .driver.secrets.password }}' } },
        },
      },
    ],
    [
      'a label',
      {
        manifests: {
          a: {
            data: {
              apiVersion: 'v1',
              kind: 'A',
              metadata: { name: 'a', labels: { p: '{{ .driver.secrets.password }}' } },
            },
          },
        },
      },
    ],
    [
      'a Secret of another group',
      {
        manifests: {
          a: {
            data: {
              apiVersion: 'example.com/v1',
              kind: 'Secret',
              metadata: { name: 'a' },
              p: '{{ .driver.secrets.password }}',
            },
          },
        },
      },
    ],
  ])('%s', async (_, given) => {
    const failing = provision(given, { password, odd: 'a b&c/d?e' })
    await expect(failing).rejects.toMatchObject({ reason: 'SecretLeak' })
    await expect(failing).rejects.not.toMatchObject({ message: expect.stringContaining(password) })
  })

  test.each<[rule: string, given: FreeForm, secret: FreeForm, reason: string | undefined]>([
    [
      'a manifest whose text holds a secret makes a Secret',
      {},
      { manifests: { s: secretObject({ p: password }) } },
      undefined,
    ],
    [
      'it moved there from a plain one, beside others',
      {
        manifests: {
          a: configMap({}),
          s: { data: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } } },
        },
      },
      { manifests: { s: { data: { stringData: { p: password } } } } },
      undefined,
    ],
    ['it makes something else', {}, { manifests: { s: configMap({ p: password }) } }, 'SecretLeak'],
    [
      'it makes something else, with others in one text',
      {},
      {
        manifests: `s:\n  data: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {p: ${password}}}`,
      },
      'SecretLeak',
    ],
    [
      'results of such an init are secret',
      { outputs: 'p: {{ .init.p }}' },
      { init: `p: ${password}` },
      'SecretLeak',
    ],
    [
      'results of such a cookie are secret',
      { outputs: 'p: {{ .cookie.p }}' },
      { cookie: `p: ${password}` },
      'SecretLeak',
    ],
    ['a template that is both', { init: 'a: 1' }, { init: 'b: 1' }, 'InvalidInputs'],
  ])('%s', async (_, given, secret, reason) => {
    const result = provision(given, { templates: secret })
    if (reason === undefined) await expect(result).resolves.toBeDefined()
    else await expect(result).rejects.toMatchObject({ reason })
  })
})

test('a cookie of a call before is secret, when its template has a secret now', async () => {
  const templates = { outputs: 'p: {{ .init.earlier }}', init: 'earlier: {{ .cookie.p }}' }
  const request = templateRequest(
    { templates },
    { templates: { cookie: 'p: another-1234' } },
    { cookie: cookieInMemory(JSON.stringify({ p: password })) },
  )
  await expect(driver.provision(request)).rejects.toMatchObject({ reason: 'SecretLeak' })
})

test.each(['init', 'cookie'])(
  'what is beside a secret in the template %s is not secret',
  async (template) => {
    const request = templateRequest(
      { templates: { [template]: { name: 'bucket-1234' }, outputs: `name: {{ .${template}.name }}` } },
      { templates: { [template]: { password } } },
      { cookie: cookieInMemory(JSON.stringify({ name: 'bucket-1234' })) },
    )
    expect((await driver.provision(request)).outputs.values).toEqual({ name: 'bucket-1234' })
  },
)

test('secret outputs keep what is beside a secret placeholder', async () => {
  const { outputs } = await provision(
    { secrets: { connection: { user: 'app', port: '5432' } } },
    { templates: { secrets: { connection: { password } } } },
  )
  expect(outputs.secrets).toEqual({ connection: { user: 'app', port: '5432', password } })
})

describe('a secret of a module appears nowhere but in Secrets', () => {
  const params = {
    id: 'orders',
    spec: {
      containers: {
        main: { image: 'nginx', variables: { URL: `db://orders:${password}@db`, USER: 'orders' } },
      },
    },
  }
  const secretParams = ['/spec/containers/main/variables/URL', '/spec/containers/main/variables/USER']
  const variable = '.resource.spec.containers.main.variables.URL'
  const provisionWorkload = (templates: FreeForm) =>
    driver.provision(templateRequest({ templates }, {}, { type: 'workload', params, secretParams }))

  test.each<[where: string, given: FreeForm]>([
    ['an output', { outputs: `url: '{{ ${variable} }}'` }],
    ['an output in base64', { outputs: `url: {{ b64enc ${variable} }}` }],
    ['an output through init', { init: `a: '{{ ${variable} }}'`, outputs: 'a: {{ .init.a }}' }],
    [
      'a container that an update repeats',
      { outputs: 'update: [{op: add, path: /a, value: {{ toJson .resource.spec.containers.main }}}]' },
    ],
    ['a ConfigMap', { manifests: { a: configMap({ url: `{{ ${variable} }}` }) } }],
  ])('%s', async (_, given) => {
    await expect(provisionWorkload(given)).rejects.toMatchObject({ reason: 'SecretLeak' })
  })

  test('a text that is also the name of the application is not secret', async () => {
    const own = {
      id: 'api',
      spec: { containers: { main: { image: 'nginx', variables: { DB_USER: 'orders' } } } },
    }
    const { objects } = await driver.provision(
      templateRequest(
        { templates: { manifests: { c: configMap({ hello: 'world' }) } } },
        {},
        {
          type: 'workload',
          params: own,
          secretParams: ['/spec/containers/main/variables/DB_USER'],
          namespace: 'acme--orders--dev',
        },
      ),
    )
    expect(objects).toMatchObject([{ kind: 'ConfigMap', data: { hello: 'world' } }])
  })

  test('a Secret may have it, and any object a text that the module has in plain too', async () => {
    const { objects } = await provisionWorkload({
      manifests: {
        s: secretObject({ url: `{{ ${variable} }}` }),
        c: configMap({ user: '{{ .resource.spec.containers.main.variables.USER }}' }),
      },
    })
    expect(objects).toMatchObject([
      { kind: 'Secret', stringData: { url: params.spec.containers.main.variables.URL } },
      { kind: 'ConfigMap', data: { user: 'orders' } },
    ])
  })
})
