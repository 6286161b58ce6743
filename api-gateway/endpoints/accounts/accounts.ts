import { ResourceAccount } from '../../../operator/api/resource-account.ts'
import { list } from '../../../operator/api/schema.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { flag, isOn } from '../../request/boolean-query.ts'
import { errorShape } from '../../response/shapes.ts'
import { removeObject } from '../common/change.ts'
import { findAll, findOrThrow } from '../common/find.ts'
import { listEndpoint, nameOf } from '../common/list-endpoint.ts'
import { refuseUsed } from '../common/refuse-used.ts'
import { credentialsData } from '../common/secret-refs.ts'
import {
  accountChangesShape,
  accountShape,
  accountTypeShape,
  accountTypes,
  newAccountShape,
  refuseIncomplete,
  toAccount,
  usesOf,
} from './account-shape.ts'
import { changeAccount, createAccount } from './account-writing.ts'

const tag = 'Resource accounts'
const checks = {
  dry_run: flag('Whether to validate the request without writing anything.'),
  check_credential: flag('Whether to check the credentials with the provider first.'),
}

function findAccount(store: Store, organization: string, id: string): ResourceAccount {
  return findOrThrow(store, ResourceAccount, organization, id, 'account')
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
  listEndpoint({
    path: '/orgs/{org_id}/resources/accounts',
    summary: 'List the resource accounts',
    tag,
    access: { organization: 'member' },
    response: list(accountShape, 'Resource accounts.'),
    find: ({ params: { org_id } }, { cluster: { store } }) => findAll(store, ResourceAccount, org_id),
    positionOf: nameOf,
    show: (each, { cluster }) => toAccount(cluster.store, each),
  }),
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/resources/accounts',
    summary: 'Create a resource account',
    tag,
    access: { organization: 'administrator' },
    query: checks,
    body: newAccountShape,
    responses: { 200: accountShape, 204: undefined, 409: errorShape },
    async handle({ params: { org_id }, query, body, caller }, gateway) {
      const { store } = gateway.cluster
      refuseIncomplete(body.type, body.credentials)
      const data = credentialsData(body.credentials)
      const isChecked = isOn(query.check_credential)
      const isDryRun = isOn(query.dry_run)
      const wanted = { organization: org_id, body, data, isChecked, isDryRun }
      const account = await createAccount(wanted, caller, gateway)
      return isDryRun ? noContent : ok(toAccount(store, account))
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
    query: checks,
    body: accountChangesShape,
    responses: { 200: accountShape, 204: undefined, 409: errorShape },
    async handle({ params: { org_id, account_id }, query, body }, gateway) {
      const { store } = gateway.cluster
      const account = findAccount(store, org_id, account_id)
      if (body.credentials) refuseIncomplete(account.spec.type, body.credentials)
      const data = body.credentials && credentialsData(body.credentials)
      const isDryRun = isOn(query.dry_run)
      const isChecked = isOn(query.check_credential)
      if (isDryRun && !isChecked) return noContent
      const change = { name: body.name, data, isChecked, isDryRun }
      const changed = await changeAccount(account, change, gateway)
      return isDryRun ? noContent : ok(toAccount(store, changed))
    },
  }),
  endpoint({
    method: 'delete',
    path: '/orgs/{org_id}/resources/accounts/{account_id}',
    summary: 'Delete an unused resource account',
    tag,
    access: { organization: 'administrator' },
    responses: { 204: undefined, 409: errorShape },
    async handle({ params: { org_id, account_id } }, { cluster }) {
      const account = findAccount(cluster.store, org_id, account_id)
      refuseUsed('Conflict', `account '${account_id}'`, usesOf(cluster.store, account))
      await removeObject(cluster, ResourceAccount, account)
      return noContent
    },
  }),
]
