import type { TSchema } from '../../operator/api/schema.ts'

const emptySetId = '78ca0149b7cd436ed7a30633f9516b5a8a7712c984f92a40de0489bf21dfc19a'

/** Examples of path parameters. */
export const parameterExamples: Readonly<Record<string, string>> = {
  org_id: 'acme',
  app_id: 'shop',
  env_id: 'staging',
  env_type_id: 'production',
  account_id: 'my-dns',
  driver_id: 'my-driver',
  def_id: 'my-redis',
  version_id: '00000000-0000-0000-0000-000000000001',
  criterion_id: '9f86d081884c7d65',
  type_id: 'acme/topic',
  class_id: 'large',
  delta_id: 'first-release',
  set_id: emptySetId,
  source_set_id: emptySetId,
  deploy_id: 'shop.staging.1',
  pipeline_id: 'default',
  run_id: 'shop.staging.1',
  value_key: 'LOG_LEVEL',
  value_set_version_id: '00000000-0000-0000-0000-000000000001',
  artefact_id: '5c3a5d1e-8b2f-8c4d-9e6f-0a1b2c3d4e5f',
  artefact_version_id: '0f8fad5b-d9cb-869f-a165-70867728950e',
  image_id: 'registry.example.com/shop/web',
  rule_id: '923486d012f20324',
  registry_id: 'builds',
  webhook_id: 'notify-chat',
  user_id: 'ana',
  token_id: 'pipeline',
  call_id: 'notify-chat-1',
  file: 'swagger-ui.css',
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
const value = { value: 'info', description: 'Minimum level of log messages' }
const delta = { modules: { add: { backend: { spec: {}, externals: { cache: { type: 'redis' } } } } } }
const score = {
  spec: {
    apiVersion: 'score.dev/v1b1',
    metadata: { name: 'backend' },
    containers: { main: { image: '.', variables: { CACHE: '${resources.cache.host}' } } },
    resources: { cache: { type: 'redis' } },
  },
  image: 'registry.example.com/backend:1.0',
}
const rule = { type: 'update', match_ref: '^refs/heads/main$' }
const needs = [{ id: 'shared.cache', type: 'redis' }]

/** Examples of bodies that cannot be derived from the schema, by method and path. */
const bodyExamples: Readonly<Record<string, unknown>> = {
  [`post ${org}/apps`]: { id: 'shop', name: 'Shop' },
  [`post ${app}/envs`]: { id: 'staging', name: 'Staging', type: 'development' },
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
  [`post ${org}/artefact-versions/convert-score`]: score,
  [`post ${app}/pipeline-runs`]: {
    trigger: 'deployment_request',
    env_id: 'staging',
    delta_id: 'first-release',
  },
  [`post ${env}/resources/graphs`]: needs,
  [`post ${env}/resources/graph`]: needs,
  [`patch ${env}/runtime/replicas`]: { backend: 3 },
  [`post ${env}/runtime/actions/restart`]: { workloads: ['backend'] },
  [`post ${app}/values`]: { key: 'LOG_LEVEL', ...value },
  [`put ${app}/values/{value_key}`]: value,
  [`post ${env}/values`]: { key: 'LOG_LEVEL', ...value },
  [`put ${env}/values/{value_key}`]: value,
  [`post ${org}/artefact-versions`]: {
    type: 'container',
    name: 'registry.example.com/shop/web',
    version: '1.2.7',
    ref: 'refs/heads/main',
  },
  [`post ${org}/images/{image_id}/builds`]: {
    image: 'registry.example.com/shop/web:1.2.7',
    branch: 'main',
    commit: '884bccaa807ea27cc1997a7492a3b6279fd7bd55',
  },
  [`post ${env}/rules`]: rule,
  [`put ${env}/rules/{rule_id}`]: rule,
  [`post ${org}/registries`]: {
    id: 'builds',
    registry: 'registry.example.com/shop',
    type: 'basic',
    creds: { username: 'puller', password: 'a-password' },
  },
  [`patch ${org}/registries/{registry_id}`]: { enable_ci: true },
  [`post ${app}/webhooks`]: {
    id: 'notify-chat',
    url: 'hooks.example.com/deployments',
    triggers: [{ scope: 'deployment', type: 'finished' }],
  },
  [`patch ${app}/webhooks/{webhook_id}`]: { disabled: true },
}

/** Returns an example of a request body. */
export function bodyExampleOf(method: string, path: string, schema: TSchema): unknown {
  return bodyExamples[`${method} ${path}`] ?? exampleOf(schema)
}

/** Examples of texts by field name, or by schema name and field name. */
const textExamples: Readonly<Record<string, string>> = {
  ...parameterExamples,
  id: 'my-id',
  'Organization.id': 'acme',
  'EnvironmentType.id': 'production',
  'Application.id': 'shop',
  'Environment.id': 'staging',
  'envs.id': 'staging',
  'Deployment.id': 'shop.staging.1',
  'PipelineRun.id': 'shop.staging.1',
  'ResourceAccount.id': 'my-dns',
  'Driver.id': 'my-driver',
  'ResourceDefinition.id': 'my-redis',
  'Delta.id': 'first-release',
  'DeploymentSet.id': emptySetId,
  'Webhook.id': 'notify-chat',
  'Artefact.id': parameterExamples['artefact_id'] ?? '',
  'Artefact.name': 'registry.example.com/shop/web',
  'ArtefactVersion.id': parameterExamples['artefact_version_id'] ?? '',
  'ArtefactVersion.name': 'registry.example.com/shop/web',
  'AutomationRule.id': parameterExamples['rule_id'] ?? '',
  'Image.id': parameterExamples['image_id'] ?? '',
  'Image.source': parameterExamples['image_id'] ?? '',
  commit: '884bccaa807ea27cc1997a7492a3b6279fd7bd55',
  'AutomationRule.match': '^main$',
  match_ref: '^refs/heads/main$',
  'Registry.id': 'builds',
  registry: 'registry.example.com/shop',
  'UserProfile.id': 'ana',
  'UserRole.id': 'ana',
  'Token.id': 'pipeline',
  name: 'My name',
  type: 'redis',
  'Environment.type': 'development',
  'envs.type': 'development',
  'ResourceAccount.type': 'cloudflare',
  'AccountType.type': 'cloudflare',
  'Event.type': 'finished',
  env_type: 'development',
  class: 'default',
  driver_type: 'quartermaster/echo',
  driver_account: 'my-dns',
  created_by: 'ana',
  updated_by: 'ana',
  def_version_id: parameterExamples['version_id'] ?? '',
  active_version_id: parameterExamples['version_id'] ?? '',
  current_version_id: parameterExamples['version_id'] ?? '',
  comment: 'First release',
  description: 'Used by the web shop',
  from_id: 'shop.staging.1',
  deployment_id: 'shop.staging.1',
  gu_res_id: 'c0ffee0123456789',
  guresid: 'c0ffee0123456789',
  key: 'LOG_LEVEL',
  value: 'info',
  url: 'hooks.example.com/deployments',
  email: 'ana@example.com',
  namespace: 'shop-staging',
  reason: 'Reconciled',
  token: 'qm_ana-laptop_0123456789abcdef',
}

interface SchemaParts {
  readonly title?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
}

/** Returns an example with the required fields of a schema, or with its first field if none is required. */
export function exampleOf(schema: TSchema, name = '', shape = ''): unknown {
  const { title, type, enum: words, properties, required, items, anyOf } = schema as SchemaParts
  if (anyOf?.[0]) return exampleOf(anyOf[0], name, shape)
  if (words) return words[0]
  const kind = typeof type === 'object' ? type[0] : type
  if (kind === 'array') return items ? [exampleOf(items, name, shape)] : []
  if (kind === 'boolean') return false
  if (kind === 'integer') return 1
  if (kind === 'string') return textOf(schema, name, shape)
  const fields = properties ?? {}
  const shown = required ?? Object.keys(fields).slice(0, 1)
  return Object.fromEntries(
    shown.map((field) => [field, exampleOf(fields[field] ?? {}, field, title ?? name)]),
  )
}

function textOf(schema: TSchema, name: string, shape: string): string {
  const { format } = schema as SchemaParts
  if (format === 'date-time') return '2030-01-01T00:00:00Z'
  return textExamples[`${shape}.${name}`] ?? textExamples[name] ?? 'example'
}
