import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { annotations } from '../../../operator/api/names.ts'
import { ResourceAccount } from '../../../operator/api/resource-account.ts'
import { list, object, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { withLock } from '../../../operator/domain/base/keyed-mutex.ts'
import { type Endpoint, endpoint, type Gateway, ok } from '../../endpoint.ts'
import { errorShape, named } from '../../response/shapes.ts'
import { changeObject, patchObject } from '../common/change.ts'
import { findOrThrow, organizationKey } from '../common/find.ts'
import { withoutPendingSecret } from '../common/owned-secret.ts'

const checkTimeoutMs = 15_000
const pollIntervalMs = 50

type Check = NonNullable<NonNullable<ResourceAccount['status']>['check']>

const accountCheckShape = named(
  'AccountCheck',
  object(
    {
      identity_fields: list(
        object(
          {
            id: string('Name of the field.'),
            description: string('Description of the field.'),
            value: string('Value of the field.'),
          },
          {},
          'A field.',
        ),
        'Identity that the credentials belong to, as the provider reports it.',
      ),
    },
    { warnings: list(string('A warning.'), 'Checks that could not be made.') },
    'Result of a successful credential check.',
  ),
)

/** Runs work that checks or changes the credentials of an account, one at a time per account. */
export function withAccountLock<T>(
  { metadata: { namespace, name } }: ResourceAccount,
  { accountLocks }: Gateway,
  work: () => Promise<T>,
): Promise<T> {
  return withLock(accountLocks, organizationKey(namespace, name), work)
}

/** Returns a new request for a credential check: of the current credentials, or of another Secret of the account. */
export function newCheckRequest(secretName?: string): string {
  return secretName === undefined ? randomUUID() : `${randomUUID()}/${secretName}`
}

/** Returns the credential check that an account requests. */
export function checkRequestOf({ metadata }: ResourceAccount): string | undefined {
  return metadata.annotations?.[annotations.check]
}

/** Removes the requested check and the announcement of the Secret that it checks. */
export function withoutCheckRequest(account: ResourceAccount): ResourceAccount {
  const { [annotations.check]: request, ...others } = account.metadata.annotations ?? {}
  const untried = { ...account, metadata: { ...account.metadata, annotations: others } }
  const [, secretName] = request?.split('/') ?? []
  return secretName === undefined ? untried : withoutPendingSecret(untried, secretName)
}

/** Returns the cached account; throws NotFound if it was deleted or replaced. */
export function cachedAccount(
  { metadata }: ResourceAccount,
  { cluster: { store } }: Gateway,
): ResourceAccount {
  const { namespace, name, uid } = metadata
  const latest = store.get(ResourceAccount, namespace, name)
  if (latest && latest.metadata.uid === uid) return latest
  throw new Problem('NotFound', `account '${name}' not found`)
}

/** Throws Conflict if another gateway replaced the check. */
export function refuseReplacedCheck(account: ResourceAccount, request: string): void {
  if (checkRequestOf(account) === request) return
  throw new Problem('Conflict', `other credentials of account '${account.metadata.name}' are being checked`)
}

/** Only the operator can read credentials: an annotation requests the check, the status contains its result. */
async function requestCheck(account: ResourceAccount, gateway: Gateway, request: string): Promise<Check> {
  const { name } = account.metadata
  await patchObject(gateway.cluster, ResourceAccount, account, {
    metadata: { annotations: { [annotations.check]: request } },
  })
  const deadline = performance.now() + checkTimeoutMs
  while (performance.now() < deadline) {
    const latest = cachedAccount(account, gateway)
    const { check } = latest.status ?? {}
    if (check?.request === request) return check
    refuseReplacedCheck(latest, request)
    await setTimeout(pollIntervalMs)
  }
  throw new Problem('Internal', `the operator did not check the credentials of account '${name}' in time`)
}

/** Returns the result of the check; throws Invalid if the provider rejects the credentials. */
export async function checkCredentials(
  account: ResourceAccount,
  gateway: Gateway,
  request = newCheckRequest(),
): Promise<Check> {
  const check = await requestCheck(account, gateway, request)
  if (check.accepted) return check
  const message = `the credentials of account '${account.metadata.name}' do not work: ${check.message ?? ''}`
  throw new Problem('Invalid', message)
}

/** Removes the check unless another one replaced it. The operator then deletes its unused Secret. */
export async function removeCheckRequest(
  account: ResourceAccount,
  gateway: Gateway,
  request: string,
): Promise<void> {
  await changeObject(gateway.cluster, ResourceAccount, cachedAccount(account, gateway), (current) =>
    checkRequestOf(current) === request ? withoutCheckRequest(current) : current,
  )
}

/** Credential checks. */
export const accountChecks: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/resources/accounts/{account_id}/actions/check',
    summary: 'Check the credentials of a resource account with the provider',
    tag: 'Resource accounts',
    access: { organization: 'administrator' },
    responses: { 200: accountCheckShape, 409: errorShape },
    async handle({ params: { org_id, account_id } }, gateway) {
      const account = findOrThrow(gateway.cluster.store, ResourceAccount, org_id, account_id, 'account')
      const { message, fields = [] } = await withAccountLock(account, gateway, () =>
        checkCredentials(account, gateway),
      )
      return ok({ identity_fields: fields, warnings: message === undefined ? undefined : [message] })
    },
  }),
]
