import { afterAll, describe, expect, test } from '@jest/globals'
import { type FreeForm, freeForm, object, string } from '../../operator/api/schema.ts'
import type { DriverDescriptor } from '../../operator/domain/resource/driver.ts'
import type { Driver } from '../../operator/drivers/driver.ts'
import { createVirtualDriver } from '../../operator/drivers/virtual/driver.ts'
import { createTemplates } from '../../operator/templates/templates.ts'
import { templateRequest } from './support/template-request.ts'

const templates = createTemplates()
afterAll(() => templates.close())

function descriptorOf(name: string, changes: Partial<DriverDescriptor> = {}): DriverDescriptor {
  return {
    name,
    description: 'For tests.',
    account: { types: [], required: false },
    values: freeForm('Any.'),
    secrets: freeForm('Any.'),
    neighbours: {},
    takesIngressRules: false,
    replaceOnChangeOf: [],
    ...changes,
  }
}

const gone: FreeForm[] = []
const inner: Driver = {
  descriptor: descriptorOf('inner', {
    values: object({ region: string('Where.') }, {}, 'Values.'),
  }),
  identify: ({ values }) => ({ region: values.region }),
  async provision({ values, secrets }) {
    return { outputs: { values, secrets }, objects: [] }
  },
  async deprovision({ identity }) {
    gone.push(identity)
  },
}

function virtual(template: unknown): Driver {
  return createVirtualDriver({ descriptor: descriptorOf('acme/regions'), template, inner, templates })
}

const request = () => templateRequest({ place: 'north' }, { token: 'tok-123456' })

describe('the inputs of the inner driver', () => {
  const made = { values: { region: 'eu-north' }, secrets: { key: 'tok-123456' } }

  test.each<[rule: string, template: unknown, expected: object]>([
    [
      'are the result of a text',
      'values:\n  region: eu-{{ .driver.values.place }}\nsecrets:\n  key: {{ .driver.secrets.token }}',
      made,
    ],
    [
      'are the result of a map of texts',
      {
        values: { region: 'eu-{{ .driver.values.place }}' },
        secrets: { key: '{{ .driver.secrets.token }}' },
      },
      made,
    ],
    [
      'are the values alone',
      { region: '{{ .driver.values.place }}' },
      { values: { region: 'north' }, secrets: {} },
    ],
    [
      'are the values of a map with both',
      'values:\n  region: eu\nsecrets:\n',
      { values: { region: 'eu' }, secrets: {} },
    ],
    [
      'can contain inputs of users',
      { region: 'r{{ .resource.size }}' },
      { values: { region: 'r3' }, secrets: {} },
    ],
    [
      'may be made of the GUResID',
      { region: '{{ .id | trunc 4 | quote }}' },
      { values: { region: '0123' }, secrets: {} },
    ],
  ])('%s', async (_, template, expected) => {
    expect((await virtual(template).provision(request())).outputs).toEqual(expected)
  })

  test.each<[rule: string, template: unknown, reason: string]>([
    ['must fit its schema', { place: 'x' }, 'InvalidInputs'],
    ['must be a map', 'just text', 'InvalidInputs'],
    ['must be maps', 'values: [1]', 'InvalidInputs'],
    ['must have its values, beside secrets', 'secrets: {a: b}', 'InvalidInputs'],
    ['must have its values, when nothing is rendered', '', 'InvalidInputs'],
    ['must be rendered', '{{ fail "no" }}', 'InvalidTemplate'],
    ['hold no secret among the values', { region: '{{ .driver.secrets.token }}' }, 'SecretLeak'],
  ])('%s', async (_, template, reason) => {
    await expect(virtual(template).provision(request())).rejects.toMatchObject({ reason })
  })
})

test('the values hold no secret of a module', async () => {
  const params = { variables: { TOKEN: 'tok-123456' } }
  const of = { ...request(), secrets: {}, params, secretParams: ['/variables/TOKEN'] }
  const template = { region: '{{ .resource.variables.TOKEN }}' }
  await expect(virtual(template).provision(of)).rejects.toMatchObject({ reason: 'SecretLeak' })
})

test('its identity is that of the inner driver, and so is its end', async () => {
  const driver = virtual({ region: '{{ .driver.values.place }}' })
  const identity = await driver.identify?.(request())
  expect(identity).toEqual({ region: 'north' })
  const { guResId, context, type, class: resourceClass, resourceId, signal } = request()
  await driver.deprovision({
    guResId,
    context,
    type,
    class: resourceClass,
    resourceId,
    signal,
    identity: identity ?? {},
  })
  expect(gone).toEqual([{ region: 'north' }])
})

test('it has no identity when the inner driver has none', async () => {
  const { identify: _, ...without } = inner
  const template = { region: 'eu' }
  const driver = createVirtualDriver({ descriptor: inner.descriptor, template, inner: without, templates })
  expect(await driver.identify?.(request())).toEqual({})
})

test('the identity is of the inputs that are provisioned, also with a random part', async () => {
  const driver = virtual({ region: '{{ randAlphaNum 12 }}' })
  const same = request()
  const identity = await driver.identify?.(same)
  const { outputs } = await driver.provision(same)
  expect(outputs.values).toEqual(identity)
})
