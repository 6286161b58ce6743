import type { Endpoint } from '../../../api-gateway/endpoint.ts'
import type { Membership } from '../../../operator/api/access.ts'

const onShop = (role: 'viewer' | 'developer' | 'owner') => [{ applicationName: 'shop', role }]
const deployer = [{ environmentTypeName: 'development', role: 'deployer' as const }]
/** A member of `acme` for each role. */
export const members: Record<string, Membership['spec']> = {
  member: { role: 'member' },
  manager: { role: 'manager' },
  administrator: { role: 'administrator' },
  viewer: { role: 'member', applications: onShop('viewer') },
  developer: { role: 'member', applications: onShop('developer') },
  deployer: { role: 'member', applications: onShop('developer'), environmentTypes: deployer },
  owner: { role: 'member', applications: onShop('owner'), environmentTypes: deployer },
  'other-owner': {
    role: 'member',
    applications: [{ applicationName: 'other', role: 'owner' }],
    environmentTypes: deployer,
  },
}

/** Names of all of them. */
export const everybody = Object.keys(members)
const administrators = ['administrator']
const managers = ['manager', 'administrator']
const owners = ['owner', 'administrator']
const webhookManagers = ['owner', ...managers]
const deployers = ['deployer', 'owner', 'administrator']
const developers = ['developer', ...deployers]
const viewers = ['viewer', ...developers]

