import { newObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { ResourceAccount } from '../../../operator/api/resource-account.ts'
import type { Static } from '../../../operator/api/schema.ts'
import type { Caller } from '../../authenticate.ts'
import type { Gateway } from '../../endpoint.ts'
import { changeObject } from '../common/change.ts'
import { newMetadata } from '../common/find.ts'
import { addSecret, createWithSecret, refuseOtherThan, withoutAnnouncement } from '../common/owned-secret.ts'
import { untilAnswered } from '../common/rollback.ts'
import { newSecretName, type SecretData } from '../common/secret-refs.ts'
import {
  forgetTrial,
  inAccountTurn,
  latestOf,
  newTrial,
  refuseOtherTrial,
  trialOf,
  tryCredentials,
  withoutTrial,
} from './account-check.ts'
import type { newAccountShape } from './account-shape.ts'

/** A trial is over within this time, whatever becomes of whoever asked for it. */
const trialMs = 120_000

/** A new account that a request asks for. */
interface NewAccount {
  readonly organization: string
  readonly body: Static<typeof newAccountShape>
  readonly data: SecretData
  /** Whether the provider has to accept the credentials. */
  readonly isTried: boolean
  /** Whether the account is there for the trial alone. */
  readonly isDryRun: boolean
}

/** What a request changes in an account. */
interface AccountChange {
  readonly name: string | undefined
  readonly data: SecretData | undefined
  readonly isTried: boolean
  /** Whether all that happens is that the credentials are tried. */
  readonly isDryRun: boolean
}

/** Writes a new account and the Secret that it owns; nothing is left when the credentials do not work, or of a dry run. */
export async function createAccount(
  { organization, body, data, isTried, isDryRun }: NewAccount,
  caller: Caller,
  gateway: Gateway,
): Promise<ResourceAccount> {
  const { cluster, now } = gateway
  const secretName = Object.keys(data).length > 0 ? newSecretName(body.id, 'credentials') : undefined
  const metadata = newMetadata(organization, body.id, caller)
  const trial = { [annotations.trialUntil]: new Date(now() + trialMs).toISOString() }
  const wanted = newObject(
    ResourceAccount,
    isDryRun ? { ...metadata, annotations: { ...metadata.annotations, ...trial } } : metadata,
    {
      type: body.type,
      displayName: body.name,
      ...(secretName === undefined ? {} : { credentialsSecretName: secretName }),
    },
  )
  const secret = secretName === undefined ? undefined : { name: secretName, data }
  const creation = { kind: ResourceAccount, wanted, secret, what: `account '${body.id}'` }
  await refuseOtherThan(creation, cluster)
  if (isDryRun && !isTried) return wanted
  const account = await createWithSecret(creation, gateway, async (made) => {
    if (isTried) await inAccountTurn(made, gateway, () => tryCredentials(made, gateway))
  })
  if (isDryRun) await untilAnswered(() => cluster.remove(ResourceAccount, account))
  return account
}

/** New credentials are a new Secret; the operator takes the old one away when it sees the new reference. */
export function changeAccount(
  account: ResourceAccount,
  change: AccountChange,
  gateway: Gateway,
): Promise<ResourceAccount> {
  const { name, data, isTried } = change
  if (data !== undefined || isTried)
    return inAccountTurn(account, gateway, () => changeCredentials(account, change, gateway))
  if (name === undefined) return Promise.resolve(account)
  return changeObject(gateway.cluster, ResourceAccount, account, (current) => renamed(current, name))
}

async function changeCredentials(
  account: ResourceAccount,
  { name, data, isTried, isDryRun }: AccountChange,
  gateway: Gateway,
): Promise<ResourceAccount> {
  const { cluster } = gateway
  const secretName =
    data && Object.keys(data).length > 0 ? newSecretName(account.metadata.name, 'credentials') : undefined
  const trial = isTried ? newTrial(secretName) : undefined
  if (data && secretName !== undefined)
    await addSecret(ResourceAccount, account, { name: secretName, data }, gateway)
  let isUsed = false
  try {
    if (trial !== undefined) await tryCredentials(account, gateway, trial)
    if (isDryRun || (name === undefined && data === undefined)) return account
    const changed = await changeObject(cluster, ResourceAccount, latestOf(account, gateway), (current) => {
      const named = renamed(current, name)
      if (data === undefined) return named
      const changed = withCredentials(named, secretName, trial)
      return secretName === undefined ? changed : withoutAnnouncement(changed, secretName)
    })
    isUsed = true
    return changed
  } finally {
    if (trial !== undefined && secretName !== undefined && !isUsed) await forgetTrial(account, gateway, trial)
  }
}

function renamed(account: ResourceAccount, name: string | undefined): ResourceAccount {
  return name === undefined ? account : { ...account, spec: { ...account.spec, displayName: name } }
}

/** The account with other credentials or none; what was tried stays as long as a trial names it. */
function withCredentials(
  account: ResourceAccount,
  secretName: string | undefined,
  trial: string | undefined,
): ResourceAccount {
  if (trial !== undefined && secretName !== undefined) refuseOtherTrial(account, trial)
  const { credentialsSecretName: _, ...spec } = account.spec
  const changed = {
    ...account,
    spec: { ...spec, ...(secretName === undefined ? {} : { credentialsSecretName: secretName }) },
  }
  // A trial that is over must not keep what it tried; another gateway may wait for the end of one that is not.
  const isOver = trialOf(account) === account.status?.check?.request
  return isOver ? withoutTrial(changed) : changed
}
