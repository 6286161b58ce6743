import { newObject } from '../../operator/api/kind.ts'
import { ResourceAccount } from '../../operator/api/resource-account.ts'
import { list, oneOf, type Static } from '../../operator/api/schema.ts'
import { Problem } from '../../operator/domain/errors.ts'
import type { Store } from '../../operator/kube/cluster.ts'
import type { Caller } from '../authenticate.ts'
import { type Endpoint, endpoint, type Gateway, noContent, ok } from '../endpoint.ts'
import { errorShape } from '../shapes.ts'
import {
  accountChangesShape,
  accountShape,
  accountTypeShape,
  accountTypes,
  newAccountShape,
  toAccount,
  usesOf,
} from './account-shape.ts'
import { find, findAll, newMetadata, refuseTaken } from './find.ts'
import { credentialsData, inputsSecret, newSecretName, type SecretData } from './secret-refs.ts'
import { undoing } from './undo.ts'

const tag = 'Resource accounts'
const dryRun = {
  dry_run: oneOf(['true', 'false'], 'Whether the request is only checked. False when absent.'),
}

async function createAccount(
  organization: string,
  body: Static<typeof newAccountShape>,
  data: SecretData,
  caller: Caller,
  { cluster, log }: Gateway,
): Promise<ResourceAccount> {
  const secretName = Object.keys(data).length > 0 ? newSecretName(body.id, 'credentials') : undefined
  const wanted = newObject(ResourceAccount, newMetadata(organization, body.id, caller), {
    type: body.type,
    displayName: body.name,
    ...(secretName === undefined ? {} : { credentialsSecretName: secretName }),
  })
  const account = await cluster.create(ResourceAccount, wanted)
  if (secretName === undefined) return account
  // The owner comes first, so that a Secret never stays without one.
  await undoing(
    log,
    () => cluster.remove(ResourceAccount, account),
    () => cluster.createSecret(inputsSecret(account, secretName, data)),
  )
  return account
}

/** New credentials are a new Secret; the operator takes the old one away when it sees the new reference. */
async function changeAccount(
  account: ResourceAccount,
  name: string | undefined,
  data: SecretData | undefined,
  { cluster }: Gateway,
): Promise<ResourceAccount> {
  if (name === undefined && data === undefined) return account
  const secretName =
    data && Object.keys(data).length > 0 ? newSecretName(account.metadata.name, 'credentials') : undefined
  if (data && secretName !== undefined) await cluster.createSecret(inputsSecret(account, secretName, data))
  const { uid } = account.metadata
  return cluster.patch(ResourceAccount, account, {
    metadata: { uid },
    spec: {
      ...(name === undefined ? {} : { displayName: name }),
      ...(data === undefined ? {} : { credentialsSecretName: secretName ?? null }),
    },
  })
}

function findAccount(store: Store, organization: string, id: string): ResourceAccount {
  const found = find(store, ResourceAccount, organization, id)
  if (!found) throw new Problem('NotFound', `account '${id}' not found`)
  return found
}

/** Resource accounts. */
export const accounts: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/resources/account-types',
    summary: 'List the account types',
    tag,
    access: { organization: 'member' },
    responses: { 200: list(accountTypeShape, 'Account types.') },
    handle: () => ok(accountTypes),
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/resources/accounts',
    summary: 'List the resource accounts',
    tag,
    access: { organization: 'member' },
    responses: { 200: list(accountShape, 'Resource accounts.') },
    handle: ({ params: { org_id } }, { cluster: { store } }) =>
      ok(findAll(store, ResourceAccount, org_id).map((each) => toAccount(store, each))),
  }),
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/resources/accounts',
    summary: 'Create a resource account',
    tag,
    access: { organization: 'administrator' },
    query: dryRun,
    body: newAccountShape,
    responses: { 200: accountShape, 204: undefined, 409: errorShape },
    async handle({ params: { org_id }, query, body, caller }, gateway) {
      const { store } = gateway.cluster
      refuseTaken(store.get(ResourceAccount, org_id, body.id), `account '${body.id}'`)
      const data = credentialsData(body.credentials)
      if (query.dry_run === 'true') return noContent
      return ok(toAccount(store, await createAccount(org_id, body, data, caller, gateway)))
    },
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/resources/accounts/{account_id}',
    summary: 'Get a resource account',
    tag,
    access: { organization: 'member' },
    responses: { 200: accountShape },
    handle: ({ params: { org_id, account_id } }, { cluster: { store } }) =>
      ok(toAccount(store, findAccount(store, org_id, account_id))),
  }),
  endpoint({
    method: 'patch',
    path: '/orgs/{org_id}/resources/accounts/{account_id}',
    summary: 'Change the name or the credentials of a resource account',
    tag,
    access: { organization: 'administrator' },
    query: dryRun,
    body: accountChangesShape,
    responses: { 200: accountShape, 204: undefined },
    async handle({ params: { org_id, account_id }, query, body }, gateway) {
      const { store } = gateway.cluster
      const account = findAccount(store, org_id, account_id)
      const data = body.credentials && credentialsData(body.credentials)
      if (query.dry_run === 'true') return noContent
      return ok(toAccount(store, await changeAccount(account, body.name, data, gateway)))
    },
  }),
  endpoint({
    method: 'delete',
    path: '/orgs/{org_id}/resources/accounts/{account_id}',
    summary: 'Delete a resource account that nothing uses',
    tag,
    access: { organization: 'administrator' },
    responses: { 204: undefined, 409: errorShape },
    async handle({ params: { org_id, account_id } }, { cluster }) {
      const account = findAccount(cluster.store, org_id, account_id)
      const uses = usesOf(cluster.store, account)
      const { resource_definitions: definitions, active_resources: resources } = uses
      if (definitions.length + resources.length > 0) {
        const counts = `${definitions.length} resource definitions and ${resources.length} active resources`
        const text = `account '${account_id}' is used by ${counts}`
        throw new Problem('Conflict', text, { referencing_resources: uses })
      }
      await cluster.remove(ResourceAccount, account)
      return noContent
    },
  }),
]
