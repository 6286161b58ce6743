import { createHash, randomBytes } from 'node:crypto'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import type { Membership } from '../../../operator/api/access.ts'
import { emptySet, setId } from '../../../operator/domain/delta/delta.ts'
import { type Ids } from '../../api-gateway/support/everything.ts'
import { makeTestOrganization, type Organization } from './client.ts'
import type { SharedCluster } from './shared-cluster.ts'

const system = '/apis/quartermaster.dev/v1alpha1/namespaces/quartermaster-system'
const apiVersion = 'quartermaster.dev/v1alpha1'

/** A user of the cluster with an API token. */
interface TestUser {
  readonly name: string
  readonly token: string
}

/** Makes a user with a token, and takes both away again. */
export async function makeUser(
  { access }: SharedCluster,
  prefix: string,
): Promise<TestUser & { remove(): Promise<void> }> {
  const name = `${prefix}-${randomBytes(4).toString('hex')}`
  const token = `qm_${name}_${randomBytes(16).toString('hex')}`
  const sha256 = createHash('sha256').update(token).digest('hex')
  const metadata = { name }
  await apiCall(access, 'POST', `${system}/users`, {
    apiVersion,
    kind: 'User',
    metadata,
    spec: { type: 'human' },
  })
  const spec = { userName: name, sha256 }
  await apiCall(access, 'POST', `${system}/accesstokens`, { apiVersion, kind: 'AccessToken', metadata, spec })
  return {
    name,
    token,
    async remove() {
      for (const plural of ['accesstokens', 'users'])
        await apiCall(access, 'DELETE', `${system}/${plural}/${name}`).catch(() => undefined)
    },
  }
}

/** Makes a user a member. */
export async function makeMember(
  organization: Organization,
  { name }: TestUser,
  spec: Membership['spec'],
): Promise<void> {
  await organization.apply('memberships', 'Membership', name, spec)
}

/** An organization of the real cluster with one of everything that a path can name. */
export async function makeEverything(
  cluster: SharedCluster,
  prefix: string,
): Promise<{ readonly organization: Organization; readonly ids: Ids }> {
  const organization = await makeTestOrganization(cluster, prefix)
  const send = async (operation: string, body?: unknown) => {
    const [method = '', path = ''] = operation.split(' ')
    const answer = await organization.rest(method, path, body)
    if (answer.status >= 300) throw new Error(`${operation}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const type_id = `${organization.id}/thing`
  await send('POST /env-types', { id: 'stage' })
  await send('POST /resources/types', { type: type_id, use: 'direct' })
  await send(`POST /resources/types/${encodeURIComponent(type_id)}/classes`, { id: 'large', description: '' })
  await send('POST /resources/accounts', { id: 'cloud', name: 'Cloud', type: 'any', credentials: {} })
  const driver = { type: 's3', target: 'https://example.test', inputs_schema: {}, account_types: [] }
  await send('POST /resources/drivers', { id: 'mine', ...driver })
  const definition = {
    id: 'dns-all',
    name: 'DNS',
    type: 'dns',
    driver_type: 'quartermaster/echo',
    driver_inputs: { values: { host: 'a.test' } },
  }
  await send('POST /resources/defs', definition)
  const criterion = await send('POST /resources/defs/dns-all/criteria', {})
  const [version] = await send('GET /resources/defs/dns-all/versions')
  const user = await send('POST /users', { name: 'Robot', role: 'member' })
  await send('POST /apps', {
    id: 'shop',
    name: 'Shop',
    env: { id: 'development', name: 'Dev', type: 'development' },
  })
  const changes = {
    metadata: { env_id: 'development' },
    shared: [{ op: 'add', path: '/main', value: { type: 'dns' } }],
  }
  const draft = await send('POST /apps/shop/deltas', changes)
  const deployed = await send('POST /apps/shop/deltas', changes)
  const deployment = await send('POST /apps/shop/envs/development/deploys', { delta_id: deployed.id })
  await organization.ended(deployment.id)
  const set_id = await send(`POST /apps/shop/sets/${setId(emptySet)}`, { shared: changes.shared })
  for (const place of ['', '/envs/development'])
    await send(`POST /apps/shop${place}/values`, { key: 'KEY', description: '', value: 'a' })
  const [values] = await send('GET /apps/shop/value-set-versions')
  const token = await fetch(`${cluster.gatewayUrl}/users/${user.id}/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${cluster.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'ci' }),
  })
  if (!token.ok) throw new Error(`the token of '${user.id}': ${token.status}`)
  await send('POST /apps/shop/users', { id: user.id, role: 'viewer' })
  await send('POST /env-types/stage/users', { id: user.id, role: 'deployer' })
  const rule = await send('POST /apps/shop/envs/development/rules', { type: 'update' })
  await send('POST /registries', { id: 'builds', registry: 'registry.example.com', type: 'public' })
  const image = { type: 'container', name: 'registry.example.com/web', version: '1' }
  const artefact = await send('POST /artefact-versions', image)
  await send('POST /apps/shop/webhooks', { id: 'chat', url: 'hooks.example.com' })
  const ids = {
    org_id: organization.id,
    env_type_id: 'stage',
    account_id: 'cloud',
    driver_id: 'mine',
    def_id: 'dns-all',
    type_id,
    class_id: 'large',
    pipeline_id: 'default',
    user_id: user.id,
    token_id: 'ci',
    criterion_id: criterion.id,
    version_id: version.id,
    app_id: 'shop',
    env_id: 'development',
    delta_id: draft.id,
    set_id,
    source_set_id: set_id,
    deploy_id: deployment.id,
    run_id: deployment.id,
    value_key: 'KEY',
    value_set_version_id: values.id,
    webhook_id: 'chat',
    rule_id: rule.id,
    registry_id: 'builds',
    image_id: image.name,
    artefact_id: artefact.artefact_id,
    artefact_version_id: artefact.id,
    res_type: 'dns',
    res_id: 'shared.main',
  }
  return { organization, ids }
}
