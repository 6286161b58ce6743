import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { configMap, secretObject, setUpTemplateDriver } from '../support/template-request.ts'

const { provision } = setUpTemplateDriver()

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
    ['a template that is both', { init: 'a: 1' }, { init: 'b: 1' }, 'InvalidInputs'],
  ])('%s', async (_, given, secret, reason) => {
    const result = provision(given, { templates: secret })
    if (reason === undefined) await expect(result).resolves.toBeDefined()
    else await expect(result).rejects.toMatchObject({ reason })
  })
})
