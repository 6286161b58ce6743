import { newObject } from '../../operator/api/kind.ts'
import { annotations } from '../../operator/api/names.ts'
import { ResourceAccount } from '../../operator/api/resource-account.ts'
import type { Static } from '../../operator/api/schema.ts'
import type { Caller } from '../authenticate.ts'
import type { Gateway } from '../endpoint.ts'
import { forgetTrial, tryCredentials } from './account-check.ts'
import type { newAccountShape } from './account-shape.ts'
import { newMetadata } from './find.ts'
import { inputsSecret, newSecretName, type SecretData } from './secret-refs.ts'
import { undoing } from './undo.ts'

/** A new account that a request asks for. */
interface NewAccount {
  readonly organization: string
  readonly body: Static<typeof newAccountShape>
  readonly data: SecretData
  /** Whether the provider has to accept the credentials. */
  readonly isTried: boolean
}

/** What a request changes in an account. */
interface AccountChange {
  readonly name: string | undefined
  readonly data: SecretData | undefined
  readonly isTried: boolean
  /** Whether all that happens is that the credentials are tried. */
  readonly isDryRun: boolean
}

/** Writes a new account and the Secret that it owns; nothing is left when the credentials do not work. */
export async function createAccount(
  { organization, body, data, isTried }: NewAccount,
  caller: Caller,
  gateway: Gateway,
): Promise<ResourceAccount> {
  const { cluster, log } = gateway
  const secretName = Object.keys(data).length > 0 ? newSecretName(body.id, 'credentials') : undefined
  const wanted = newObject(ResourceAccount, newMetadata(organization, body.id, caller), {
    type: body.type,
    displayName: body.name,
    ...(secretName === undefined ? {} : { credentialsSecretName: secretName }),
  })
  const account = await cluster.create(ResourceAccount, wanted)
  // The owner comes first, so that a Secret never stays without one.
  await undoing(
    log,
    () => cluster.remove(ResourceAccount, account),
    async () => {
      if (secretName !== undefined) await cluster.createSecret(inputsSecret(account, secretName, data))
      if (isTried) await tryCredentials(account, gateway)
    },
  )
  return account
}

/** New credentials are a new Secret; the operator takes the old one away when it sees the new reference. */
export async function changeAccount(
  account: ResourceAccount,
  { name, data, isTried, isDryRun }: AccountChange,
  gateway: Gateway,
): Promise<ResourceAccount> {
  const { cluster } = gateway
  const secretName =
    data && Object.keys(data).length > 0 ? newSecretName(account.metadata.name, 'credentials') : undefined
  if (data && secretName !== undefined) await cluster.createSecret(inputsSecret(account, secretName, data))
  if (isTried) await tryFirst(account, secretName, isDryRun, gateway)
  if (isDryRun || (name === undefined && data === undefined)) return account
  const { uid } = account.metadata
  return cluster.patch(ResourceAccount, account, {
    // A trial that is over must not keep what it tried.
    metadata: { uid, ...(data === undefined ? {} : { annotations: { [annotations.check]: null } }) },
    spec: {
      ...(name === undefined ? {} : { displayName: name }),
      ...(data === undefined ? {} : { credentialsSecretName: secretName ?? null }),
    },
  })
}

/** Tries credentials before they are used; those that are not going to be are taken away. */
async function tryFirst(
  account: ResourceAccount,
  secretName: string | undefined,
  isDryRun: boolean,
  gateway: Gateway,
): Promise<void> {
  let isUsed = false
  try {
    await tryCredentials(account, gateway, secretName)
    isUsed = !isDryRun
  } finally {
    if (secretName !== undefined && !isUsed) await forgetTrial(account, gateway)
  }
}
