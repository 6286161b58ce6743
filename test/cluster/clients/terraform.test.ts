import { beforeAll, describe, expect } from '@jest/globals'
import { exactly, listWith, makeWalker, type Walker, walk } from './client-steps.ts'

let walker: Walker
const it = () => walker
const text = expect.any(String)
const echo = 'quartermaster/echo'

beforeAll(async () => {
  walker = await makeWalker('app terraform-provider-humanitec/1.0.0; sdk humanitec-go-autogen/latest')
})

describe('environment types, applications, environments', () => {
  const app = { id: 'shop', name: 'Shop' }
  const env = { id: 'qa', name: 'QA', type: 'qa' }
  walk(it, [
    {
      request: 'POST ~/env-types',
      body: { id: 'qa', description: 'Tests' },
      status: 201,
      expected: exactly({ id: 'qa', description: 'Tests' }),
    },
    { request: 'GET ~/env-types/qa', status: 200, expected: exactly({ id: 'qa', description: 'Tests' }) },
    {
      request: 'POST ~/apps',
      body: { ...app, skip_environment_creation: true },
      status: 201,
      expected: { ...app, envs: [] },
    },
    { request: 'GET ~/apps/shop', status: 200, expected: app },
    {
      request: 'PATCH ~/apps/shop',
      body: { name: 'Store' },
      status: 200,
      expected: { id: 'shop', name: 'Store' },
    },
    {
      request: 'POST ~/apps/shop/envs',
      body: env,
      status: 201,
      expected: { ...env },
      absent: ['from_deploy', 'last_deploy'],
    },
    { request: 'GET ~/apps/shop/envs/qa', status: 200, expected: env },
    {
      request: 'PATCH ~/apps/shop/envs/qa',
      body: { name: 'Quality' },
      status: 200,
      expected: { ...env, name: 'Quality' },
    },
    { request: 'DELETE ~/env-types/qa', status: 409, expected: exactly([{ app_id: 'shop', env_id: 'qa' }]) },
  ])
})

describe('values', () => {
  const plain = { key: 'LEVEL', description: 'Of the log', value: 'info', is_secret: false }
  const secret = { key: 'TOKEN', description: 'Of the shop', is_secret: true }
  const secretAnswer = {
    ...secret,
    value: '',
    source: 'app',
    secret_key: text,
    secret_store_id: text,
    secret_version: text,
  }
  walk(it, [
    {
      request: 'POST ~/apps/shop/values',
      body: plain,
      status: 201,
      expected: { ...plain, source: 'app', secret_key: null, secret_store_id: null, secret_version: null },
    },
    { request: 'GET ~/apps/shop/values', status: 200, expected: listWith(plain) },
    {
      request: 'PUT ~/apps/shop/values/LEVEL',
      body: { description: '', value: 'debug', is_secret: false },
      status: 200,
      expected: { value: 'debug', description: '' },
    },
    {
      request: 'POST ~/apps/shop/values',
      body: { ...secret, secret_ref: { value: 'hidden' } },
      status: 201,
      expected: secretAnswer,
      keep: { ref: 'secret_key', store: 'secret_store_id' },
    },
    {
      request: 'PUT ~/apps/shop/values/TOKEN',
      body: { description: 'New', is_secret: true, secret_ref: { value: 'other' } },
      status: 200,
      expected: { ...secretAnswer, description: 'New' },
    },
    {
      request: 'POST ~/apps/shop/envs/qa/values',
      body: plain,
      status: 201,
      expected: { ...plain, source: 'env' },
    },
    {
      request: 'GET ~/apps/shop/envs/qa/values',
      status: 200,
      expected: listWith({ ...plain, source: 'env' }),
    },
    { request: 'GET ~/apps/shop/envs/gone/values', status: 400 },
    { request: 'DELETE ~/apps/shop/envs/qa/values/LEVEL', status: 204 },
    { request: 'DELETE ~/apps/shop/values/LEVEL', status: 204 },
    { request: 'DELETE ~/apps/shop/values/TOKEN', status: 204 },
  ])
})

