import { describe, expect, test } from '@jest/globals'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { secretObject, setUpTemplateDriver } from '../support/template-request.ts'

const { provision } = setUpTemplateDriver()

const password = 'pass-word-1234'

describe('outputs that are read from objects', () => {
  const database = {
    apiVersion: 'example.com/v1',
    kind: 'Database',
    metadata: { name: 'db', namespace: 'x' },
  }
  const given = {
    manifests: {
      db: { data: { apiVersion: 'example.com/v1', kind: 'Database', metadata: { name: 'db' } } },
      login: secretObject({ a: 'b' }),
    },
    init: 'port: 5432',
    outputs:
      'host: {{ await .objects.db "status.host" }}\nport: {{ .init.port }}\nlogin: {{ .objects.login.data | default "hidden" }}\nseen: {{ .observed.made | default "hidden" }}',
    secrets:
      'password: {{ await .observed.made "data.password" }}\na: {{ .objects.login.data.a }}\nhost: {{ .outputs.values.host }}',
  }
  const others = { observed: { made: { apiVersion: 'v1', kind: 'Secret', name: '{{ .type }}-made' } } }
  const live = [
    { ...database, status: { host: 'db.example' } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, data: { a: 'Yg==' } },
  ]
  const made = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'made' },
    data: { password: Buffer.from(password).toString('base64') },
  }

  test('are asked for after the objects were applied; Secrets only secret ones see', async () => {
    const { observed, outputsFrom } = await provision(given, {}, others)
    expect(observed).toEqual({ made: { apiVersion: 'v1', kind: 'Secret', name: 'postgres-made' } })
    expect(await outputsFrom?.(live, { made })).toEqual({
      values: { host: 'db.example', port: 5432, login: 'hidden', seen: 'hidden' },
      secrets: { password, a: 'b', host: 'db.example' },
    })
  })

  test('show of a Secret its name alone: its annotations may repeat its content', async () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': password }
    const known = { name: 'login', namespace: 'x', uid: 'u' }
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { ...known, annotations } }
    const { outputsFrom } = await provision({
      manifests: { login: secretObject({ a: 'b' }) },
      outputs: 'seen: {{ toJson .objects.login | quote }}',
    })
    const { values } = (await outputsFrom?.([secret], {})) ?? {}
    expect(JSON.parse(String(values?.['seen']))).toEqual({ ...secret, metadata: known })
  })

  test('show only the values of a Secret that are text: others would be changed', async () => {
    const store = { ...made, data: { ...made.data, keystore: Buffer.from([0xfe, 0xed]).toString('base64') } }
    const { outputsFrom } = await provision(
      { secrets: 'keys: {{ keys .observed.made.data | toJson }}' },
      {},
      others,
    )
    expect((await outputsFrom?.([], { made: store }))?.secrets).toEqual({ keys: ['password'] })
  })

  test('the parts of pods are known before: a workload is rendered with them', async () => {
    const data = { name: 'agent', image: 'agent:1' }
    const { manifests } = given
    const { outputs } = await provision(
      { ...given, manifests: { ...manifests, agent: { location: 'containers', data } } },
      {},
      others,
    )
    expect(outputs).toEqual({ values: { manifests: [{ location: 'containers', data }] }, secrets: {} })
  })

  test.each<[rule: string, objects: readonly KubeObject[], found: KubeObject | undefined, message: RegExp]>([
    [
      'an object that says nothing yet',
      [database, ...live.slice(1)],
      made,
      /^waiting for 'status.host' of Database 'db'$/,
    ],
    ['an object that is not there', live, undefined, /not there yet: Secret 'postgres-made'$/],
  ])('wait for %s', async (_, objects, found, message) => {
    const { outputsFrom } = await provision(given, {}, others)
    await expect(outputsFrom?.(objects, { made: found })).rejects.toMatchObject({
      reason: 'OutputsNotReady',
      retryAfterSeconds: 5,
      message: expect.stringMatching(message),
    })
  })

  test('no others are asked for', async () => {
    expect((await provision({ outputs: 'a: 1' }, {}, others)).outputsFrom).toBeUndefined()
  })

  test('a leak is refused here too', async () => {
    const leaking = { outputs: 'p: {{ .driver.secrets.password }}\no: {{ .objects | len }}' }
    const { outputsFrom } = await provision(leaking, { password })
    await expect(outputsFrom?.([], {})).rejects.toMatchObject({ reason: 'SecretLeak' })
  })
})
