import { type Manifest, newObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { ResourceAccount } from '../../../operator/api/resource-account.ts'
import type { Static } from '../../../operator/api/schema.ts'
import type { Caller } from '../../authenticate.ts'
import type { Gateway } from '../../endpoint.ts'
import { changeObject, unlessShownAlike } from '../common/change.ts'
import { newMetadata } from '../common/find.ts'
import {
  addSecret,
  createWithSecret,
  refuseTakenUnlessIncomplete,
  withNewSecret,
} from '../common/owned-secret.ts'
import { retryUntilAnswered } from '../common/rollback.ts'
import { newSecretName, type SecretData } from '../common/secret-refs.ts'
import {
  cachedAccount,
  checkCredentials,
  checkRequestOf,
  newCheckRequest,
  refuseReplacedCheck,
  removeCheckRequest,
  withAccountLock,
  withoutCheckRequest,
} from './account-check.ts'
import { accountName, type newAccountShape } from './account-shape.ts'

/**
 * Time limit of a credential check for a dry run. The operator deletes the account afterwards if the gateway did
 * not.
 */
const dryRunTimeoutMs = 120_000

/** Request for a new account. */
interface NewAccount {
  readonly organization: string
  readonly body: Static<typeof newAccountShape>
  readonly data: SecretData
  /** Whether to check the credentials with the provider. */
  readonly isChecked: boolean
  /** Whether the account exists only for the credential check. */
  readonly isDryRun: boolean
}

/** Request for a change of an account. */
interface AccountChange {
  readonly name: string | undefined
  readonly data: SecretData | undefined
  readonly isChecked: boolean
  /** Whether to check the credentials only. */
  readonly isDryRun: boolean
}

/** Creates an account and its Secret; deletes both if the credentials do not work, and after a dry run. */
export async function createAccount(
  { organization, body, data, isChecked, isDryRun }: NewAccount,
  caller: Caller,
  gateway: Gateway,
): Promise<Manifest<typeof ResourceAccount>> {
  const { cluster, serverNow } = gateway
  const secretName = Object.keys(data).length > 0 ? newSecretName(body.id, 'credentials') : undefined
  const metadata = newMetadata(organization, body.id, caller)
  const expiry = { [annotations.trialUntil]: new Date(serverNow() + dryRunTimeoutMs).toISOString() }
  const wanted = newObject(
    ResourceAccount,
    isDryRun ? { ...metadata, annotations: { ...metadata.annotations, ...expiry } } : metadata,
    {
      type: body.type,
      displayName: body.name,
      credentialsSecretName: secretName,
    },
  )
  const secret = secretName === undefined ? undefined : { name: secretName, data }
  const creation = { kind: ResourceAccount, wanted, secret, what: `account '${body.id}'` }
  await refuseTakenUnlessIncomplete(creation, cluster)
  if (isDryRun && !isChecked) return wanted
  const account = await createWithSecret(creation, gateway, async (created) => {
    if (isChecked) await withAccountLock(created, gateway, () => checkCredentials(created, gateway))
  })
  if (isDryRun) await retryUntilAnswered(() => cluster.remove(ResourceAccount, account))
  return account
}

/** New credentials are written to a new Secret; the operator deletes the old one. */
export function changeAccount(
  account: ResourceAccount,
  change: AccountChange,
  gateway: Gateway,
): Promise<ResourceAccount> {
  const { name, data, isChecked } = change
  if (data !== undefined || isChecked)
    return withAccountLock(account, gateway, () => changeCredentials(account, change, gateway))
  if (name === undefined) return Promise.resolve(account)
  return changeObject(gateway.cluster, ResourceAccount, account, (current) => renamed(current, name))
}

async function changeCredentials(
  account: ResourceAccount,
  { name, data, isChecked, isDryRun }: AccountChange,
  gateway: Gateway,
): Promise<ResourceAccount> {
  const { cluster } = gateway
  const newName = newSecretName(account.metadata.name, 'credentials')
  const secretName = data && Object.keys(data).length > 0 ? newName : undefined
  const request = isChecked ? newCheckRequest(secretName) : undefined
  if (data && secretName !== undefined)
    await addSecret(ResourceAccount, account, { name: secretName, data }, gateway)
  let isUsed = false
  try {
    if (request !== undefined) await checkCredentials(account, gateway, request)
    if (isDryRun || (name === undefined && data === undefined)) return account
    const changed = await changeObject(
      cluster,
      ResourceAccount,
      cachedAccount(account, gateway),
      (current) => {
        const named = renamed(current, name)
        if (data === undefined) return named
        return withNewSecret(current, withCredentials(named, secretName, request), newName)
      },
    )
    isUsed = true
    return changed
  } finally {
    if (request !== undefined && secretName !== undefined && !isUsed)
      await removeCheckRequest(account, gateway, request)
  }
}

function renamed(account: ResourceAccount, name: string | undefined): ResourceAccount {
  if (name === undefined) return account
  return unlessShownAlike(account, { ...account, spec: { ...account.spec, displayName: name } }, accountName)
}

/** Replaces or removes the credentials. The checked Secret is kept while a check names it. */
function withCredentials(
  account: ResourceAccount,
  secretName: string | undefined,
  request: string | undefined,
): ResourceAccount {
  if (request !== undefined && secretName !== undefined) refuseReplacedCheck(account, request)
  const { credentialsSecretName: _, ...spec } = account.spec
  const changed = {
    ...account,
    spec: { ...spec, credentialsSecretName: secretName },
  }
  // Removes only a check that is finished, because another gateway may wait for an unfinished one.
  const isOver = checkRequestOf(account) === account.status?.check?.request
  return isOver ? withoutCheckRequest(changed) : changed
}