describe('accounts, types, drivers', () => {
  const account = { id: 'cloud', name: 'Cloud', type: 'aws' }
  const schema = { type: 'object', properties: { size: { type: 'integer', default: 3 } } }
  const driver = {
    type: 's3',
    account_types: ['aws'],
    inputs_schema: schema,
    target: 'https://drivers.example.com/s3/',
  }
  walk(it, [
    {
      request: 'POST ~/resources/accounts',
      body: { ...account, credentials: { key: 'x' } },
      status: 200,
      expected: { ...account, is_used: false },
      absent: ['credentials'],
    },
    { request: 'GET ~/resources/accounts/cloud', status: 200, expected: account },
    {
      request: 'PATCH ~/resources/accounts/cloud',
      body: { name: 'Sky', credentials: { key: 'y' } },
      status: 200,
      expected: { ...account, name: 'Sky' },
    },
    {
      request: 'POST ~/resources/drivers',
      body: { id: 'buckets', ...driver },
      status: 200,
      expected: { id: 'buckets', ...driver, inputs_schema: exactly(schema) },
      absent: ['template'],
    },
    { request: 'GET ~/resources/drivers/buckets', status: 200, expected: { id: 'buckets', ...driver } },
    {
      request: 'PUT ~/resources/drivers/buckets',
      body: { ...driver, account_types: [] },
      status: 200,
      expected: { account_types: [] },
    },
    { request: 'DELETE ~/resources/drivers/buckets', status: 204 },
    { request: 'GET ~/resources/drivers/buckets', status: 404, expected: { error: text, message: text } },
  ])
})

describe('definitions and criteria', () => {
  const bare = { id: 'bare', name: 'Bare', type: 's3', driver_type: echo }
  const inputs = { values: { nested: { list: [1, 'two'], empty: {} }, text: '${context.app.id}' } }
  const full = {
    ...bare,
    id: 'full',
    driver_account: 'cloud',
    driver_inputs: { ...inputs, secret_refs: { password: { value: 'hidden' } } },
    provision: { 'dns.web#web': { is_dependent: true, match_dependents: false, params: { host: 'x' } } },
  }
  walk(it, [
    {
      request: 'POST ~/resources/defs',
      body: bare,
      status: 200,
      expected: {
        ...bare,
      },
      absent: ['driver_account', 'driver_inputs', 'provision', 'criteria'],
    },
    { request: 'POST ~/resources/defs', body: bare, status: 409, expected: { error: text, message: text } },
    {
      request: 'POST ~/resources/defs',
      body: full,
      status: 200,
      expected: {
        ...full,
        driver_inputs: {
          values: exactly(inputs.values),
          secret_refs: { password: { store: text, ref: text } },
        },
        provision: exactly(full.provision),
      },
      absent: ['driver_inputs.secrets', 'driver_inputs.secret_refs.password.value'],
    },
    {
      request: 'GET ~/resources/defs/full?deleted=false',
      status: 200,
      expected: { driver_inputs: { values: exactly(inputs.values) }, driver_account: 'cloud' },
    },
    { request: 'GET ~/resources/accounts/cloud', status: 200, expected: { is_used: true } },
    { request: 'DELETE ~/resources/accounts/cloud', status: 409 },
    {
      request: 'PUT ~/resources/defs/full',
      body: { name: 'Full', driver_type: echo, driver_inputs: { values: {} } },
      status: 200,
      expected: {
        name: 'Full',
        driver_inputs: { values: exactly({}) },
      },
      absent: ['driver_account', 'provision'],
    },
    {
      request: 'POST ~/resources/defs/full/criteria',
      body: { app_id: 'shop' },
      status: 200,
      expected: { id: text, app_id: 'shop', class: 'default' },
      absent: ['env_id', 'env_type', 'res_id'],
    },
    {
      request: 'POST ~/resources/defs/full/criteria',
      body: { env_id: 'qa', class: 'big' },
      status: 200,
      expected: { env_id: 'qa', class: 'big' },
      absent: ['app_id'],
      keep: { criterion: 'id' },
    },
    { request: 'POST ~/resources/defs/bare/criteria', body: { app_id: 'shop' }, status: 409 },
    {
      request: 'GET ~/resources/defs/full',
      status: 200,
      expected: { criteria: listWith({ env_id: 'qa', class: 'big' }) },
    },
    { request: 'DELETE ~/resources/defs/full/criteria/<criterion>?force=false', status: 204 },
    { request: 'DELETE ~/resources/defs/full/criteria/<criterion>?force=false', status: 404 },
    { request: 'DELETE ~/resources/defs/full?force=false', status: 204 },
    { request: 'DELETE ~/resources/defs/bare?force=true', status: 204 },
    {
      request: 'GET ~/resources/defs/full?deleted=false',
      status: 404,
      expected: { error: text, message: text },
    },
    { request: 'DELETE ~/resources/accounts/cloud', status: 204, again: [409] },
  ])
})
