import { describe, expect, test } from '@jest/globals'
import { ApiProblem, adviceFor } from '../../portal/api/problem.ts'
import { problemOfRefusal } from '../../portal/forms/model/check.ts'
import { formOf } from '../../portal/forms/model/form.ts'
import { differsIn, replacedFields } from '../../portal/managing/changed.ts'
import {
  changedAccountBody,
  newAccountBody,
  newAccountSchema,
  storedCredentials,
} from '../../portal/pages/accounts/account-schema.ts'
import { changedDefinitionBody } from '../../portal/pages/definitions/definition-schema.ts'
import { driverBody, templateOf, templateText } from '../../portal/pages/drivers/driver-schema.ts'
import {
  newTypeValue,
  typeBody,
  typeSettingsSchema,
  typeValue,
} from '../../portal/pages/types/type-schema.ts'
import { newUserBody, roleAt, roleChange } from '../../portal/pages/users/user-roles.ts'
import {
  changedEntry,
  changedValueBody,
  newValueBody,
  newValueOf,
  valueOf,
  valueSchema,
} from '../../portal/pages/values/value-schema.ts'
import { changedWebhookBody, webhookBody, webhookValue } from '../../portal/pages/webhooks/webhook-schema.ts'

describe('users', () => {
  test.each([
    ['no change', 'viewer', 'viewer', undefined],
    ['none at all', '', '', undefined],
    ['a first role', '', 'owner', 'POST'],
    ['another role', 'viewer', 'owner', 'PATCH'],
    ['no role any more', 'owner', '', 'DELETE'],
  ])('%s', (_, before, after, expected) => {
    expect(roleChange(before, after)).toBe(expected)
  })

  test('the role on an object is the one at its path', () => {
    const objects = { '/orgs/acme/apps/shop': { permissions: ['owner'] } }
    expect(roleAt(objects, '/orgs/acme/apps/shop')).toBe('owner')
    expect(roleAt(objects, '/orgs/acme/apps/blog')).toBe('')
  })

  test('a new one has no more than the least role if none is known', () => {
    expect(newUserBody({ name: 'n', role: 'root' })).toEqual({ name: 'n', role: 'member', email: undefined })
  })
})

describe('webhooks', () => {
  const webhook = {
    id: 'w',
    url: 'hooks.example.com',
    headers: { 'x-a': 'b' },
    payload: { a: ['${app_id}', null] },
    triggers: [{ scope: 'deployment', type: 'finished' }],
    disabled: true,
    created_at: '',
    created_by: '',
  } as const

  test.each([
    ['with everything', webhook],
    ['with nothing optional', { ...webhook, headers: null, payload: null, triggers: [], disabled: false }],
  ])('one %s is the same after the form', (_, given) => {
    const { id: _id, created_at: _at, created_by: _by, ...changeable } = given
    expect(webhookBody(webhookValue(given))).toEqual(changeable)
  })

  test('a change sends only the fields that differ', () => {
    const before = webhookValue(webhook)
    for (const change of [
      { disabled: false, headers: {} },
      { url: 'b.example.com', payload: { b: 1 } },
    ])
      expect(changedWebhookBody({ ...before, ...change }, before)).toEqual(change)
  })
})

describe('a change of another user is replaced by a request that', () => {
  const definition = {
    name: 'n',
    driver_type: 'quartermaster/echo',
    driver_inputs: {
      values: { host: 'h', name: 'n' },
      secret_refs: { password: { ref: 'a/password' }, username: { ref: 'a/username' } },
    },
  }
  const { values, secret_refs } = definition.driver_inputs
  const rotated = {
    ...definition,
    driver_inputs: { values, secret_refs: { ...secret_refs, password: { ref: 'b' } } },
  }
  const moved = { ...definition, driver_inputs: { values: { ...values, host: 'other' }, secret_refs } }
  const changes = (settings: object, inputs: object) =>
    replacedFields(changedDefinitionBody({ ...definition, ...settings }, { values, ...inputs }, definition))
  const webhook = { url: 'u', headers: { 'x-a': '0', 'x-b': '0' } }
  const withHeaders = (headers: object) =>
    replacedFields(changedWebhookBody({ ...webhook, headers: { ...webhook.headers, ...headers } }, webhook))

  test.each<[string, readonly string[], object, object, boolean]>([
    [
      'has all secrets, after a rotation of one',
      changes({}, { secrets: { username: 'u' } }),
      definition,
      rotated,
      true,
    ],
    ['has all values', changes({}, { values: { ...values, name: 'm' } }), definition, moved, true],
    ['has all headers', withHeaders({ 'x-b': '1' }), webhook, { ...webhook, headers: { 'x-a': '1' } }, true],
    [
      'has all fields, also absent ones',
      ['name', 'use'],
      { use: 'direct' },
      { name: 'n', use: 'direct' },
      true,
    ],
    ['has other fields', changes({ name: 'm' }, {}), definition, moved, false],
    ['has nothing', changes({}, {}), definition, rotated, false],
    [
      'has headers, after a change of the URL',
      withHeaders({ 'x-b': '1' }),
      webhook,
      { ...webhook, url: 'v' },
      false,
    ],
  ])('%s', (_, fields, before, after, expected) => {
    expect(differsIn(fields, before, after)).toBe(expected)
  })
})