/** Who may, by the rule in the design and the specification; what is needed for the request to be well formed. */
export const rules: [string, readonly string[], unknown?][] = [
  ['GET /orgs', everybody],
  ['GET /orgs/acme', everybody],
  ['GET /orgs/acme/env-types', everybody],
  ['POST /orgs/acme/env-types', administrators, { id: 'staging' }],
  ['GET /orgs/acme/env-types/development', everybody],
  ['PATCH /orgs/acme/env-types/development', administrators, {}],
  ['DELETE /orgs/acme/env-types/production', administrators],
  ['GET /orgs/acme/apps', everybody],
  ['POST /orgs/acme/apps', managers, { id: 'new', name: 'New' }],
  ['GET /orgs/acme/apps/shop', viewers],
  ['PATCH /orgs/acme/apps/shop', owners, { name: 'Shop' }],
  ['DELETE /orgs/acme/apps/shop', owners],
  ['GET /orgs/acme/apps/shop/envs', viewers],
  ['POST /orgs/acme/apps/shop/envs', deployers, { id: 'second', name: 'Second' }],
  ['GET /orgs/acme/apps/shop/envs/development', viewers],
  ['PATCH /orgs/acme/apps/shop/envs/development', developers, { name: 'Dev' }],
  ['PUT /orgs/acme/apps/shop/envs/development/from_deploy_id', deployers, 'shop.development.1'],
  ['GET /orgs/acme/apps/shop/envs/development/runtime', viewers],
  ['DELETE /orgs/acme/apps/shop/envs/development', deployers],
  ['GET /orgs/acme/resources/types', everybody],
  ['POST /orgs/acme/resources/types', administrators, { type: 'acme/new', use: 'direct' }],
  ['GET /orgs/acme/resources/types/acme%2Fmissing', everybody],
  ['PATCH /orgs/acme/resources/types/acme%2Fmissing', administrators, {}],
  ['PUT /orgs/acme/resources/types/acme%2Fmissing', administrators, { use: 'direct' }],
  ['DELETE /orgs/acme/resources/types/acme%2Fmissing', administrators],
  ['GET /orgs/acme/resources/classes', everybody],
  ['GET /orgs/acme/resources/types/acme%2Fmissing/classes', everybody],
  ['POST /orgs/acme/resources/types/acme%2Fmissing/classes', administrators, { id: 'a', description: '' }],
  ['GET /orgs/acme/resources/types/acme%2Fmissing/classes/a', everybody],
  ['PATCH /orgs/acme/resources/types/acme%2Fmissing/classes/a', administrators, { description: '' }],
  ['DELETE /orgs/acme/resources/types/acme%2Fmissing/classes/a', administrators],
  ['GET /orgs/acme/resources/account-types', everybody],
  ['GET /orgs/acme/resources/accounts', everybody],
  [
    'POST /orgs/acme/resources/accounts',
    administrators,
    { id: 'new', name: 'n', type: 'local', credentials: {} },
  ],
  ['GET /orgs/acme/resources/accounts/missing', everybody],
  ['PATCH /orgs/acme/resources/accounts/missing', administrators, {}],
  ['DELETE /orgs/acme/resources/accounts/missing', administrators],
  ['POST /orgs/acme/resources/accounts/missing/actions/check', administrators],
  ['GET /orgs/acme/resources/drivers', everybody],
  [
    'POST /orgs/acme/resources/drivers',
    administrators,
    { id: 'mine', type: 's3', target: 'https://example.test', inputs_schema: {}, account_types: [] },
  ],
  ['GET /orgs/acme/resources/drivers/missing', everybody],
  [
    'PUT /orgs/acme/resources/drivers/missing',
    administrators,
    { type: 's3', target: 'https://example.test', inputs_schema: {}, account_types: [] },
  ],
  ['DELETE /orgs/acme/resources/drivers/missing', administrators],
  ...(['defs', 'dynamic'] as const).flatMap((path): [string, readonly string[], unknown?][] => [
    [`GET /orgs/acme/resources/${path}`, everybody],
    [
      `POST /orgs/acme/resources/${path}`,
      administrators,
      { id: 'new', name: 'n', type: 's3', driver_type: 'x/y' },
    ],
    [`GET /orgs/acme/resources/${path}/missing`, everybody],
    [`PUT /orgs/acme/resources/${path}/missing`, administrators, { name: 'n' }],
    [`PATCH /orgs/acme/resources/${path}/missing`, administrators, {}],
    [`DELETE /orgs/acme/resources/${path}/missing`, administrators],
    [`POST /orgs/acme/resources/${path}/missing/criteria`, administrators, {}],
    [`PUT /orgs/acme/resources/${path}/missing/criteria`, administrators, []],
    [`DELETE /orgs/acme/resources/${path}/missing/criteria/0f`, administrators],
  ]),
  ['GET /orgs/acme/resources/defs/missing/versions', everybody],
  ['GET /orgs/acme/resources/defs/missing/versions/0f', everybody],
  ['GET /orgs/acme/apps/shop/deltas', viewers],
  ['POST /orgs/acme/apps/shop/deltas', developers, {}],
  ['GET /orgs/acme/apps/shop/deltas/missing', viewers],
  ['PATCH /orgs/acme/apps/shop/deltas/missing', developers, []],
  ['PUT /orgs/acme/apps/shop/deltas/missing', developers, {}],
  ['PUT /orgs/acme/apps/shop/deltas/missing/metadata/archived', developers, true],
  ['PUT /orgs/acme/apps/shop/deltas/missing/metadata/env_id', developers, 'development'],
  ['PUT /orgs/acme/apps/shop/deltas/missing/metadata/name', developers, 'Draft'],
  ['GET /orgs/acme/apps/shop/sets', viewers],
  ['GET /orgs/acme/apps/shop/sets/missing', viewers],
  ['POST /orgs/acme/apps/shop/sets/missing', developers, {}],
  ['GET /orgs/acme/apps/shop/sets/missing/diff/missing', viewers],
  [
    'POST /orgs/acme/apps/shop/pipeline-runs',
    deployers,
    { trigger: 'deployment_request', env_id: 'development', delta_id: 'missing' },
  ],
  ['GET /orgs/acme/apps/shop/pipelines/default/runs/missing', viewers],
  ['GET /orgs/acme/apps/shop/envs/development/deploys', viewers],
  ['POST /orgs/acme/apps/shop/envs/development/deploys', deployers, {}],
  ['GET /orgs/acme/apps/shop/envs/development/deploys/missing', viewers],
  ['GET /orgs/acme/apps/shop/envs/development/deploys/missing/errors', viewers],
  ['GET /orgs/acme/apps/shop/envs/development/resources', viewers],
  ['DELETE /orgs/acme/apps/shop/envs/development/resources/dns/shared.main', administrators],
  ['GET /orgs/acme/apps/shop/envs/development/resources/explain', viewers],
  ['POST /orgs/acme/apps/shop/envs/development/deploys?dry_run=true', deployers, {}],
  ['POST /orgs/acme/apps/shop/envs/development/resources/graphs', viewers, []],
  ['POST /orgs/acme/apps/shop/envs/development/resources/graph', viewers, []],
  ['GET /orgs/acme/apps/shop/sets/missing/resources', viewers],
  ['GET /orgs/acme/resources/defs/dns-any/resources', administrators],
  ...['', '/envs/development'].flatMap((place): [string, readonly string[], unknown?][] => [
    [`GET /orgs/acme/apps/shop${place}/values`, viewers],
    [`POST /orgs/acme/apps/shop${place}/values`, developers, { key: 'A', description: '', value: 'a' }],
    [`DELETE /orgs/acme/apps/shop${place}/values`, developers],
    [`PUT /orgs/acme/apps/shop${place}/values/missing`, developers, { description: '' }],
    [`PATCH /orgs/acme/apps/shop${place}/values/missing`, developers, {}],
    [`DELETE /orgs/acme/apps/shop${place}/values/missing`, developers],
    [`GET /orgs/acme/apps/shop${place}/value-set-versions`, viewers],
    [`GET /orgs/acme/apps/shop${place}/value-set-versions/0f`, viewers],
  ]),
  ['GET /orgs/acme/apps/shop/webhooks', webhookManagers],
  ['POST /orgs/acme/apps/shop/webhooks', webhookManagers, { id: 'new', url: 'hooks.example.com' }],
  ['GET /orgs/acme/apps/shop/webhooks/missing', webhookManagers],
  ['PATCH /orgs/acme/apps/shop/webhooks/missing', webhookManagers, {}],
  ['DELETE /orgs/acme/apps/shop/webhooks/missing', webhookManagers],
  ['DELETE /orgs/acme/apps/shop/jobs', webhookManagers],
  ['POST /orgs/acme/apps/shop/webhooks/missing/actions/rotate-secret', webhookManagers],
  ['GET /orgs/acme/apps/shop/webhooks/missing/calls', webhookManagers],
  ['POST /orgs/acme/apps/shop/webhooks/missing/calls/missing/redeliver', webhookManagers],
  ['GET /orgs/acme/events', everybody],
  ['GET /orgs/acme/audit-logs', administrators],
  ['GET /current-user', everybody],
  ['PATCH /current-user', everybody, {}],
  ['GET /orgs/acme/users', administrators],
  ['POST /orgs/acme/users', administrators, { name: 'New', role: 'member' }],
  ['GET /orgs/acme/users/robot', administrators],
  ['GET /orgs/acme/users/robot/perms', administrators],
  ['PATCH /orgs/acme/users/robot', administrators, { role: 'manager' }],
  ['DELETE /orgs/acme/users/robot', administrators],
  ['GET /orgs/acme/apps/shop/users', owners],
  ['POST /orgs/acme/apps/shop/users', owners, { id: 'robot', role: 'viewer' }],
  ['GET /orgs/acme/apps/shop/users/viewer', owners],
  ['PATCH /orgs/acme/apps/shop/users/viewer', owners, { role: 'developer' }],
  ['DELETE /orgs/acme/apps/shop/users/viewer', owners],
  ['GET /orgs/acme/env-types/development/users', administrators],
  ['POST /orgs/acme/env-types/development/users', administrators, { id: 'robot', role: 'deployer' }],
  ['GET /orgs/acme/env-types/development/users/deployer', administrators],
  ['PATCH /orgs/acme/env-types/development/users/deployer', administrators, { role: 'deployer' }],
  ['DELETE /orgs/acme/env-types/development/users/deployer', administrators],
  ['GET /users/robot/tokens', administrators],
  ['POST /users/robot/tokens', administrators, { id: 'new' }],
  ['GET /users/robot/tokens/robot', administrators],
  ['DELETE /users/robot/tokens/robot', administrators],
]

/** The hand-written rule for an operation: who may, and with what body. */
export function ruleOf({ method, path }: Endpoint) {
  const pattern = new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  const [, allowed, body] = rules.find(([operation]) => pattern.test(operation)) ?? []
  return { allowed: allowed ?? [], body }
}
