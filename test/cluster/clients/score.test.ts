import { beforeAll, describe, expect } from '@jest/globals'
import { exactly, listWith, makeWalker, type Walker, walk } from './client-steps.ts'

let walker: Walker
const it = () => walker
const text = expect.any(String)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/)
const deploys = '~/apps/shop/envs/development/deploys'

beforeAll(async () => {
  walker = await makeWalker('app score-humanitec/1.0.0; sdk score-humanitec/1.0.0')
  const definition = (type: string, className: string, values: object) =>
    walker.organization.define(`${type}-${className}`, {
      type,
      driverType: 'quartermaster/echo',
      driverInputs: { values },
      criteria: [{ class: className }],
    })
  await definition('redis', 'default', { host: 'one', port: 6379 })
  await definition('dns', 'default', { host: 'shop.example.com' })
  await definition('s3', 'big', { bucket: 'two', region: 'eu' })
  await walker.send('POST ~/apps', { id: 'shop', name: 'Shop' })
})

/** A workload as the tool emits it. */
const backend = {
  profile: 'humanitec/default-module',
  spec: {
    annotations: { 'humanitec.io/managed-by': 'score-humanitec' },
    containers: {
      main: {
        id: 'main',
        image: 'registry.example.com/backend:1',
        command: ['/bin/backend'],
        args: [],
        variables: {
          REDIS: '${externals.cache.host}',
          BUCKET: '${shared.files-class-big.bucket}',
          SHELL: '$\\{HOME}',
        },
        resources: { limits: { cpu: '1', memory: '256Mi' } },
        liveness_probe: { type: 'http', path: '/', port: 8080 },
      },
    },
    service: { ports: { http: { protocol: 'TCP', service_port: 80, container_port: 8080 } } },
  },
  externals: { cache: { type: 'redis', class: 'default' } },
}
const shared = [
  { op: 'add', path: '/dns', value: { type: 'dns', class: 'default' } },
  { op: 'add', path: '/files-class-big', value: { type: 's3', class: 'big', id: 'shared.files' } },
]
const draft = {
  metadata: { env_id: 'development', name: 'Auto-generated (SCORE)', url: 'https://example.com' },
  modules: { add: { backend } },
  shared,
}

describe('a draft', () => {
  walk(it, [
    {
      request: 'GET ~/resources/types',
      status: 200,
      expected: listWith({ type: 'redis', inputs_schema: expect.anything() }),
    },
    {
      request: 'POST ~/apps/shop/deltas',
      body: draft,
      status: 200,
      expected: {
        id: text,
        metadata: {
          env_id: 'development',
          name: 'Auto-generated (SCORE)',
          created_at: time,
          last_modified_at: time,
          archived: false,
        },
        modules: { add: { backend: exactly(backend) }, remove: [], update: {} },
        shared: [
          { op: 'add', path: '/dns' },
          { op: 'add', path: '/files-class-big' },
        ],
      },
      keep: { delta: 'id' },
    },
    {
      request: 'PATCH ~/apps/shop/deltas/<delta>',
      body: [
        { metadata: {}, modules: { add: { frontend: { ...backend, spec: {}, externals: {} } } }, shared: [] },
      ],
      status: 200,
      expected: { modules: { add: { backend: expect.anything(), frontend: { profile: backend.profile } } } },
    },
    {
      request: 'PATCH ~/apps/shop/deltas/<delta>',
      // Its client writes null for absent fields of an action.
      body: [
        {
          metadata: {},
          modules: {
            update: { backend: [{ op: 'add', path: '/externals/queue', value: { type: 'redis.default' } }] },
          },
        },
        {
          metadata: {},
          modules: { update: { backend: [{ op: 'remove', path: '/externals/queue', value: null }] } },
        },
        { modules: { add: null, remove: null, update: null }, shared: null },
      ],
      status: 200,
      expected: { id: text },
    },
    { request: 'GET ~/apps/shop/deltas/<delta>', status: 200, expected: { id: text } },
    { request: `PATCH ~/apps/shop/deltas/${'0'.repeat(40)}`, body: [], status: 404, expected: text },
  ])
})

describe('a deployment, asked for until no other one is in the way', () => {
  const done = { status: 'succeeded', export_status: '', export_file: '' }
  walk(it, [
    {
      request: `POST ${deploys}`,
      body: { delta_id: '<delta>', comment: 'Auto-deployment (SCORE)' },
      status: 201,
      expected: {
        id: text,
        env_id: 'development',
        comment: 'Auto-deployment (SCORE)',
        delta_id: text,
        from_id: '',
        created_at: time,
        status_changed_at: time,
      },
      absent: ['pipeline'],
      keep: { first: 'id' },
      again: [409],
    },
    {
      request: `POST ${deploys}`,
      body: { comment: 'Again', value_set_version_id: null },
      status: 201,
      keep: { second: 'id' },
      again: [409],
    },
    { request: `GET ${deploys}/<first>`, status: 200, expected: done },
    { request: `GET ${deploys}/<first>/errors`, status: 200, expected: exactly([]) },
    { request: `GET ${deploys}/<second>`, status: 200, expected: { from_id: text } },
    {
      request: 'GET ~/apps/shop/envs/development/resources',
      status: 200,
      later: true,
      expected: listWith({
        res_id: 'shared.files',
        type: 's3',
        class: 'big',
        resource: { bucket: 'two', region: 'eu' },
      }),
    },
  ])
})

describe('a secret value that is made empty and filled later', () => {
  const value = { key: 'TOKEN', description: 'Later', is_secret: true }
  walk(it, [
    {
      request: 'POST ~/apps/shop/values',
      body: { ...value, value: '' },
      status: 201,
      expected: { ...value, value: '' },
    },
    {
      request: 'PATCH ~/apps/shop/values/TOKEN',
      body: { value: 'hidden' },
      status: 200,
      expected: { ...value, value: '' },
    },
  ])
})

describe('an environment that begins where another one is', () => {
  const staging = { id: 'staging', name: 'Staging', type: 'development' }
  walk(it, [
    {
      request: `POST ${deploys}`,
      body: { comment: 'Last' },
      status: 201,
      keep: { last: 'id' },
      again: [409],
    },
    {
      request: 'POST ~/apps/shop/envs',
      body: { ...staging, from_deploy_id: '<last>' },
      status: 201,
      expected: { ...staging, from_deploy: { id: text, comment: 'Last' } },
      absent: ['last_deploy'],
    },
    { request: 'PUT ~/apps/shop/envs/staging/from_deploy_id', body: '<first>', status: 204 },
    {
      request: 'GET ~/apps/shop/envs/staging',
      status: 200,
      expected: { from_deploy: { comment: 'Auto-deployment (SCORE)' } },
    },
    {
      request: 'POST ~/apps/shop/envs/staging/deploys',
      body: { comment: 'Clone' },
      status: 201,
      keep: { clone: 'id' },
    },
    { request: 'GET ~/apps/shop/envs/staging', status: 200, expected: { last_deploy: { comment: 'Clone' } } },
    { request: 'PUT ~/apps/shop/envs/staging/from_deploy_id', body: 'missing', status: 400 },
    { request: 'DELETE ~/apps/shop', status: 404, again: [202, 204] },
  ])
})