describe('shared values', () => {
  const plain = { is_secret: false, value: 'v', description: null }
  const secret = { is_secret: true, value: '', description: 'd' }

  test.each<[string, unknown, unknown]>([
    [
      'of a new value are all fields',
      newValueBody({ key: 'K', is_secret: true, value: 's' }),
      {
        key: 'K',
        value: 's',
        description: null,
        is_secret: true,
      },
    ],
    ['of a value can be empty', changedValueBody(plain, {}), { value: '' }],
    [
      'of a description leaves the value to others',
      changedValueBody(plain, { value: 'v', description: 'e' }),
      { description: 'e' },
    ],
    [
      'of a value leaves the description to others',
      changedValueBody({ ...plain, description: 'd' }, { value: 'n', description: 'd' }),
      { value: 'n' },
    ],
    [
      'of a secret keep it unless it is entered',
      changedValueBody(secret, { description: 'e' }),
      {
        value: undefined,
        description: 'e',
      },
    ],
    ['of a secret replace it', changedValueBody(secret, { value: 'n' }), { value: 'n', description: null }],
  ])('a request %s', (_, body, expected) => {
    expect(body).toEqual(expected)
  })

  const known = [
    { key: 'SECRET', is_secret: true },
    { key: 'PLAIN', is_secret: false },
  ]

  test.each([
    ['a secret value is secret', 'SECRET', true],
    ['a plain value is plain', 'PLAIN', false],
    ['no value is plain', 'OTHER', false],
  ])('the override of %s, also when its key is typed', (_, key, is_secret) => {
    expect(newValueOf(key, known)).toEqual({ key, is_secret })
    for (const before of ['SECRET', 'PLAIN', '']) {
      const entry = { value: newValueOf(before, known), isSecretChosen: false }
      const { value } = changedEntry(entry, { ...entry.value, key }, known)
      expect(value).toEqual({ key, is_secret })
    }
  })

  test.each([true, false])(
    'a new value keeps the choice %s of the user when its key changes',
    (is_secret) => {
      const entry = { value: newValueOf(is_secret ? '' : 'SECRET', known), isSecretChosen: false }
      const chosen = changedEntry(entry, { ...entry.value, is_secret }, known)
      for (const key of ['SECRET', 'PLAIN'])
        expect(changedEntry(chosen, { key, is_secret }, known).value).toEqual({ key, is_secret })
    },
  )

  test('a secret never begins with its value, and is entered masked', () => {
    expect(valueOf({ ...secret, value: 'leaked' })).toEqual({ description: 'd' })
    for (const schema of [valueSchema(secret, {}), valueSchema(undefined, { is_secret: true })])
      expect(fieldNamed(schema, 'value')?.isSecret).toBe(true)
    expect(fieldNamed(valueSchema(plain, {}), 'value')?.isSecret).toBe(false)
  })
})

