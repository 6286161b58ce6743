import { describe, expect, test } from '@jest/globals'
import { newObject } from '../../../../operator/api/kind.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway()

const defs = '/orgs/acme/resources/defs'
const s3 = { id: 's3', name: 'S3', type: 's3', driver_type: 'quartermaster/echo' }
const canary = 'canary-of-the-text'
const output = "resources['redis#shared.b'].outputs.password"
const text = `${canary} \${${output}}`
const leaf = { secret: expect.stringMatching(/^s3-inputs-/), key: 'token', placeholders: [output] }

const kept = () => gateway.cluster.store.get(ResourceDefinition, 'acme', 's3')
const create = (driver_inputs: object) => gateway.send(`POST ${defs}`, { body: { ...s3, driver_inputs } })
const forms: [string, (value: unknown) => object][] = [
  ['secrets', (value) => ({ secrets: { token: value } })],
  ['secret_refs', (value) => ({ secret_refs: { token: { value } } })],
]

describe.each(forms)('a secret input with placeholders in %s', (_, inputs) => {
  test('becomes a Secret, and a reference that lists them', async () => {
    const { status, body } = await create(inputs(text))
    expect(status).toBe(200)
    expect(kept()?.spec.driverInputs?.secretRefs).toEqual({ token: leaf })
    expect(JSON.stringify(kept())).not.toContain(canary)
    expect(JSON.stringify(body)).not.toContain(canary)
    const [secret] = gateway.cluster.secrets
    expect(secret?.['data']).toEqual({ token: Buffer.from(text).toString('base64') })
  })

  test('is answered as a reference like any other', async () => {
    const { body } = await create(inputs(text))
    const ref = expect.stringMatching(/^s3-inputs-.*\/token$/)
    expect(body.driver_inputs.secret_refs).toEqual({ token: { store: 'kubernetes', ref, version: '1' } })
  })

  test('lists none where it has none', async () => {
    await create(inputs('plain'))
    const { placeholders: _, ...plain } = leaf
    expect(kept()?.spec.driverInputs?.secretRefs).toEqual({ token: plain })
  })

  test.each([
    '${',
    '${}',
    `\${${canary}}`,
    '${context.app.id',
    '${resources.s3.nothing}',
    `\${context.${canary}}`,
  ])("is refused with '%s', without the text: 400", async (wrong) => {
    const { status, body } = await create(inputs(`${canary} ${wrong}`))
    expect(status).toBe(400)
    expect(JSON.stringify(body)).not.toContain(canary)
    expect(body.message).toContain('.token')
    expect([kept(), gateway.cluster.secrets]).toEqual([undefined, []])
  })
})

describe.each<[string, string, object]>([
  ['a replacement', `PUT ${defs}/s3`, { name: 'S3', driver_type: s3.driver_type }],
  ['a change', `PATCH ${defs}/s3`, {}],
])('in %s', (_, operation, rest) => {
  test('a reference that was answered keeps its placeholders', async () => {
    const { body } = await create({ secrets: { token: text } })
    const { secret_refs } = body.driver_inputs
    const driver_inputs = { values: { a: 1 }, secret_refs: { ...secret_refs, again: secret_refs.token } }
    expect((await gateway.send(operation, { body: { ...rest, driver_inputs } })).status).toBe(200)
    expect(kept()?.spec.driverInputs?.secretRefs).toEqual({ token: leaf, again: leaf })
  })

  test('a text of a manifest stays in it, unless it is another text', async () => {
    const { id: name, type, driver_type: driverType } = s3
    const secretRefs = {
      url: { value: `\${${output}}` },
      tls: { key: { value: 'a' }, chain: { value: 'b' } },
    }
    const spec = { type, driverType, driverInputs: { secretRefs } }
    const metadata = { namespace: 'acme', name }
    gateway.cluster.put(ResourceDefinition, newObject(ResourceDefinition, metadata, spec))
    const { secret_refs } = (await gateway.send(`GET ${defs}/s3`)).body.driver_inputs
    expect(secret_refs).toEqual(secretRefs)
    const send = (refs: object) =>
      gateway.send(operation, { body: { ...rest, driver_inputs: { values: { a: 1 }, secret_refs: refs } } })
    expect((await send(secret_refs)).status).toBe(200)
    expect(kept()?.spec.driverInputs).toEqual({ values: { a: 1 }, secretRefs })
    expect(gateway.cluster.secrets).toEqual([])
    const changed = { ...secret_refs, tls: { ...secret_refs.tls, key: { value: 'c' } } }
    expect((await send(changed)).status).toBe(200)
    const key = { secret: leaf.secret, key: 'tls.key' }
    expect(kept()?.spec.driverInputs?.secretRefs).toEqual({ ...secretRefs, tls: { ...secretRefs.tls, key } })
    expect(gateway.cluster.secrets.map(({ data }) => Object.keys(data as object))).toEqual([['tls.key']])
  })

  test('a Secret that a user creates is data', async () => {
    await create({ secrets: { token: text } })
    const driver_inputs = { secret_refs: { token: { store: 'kubernetes', ref: 'theirs/token' } } }
    expect((await gateway.send(operation, { body: { ...rest, driver_inputs } })).status).toBe(200)
    expect(kept()?.spec.driverInputs?.secretRefs).toEqual({ token: { secret: 'theirs', key: 'token' } })
  })
})

test('a text from a manifest is returned unchanged', async () => {
  const secretRefs = { token: { value: '${context.app.id}' } }
  const spec = { type: 's3', driverType: 'quartermaster/echo', driverInputs: { secretRefs } }
  gateway.cluster.put(
    ResourceDefinition,
    newObject(ResourceDefinition, { namespace: 'acme', name: 's3' }, spec),
  )
  const { body } = await gateway.send(`GET ${defs}/s3`)
  expect(body.driver_inputs.secret_refs).toEqual(secretRefs)
})
