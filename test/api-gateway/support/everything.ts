import { newObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { ResourceAccount } from '../../../operator/api/resource-account.ts'
import { Webhook, WebhookCall } from '../../../operator/api/webhook.ts'
import { emptySet, setId } from '../../../operator/domain/delta/delta.ts'
import { kindsInStore } from '../../../operator/kube/cache/kinds-in-store.ts'
import type { FakeCluster } from './fake-cluster.ts'
import type { TestGateway } from './gateway.ts'
import { addEnvironment, addResource, finish } from './objects.ts'

/** Values of the path parameters that name something which is there. */
export type Ids = Readonly<Record<string, string>>

/** Puts one of everything that a path can name into an organization, under names that begin with `prefix`. */
export async function addEverything(
  gateway: TestGateway,
  organization: string,
  prefix: string,
  application = `${prefix}-app`,
): Promise<Ids> {
  const ids: Record<string, string> = {
    org_id: organization,
    env_type_id: `${prefix}-stage`,
    account_id: `${prefix}-account`,
    driver_id: `${prefix}-driver`,
    def_id: `${prefix}-def`,
    type_id: `${organization}/${prefix}-type`,
    class_id: `${prefix}-class`,
    pipeline_id: 'default',
    user_id: `${prefix}-robot`,
    token_id: `${prefix}-token`,
    registry_id: `${prefix}-registry`,
  }
  const { registry_id, account_id, driver_id, def_id, type_id, class_id, user_id, env_type_id, token_id } =
    ids
  const send = sender(gateway)
  const org = `/orgs/${organization}`
  await send(`POST ${org}/env-types`, { id: env_type_id })
  await send(`POST ${org}/resources/types`, { type: type_id, use: 'direct' })
  const classes = `${org}/resources/types/${encodeURIComponent(type_id ?? '')}/classes`
  await send(`POST ${classes}`, { id: class_id, description: 'One' })
  const account = { id: account_id, name: 'Account', type: 'local', credentials: {} }
  await send(`POST ${org}/resources/accounts`, account)
  const registry = { id: registry_id, registry: `${prefix}.example.com`, type: 'public' }
  await send(`POST ${org}/registries`, registry)
  const image = { type: 'container', name: `${prefix}.example.com/web`, version: '1' }
  const registered = await send(`POST ${org}/artefact-versions`, image)
  const driver = { type: 's3', target: 'https://example.test', inputs_schema: {}, account_types: [] }
  await send(`POST ${org}/resources/drivers`, { id: driver_id, ...driver })
  const values = { host: prefix }
  const definition = {
    name: 'DNS',
    type: 'dns',
    driver_type: 'quartermaster/echo',
    driver_inputs: { values },
  }
  await send(`POST ${org}/resources/defs`, { id: def_id, ...definition })
  const criterion = await send(`POST ${org}/resources/defs/${def_id}/criteria`, { class: class_id })
  const [version] = await send(`GET ${org}/resources/defs/${def_id}/versions`)
  gateway.addUser(user_id ?? '', { type: 'service', organizationName: organization })
  gateway.addMember(organization, user_id ?? '', { role: 'member' })
  await send(`POST /users/${user_id}/tokens`, { id: token_id })
  const roleOnType = { id: user_id, role: 'deployer' }
  await send(`POST ${org}/env-types/${env_type_id}/users`, roleOnType)
  const known = {
    ...ids,
    criterion_id: criterion.id,
    version_id: version.id,
    image_id: image.name,
    artefact_id: registered.artefact_id,
    artefact_version_id: registered.id,
  }
  return { ...known, ...(await addApplication(gateway, organization, application, prefix, user_id)) }
}

/** An application with one of everything that belongs to one. */
export async function addApplication(
  gateway: TestGateway,
  organization: string,
  application: string,
  prefix: string,
  user?: string,
): Promise<Ids> {
  const send = sender(gateway)
  const environment = `${prefix}-env`
  const app = `/orgs/${organization}/apps/${application}`
  addEnvironment(gateway, environment, 'development', application, organization)
  const web = { profile: 'humanitec/default-module', spec: { name: prefix } }
  const changes = { metadata: { env_id: environment }, modules: { add: { web } } }
  const draft = await send(`POST ${app}/deltas`, changes)
  const deployed = await send(`POST ${app}/deltas`, changes)
  const deploys = `${app}/envs/${environment}/deploys`
  const { id: deployment } = await send(`POST ${deploys}`, { delta_id: deployed.id })
  finish(gateway, deployment, undefined, organization)
  const set_id = await send(`POST ${app}/sets/${setId(emptySet)}`, { modules: changes.modules })
  const key = `${prefix.toUpperCase()}_KEY`
  const value = { key, description: '', value: 'a' }
  await send(`POST ${app}/values`, value)
  await send(`POST ${app}/envs/${environment}/values`, value)
  const [version] = await send(`GET ${app}/value-set-versions`)
  if (user !== undefined) await send(`POST ${app}/users`, { id: user, role: 'viewer' })
  const rule = await send(`POST ${app}/envs/${environment}/rules`, { type: 'update' })
  const webhook = `${prefix}-hook`
  const metadata = { namespace: organization, name: webhook }
  const hook = { applicationName: application, url: 'hooks.example.com' }
  gateway.cluster.put(Webhook, newObject(Webhook, metadata, hook))
  const call = { webhookName: webhook, eventId: 'e1', event: 'environment.created', variables: {} }
  const callMetadata = { namespace: organization, name: `${prefix}-call` }
  gateway.cluster.put(WebhookCall, newObject(WebhookCall, callMetadata, call))
  addResource(gateway, { organization, application, environment, resourceId: `shared.${prefix}` })
  return {
    app_id: application,
    env_id: environment,
    delta_id: draft.id,
    set_id,
    source_set_id: set_id,
    deploy_id: deployment,
    graph_id: set_id,
    run_id: deployment,
    value_key: key,
    value_set_version_id: version.id,
    webhook_id: webhook,
    rule_id: rule.id,
    call_id: callMetadata.name,
    res_type: 'dns',
    res_id: `shared.${prefix}`,
  }
}

function sender(gateway: TestGateway) {
  return async (operation: string, body?: unknown) => {
    const answer = await gateway.send(operation, { body })
    if (answer.status < 300) return answer.body
    throw new Error(`${operation} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  }
}

/** The path of an operation with ids in the place of its parameters. */
export function pathWith(path: string, ids: Ids): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? `no-${name}`))
}

/** Records the content of the cluster; returns a function that restores all of it. */
export function keepState({ store, ...cluster }: FakeCluster): () => void {
  const objects = kindsInStore.map(({ kind }) => [kind, Array.from(store.cacheOf(kind).all())] as const)
  const organizations = store.organizations().map(({ id }) => id)
  return () => {
    cluster.reset()
    for (const id of organizations) cluster.addOrganization(id)
    for (const [kind, all] of objects) for (const each of all) cluster.put(kind, each)
  }
}

/** Accepts all credentials of accounts, as the operator does when the provider does. */
export function acceptCredentials({ store, setStatus }: FakeCluster): void {
  store.cacheOf(ResourceAccount).subscribe(({ after: account }) => {
    if (!account) return
    const { namespace, name, annotations: given } = account.metadata
    const request = given?.[annotations.check]
    if (request === undefined || account.status?.check?.request === request) return
    setImmediate(() => {
      if (store.get(ResourceAccount, namespace, name))
        setStatus(ResourceAccount, namespace, name, { check: { request, accepted: true } })
    })
  })
}