describe('types, accounts and drivers', () => {
  test('an override begins with all of the type that it overrides', () => {
    const type = {
      type: 's3',
      name: 'S3',
      use: 'implicit',
      category: 'c',
      inputs_schema: {},
      outputs_schema: {},
    } as const
    expect(newTypeValue(type)).toEqual({ id: 's3', name: 'S3', use: 'direct', category: 'c' })
    expect(typeBody({ use: 'indirect' }, { a: 1 }, {})).toEqual({
      use: 'indirect',
      name: undefined,
      category: undefined,
      inputs_schema: { a: 1 },
      outputs_schema: {},
    })
  })

  test.each([
    ['of a new type', true, newTypeValue],
    ['of a type that exists', false, typeValue],
  ])('the form %s has a field for all that it begins with', (_, isNew, begin) => {
    const { sections } = formOf(typeSettingsSchema([], isNew))
    const names = sections.flatMap(({ rows }) => rows.flatMap(({ fields }) => fields)).map(({ name }) => name)
    const type = {
      type: 'acme/s3',
      name: 'S3',
      use: 'direct',
      category: 'c',
      inputs_schema: {},
      outputs_schema: {},
    } as const
    expect(Object.keys(begin(type)).sort()).toEqual(names.sort())
  })

  test('an account keeps its credentials unless some are entered', () => {
    expect(changedAccountBody({ name: 'm' }, {}, { name: 'n' })).toEqual({
      name: 'm',
      credentials: undefined,
    })
    expect(changedAccountBody({ name: 'n' }, { token: 't' }, { name: 'n' })).toEqual({
      name: undefined,
      credentials: { token: 't' },
    })
    expect(newAccountBody({ id: 'a', type: 'local' }, undefined)).toEqual({
      id: 'a',
      name: 'a',
      type: 'local',
      credentials: {},
    })
    expect([...storedCredentials({ properties: { token: {}, 'a/b': {} } })]).toEqual(['/token', '/a~1b'])
  })

  test('account types of drivers can be chosen too', () => {
    const driver = { org_id: 'acme', id: 'd', type: 's3', inputs_schema: {}, account_types: ['own', 'local'] }
    const schema = newAccountSchema([{ type: 'local', name: 'This cluster' }], [driver])
    const control = fieldNamed(schema, 'type')?.control
    expect(control).toEqual({
      kind: 'choice',
      choices: [
        { label: 'This cluster (local)', value: 'local' },
        { label: 'own', value: 'own' },
      ],
    })
  })

  test.each<[string, unknown]>([
    ['', undefined],
    ['values: {{ .a }}', 'values: {{ .a }}'],
    ['{{ .a }}', '{{ .a }}'],
    ['{ "values": "{{ .a }}" }', { values: '{{ .a }}' }],
    ['[1]', '[1]'],
  ])('the template %j', (text, expected) => {
    expect(templateOf(text)).toEqual(expected)
    expect(templateOf(templateText(expected))).toEqual(expected)
  })

  test('a driver has no empty account types', () => {
    const { account_types } = driverBody({ type: 's3', target: 't', account_types: ['a', ''] }, {}, '')
    expect(account_types).toEqual(['a'])
  })
})

describe('what the gateway refuses', () => {
  const schema = { properties: { url: {}, values: { properties: { host: { type: 'string' } } } } }

  test.each([
    ["'url' must match", '/url'],
    ['url: the protocol must be HTTPS', '/url'],
    ["'driver_inputs.values.host' must be string", '/values/host'],
    ["'values.none' is unknown", '/values'],
    ["'constructor' is unknown", undefined],
    ['the body is too large', undefined],
  ])('%s', (message, pointer) => {
    expect(problemOfRefusal(formOf(schema), {}, message)?.pointer).toBe(pointer)
  })

  test('names the place within a field that is an object', () => {
    expect(problemOfRefusal(formOf(schema), {}, "'values.none' is unknown")?.message).toBe(
      "'values.none' is unknown",
    )
    expect(problemOfRefusal(formOf(schema), {}, "'values.host' is unknown")?.message).toBe('is unknown')
  })

  test.each<[string, string, unknown, RegExp]>([
    ['an ID that exists', "account 'a' already exists", undefined, /another/],
    ['the last administrator', "user 'a' is the last administrator of 'acme'", undefined, /another user/],
    [
      'a deletion of something used',
      'is used',
      { referencing_resources: { drivers: ['a', 'b'] } },
      /what uses it/,
    ],
    ['a deletion that runs', 'is being deleted', undefined, /Wait/],
    ['a check that runs', "other credentials of account 'a' are being checked", undefined, /Wait/],
    ['a deployment that runs', "deployment 'a.b.1' of this environment has not finished", undefined, /Wait/],
    [
      'a module that a Workload owns',
      "module 'a' belongs to the Workload 'b.a'; change that instead, or delete it first",
      undefined,
      /^Change the request/,
    ],
    [
      'a change at the same moment',
      'Operation cannot be fulfilled on webhooks.quartermaster.dev "a": the object has been modified; please apply your changes to the latest version and try again',
      undefined,
      /^Try again/,
    ],
  ])('because of %s says what to do', (_, message, details, advice) => {
    expect(adviceFor(new ApiProblem(409, 'Conflict', message, details))).toMatch(advice)
  })
})

function fieldNamed(schema: Parameters<typeof formOf>[0], name: string) {
  return formOf(schema)
    .sections.flatMap(({ rows }) => rows.flatMap(({ fields }) => fields))
    .find((each) => each.name === name)
}
