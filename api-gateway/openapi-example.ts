import type { TSchema } from '../operator/api/schema.ts'

/** Path parameters as examples have them. */
export const parameterExamples: Readonly<Record<string, string>> = {
  org_id: 'acme',
  app_id: 'shop',
  env_id: 'staging',
  env_type_id: 'production',
  account_id: 'my-dns',
  driver_id: 'my-driver',
  def_id: 'my-redis',
  type_id: 'acme/topic',
  class_id: 'large',
  delta_id: 'first-release',
  deploy_id: 'shop.staging.1',
  pipeline_id: 'default',
  run_id: 'shop.staging.1',
  value_key: 'LOG_LEVEL',
  webhook_id: 'tell-chat',
  user_id: 'ana',
  token_id: 'pipeline',
  res_type: 'redis',
  res_id: 'shared.cache',
}

const org = '/orgs/{org_id}'
const app = `${org}/apps/{app_id}`
const env = `${app}/envs/{env_id}`
const driver = {
  type: 'redis',
  target: 'driver://quartermaster/echo',
  inputs_schema: { type: 'object' },
  account_types: [],
}
const inputs = { values: { host: 'redis.example.com', port: 6379 } }
const definition = { name: 'My redis', driver_type: 'quartermaster/echo', driver_inputs: inputs }
const olderDefinition = { name: 'My redis', driver_type: 'quartermaster/echo', driver_params: inputs }
const criterion = { app_id: 'shop', env_type: 'production' }
const value = { value: 'info', description: 'How much is logged' }
const delta = { modules: { add: { backend: { spec: {}, externals: { cache: { type: 'redis' } } } } } }
const needs = [{ id: 'shared.cache', type: 'redis' }]

/** Bodies of which a schema alone tells too little, by method and path. */
const bodyExamples: Readonly<Record<string, unknown>> = {
  [`put ${env}/from_deploy_id`]: 'shop.staging.1',
  [`post ${org}/resources/types`]: { type: 'acme/topic', use: 'direct', name: 'Topic' },
  [`post ${org}/resources/accounts`]: {
    id: 'my-dns',
    name: 'My DNS provider',
    type: 'cloudflare',
    credentials: { token: 'an-api-token' },
  },
  [`post ${org}/resources/drivers`]: { id: 'my-driver', ...driver },
  [`put ${org}/resources/drivers/{driver_id}`]: driver,
  [`post ${org}/resources/defs`]: { id: 'my-redis', type: 'redis', ...definition, criteria: [criterion] },
  [`put ${org}/resources/defs/{def_id}`]: definition,
  [`post ${org}/resources/defs/{def_id}/criteria`]: criterion,
  [`put ${org}/resources/defs/{def_id}/criteria`]: [criterion],
  [`post ${org}/resources/dynamic`]: { id: 'my-redis', type: 'redis', ...olderDefinition },
  [`put ${org}/resources/dynamic/{def_id}`]: olderDefinition,
  [`post ${org}/resources/dynamic/{def_id}/criteria`]: criterion,
  [`put ${org}/resources/dynamic/{def_id}/criteria`]: [criterion],
  [`post ${app}/deltas`]: delta,
  [`put ${app}/deltas/{delta_id}`]: delta,
  [`patch ${app}/deltas/{delta_id}`]: [
    { shared: [{ op: 'add', path: '/queue', value: { type: 'redis' } }] },
    {
      modules: { update: { backend: [{ op: 'add', path: '/externals/files', value: { type: 's3' } }] } },
    },
  ],
  [`put ${app}/deltas/{delta_id}/metadata/env_id`]: 'staging',
  [`put ${app}/deltas/{delta_id}/metadata/name`]: 'First release',
  [`post ${app}/sets/{set_id}`]: delta,
  [`post ${app}/pipeline-runs`]: {
    trigger: 'deployment_request',
    env_id: 'staging',
    delta_id: 'first-release',
  },
  [`post ${env}/resources/graphs`]: needs,
  [`post ${env}/resources/graph`]: needs,
  [`post ${app}/values`]: { key: 'LOG_LEVEL', ...value },
  [`put ${app}/values/{value_key}`]: value,
  [`post ${env}/values`]: { key: 'LOG_LEVEL', ...value },
  [`put ${env}/values/{value_key}`]: value,
  [`post ${app}/webhooks`]: {
    id: 'tell-chat',
    url: 'hooks.example.com/deployments',
    triggers: [{ scope: 'deployment', type: 'finished' }],
  },
  [`patch ${app}/webhooks/{webhook_id}`]: { disabled: true },
}

/** A body that an operation takes. */
export function bodyExampleOf(method: string, path: string, schema: TSchema): unknown {
  return bodyExamples[`${method} ${path}`] ?? exampleOf(schema)
}

/** Values that fit wherever a field of that name is. */
const textExamples: Readonly<Record<string, string>> = {
  id: 'my-id',
  token: 'qm_ana-laptop_0123456789abcdef',
  delta_id: 'first-release',
}

interface SchemaParts {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
}

/** The smallest value worth showing: the fields that a schema requires, or else its first one. */
function exampleOf(schema: TSchema, name = ''): unknown {
  const { type, enum: words, properties, required, items, anyOf } = schema as SchemaParts
  if (anyOf?.[0]) return exampleOf(anyOf[0], name)
  if (words) return words[0]
  const kind = typeof type === 'object' ? type[0] : type
  if (kind === 'array') return items ? [exampleOf(items, name)] : []
  if (kind === 'boolean') return true
  if (kind === 'integer') return 1
  if (kind === 'string') return textOf(schema, name)
  const fields = properties ?? {}
  const shown = required ?? Object.keys(fields).slice(0, 1)
  return Object.fromEntries(shown.map((field) => [field, exampleOf(fields[field] ?? {}, field)]))
}

function textOf(schema: TSchema, name: string): string {
  const { format } = schema as SchemaParts
  if (format === 'date-time') return '2030-01-01T00:00:00Z'
  return textExamples[name] ?? 'example'
}
