import { annotations } from '../api/names.ts'
import { ResourceAccount } from '../api/resource-account.ts'
import type { FreeForm } from '../api/schema.ts'
import { redact } from '../domain/secret/redact.ts'
import type { AccountCheck, Driver } from '../drivers/driver.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { keyOf } from '../kube/client/resource.ts'
import type { Controller } from '../kube/loop/controller.ts'
import { withinDeadline } from './active-resource/driver-call.ts'
import { createOwnedSecrets } from './shared/owned-secrets.ts'
import { createSecretReader } from './shared/secrets.ts'

const checkDeadlineMs = 10_000
const longestTrialMs = 300_000

/** The Secret with the credentials to check, instead of those in use. */
function candidateOf({ metadata }: ResourceAccount): string | undefined {
  const [, name] = metadata.annotations?.[annotations.check]?.split('/') ?? []
  return name
}

/** Milliseconds until a trial account is deleted, by the clock of the API server; undefined for any other account. */
function trialMsOf({ metadata }: ResourceAccount, serverNow: () => number): number | undefined {
  const end = Date.parse(metadata.annotations?.[annotations.trialUntil] ?? '')
  return Number.isNaN(end) ? undefined : Math.max(0, Math.min(end - serverNow(), longestTrialMs))
}

/**
 * An account is ready when its credentials exist, or when it needs none. The annotation `quartermaster.dev/check` makes a
 * driver check the credentials; the status has the result. A trial account is deleted when its time is over by `serverNow`, the clock of
 * the API server.
 */
export function resourceAccountController(
  cluster: Cluster,
  drivers: readonly Driver[],
  serverNow: () => number,
): Controller<typeof ResourceAccount> {
  const ownedSecrets = createOwnedSecrets(cluster, ResourceAccount, (account) =>
    account.spec.credentialsSecretName === undefined ? [] : [account.spec.credentialsSecretName],
  )
  let enqueue: (keys: readonly string[]) => void = () => {}
  const readSecret = (namespace: string, name: string) =>
    createSecretReader(cluster.client).read(namespace, name)
  return {
    kind: ResourceAccount,
    watches: [
      {
        subscribe(enqueueKeys) {
          enqueue = enqueueKeys
        },
      },
    ],
    async reconcile(account, context) {
      const trialMs = trialMsOf(account, serverNow)
      if (trialMs === 0) {
        await cluster.remove(ResourceAccount, account)
        return {}
      }
      if (trialMs !== undefined) setTimeout(() => enqueue([keyOf(account)]), trialMs).unref()
      const { credentialsSecretName, type } = account.spec
      const { namespace, annotations: given = {} } = account.metadata
      // `removeUnused` deletes the old credentials, so the new ones must exist.
      const credentials =
        credentialsSecretName === undefined ? {} : await readSecret(namespace, credentialsSecretName)
      const seen = await ownedSecrets.removeUnused(account, context)
      const candidate = candidateOf(account)
      const request = given[annotations.check]
      const { check: last } = account.status ?? {}
      if (request === undefined) return seen
      if (last?.request === request) return { ...seen, check: last }
      const read = async () =>
        candidate === undefined ? credentials : await readSecret(namespace, candidate)
      return { ...seen, check: { request, ...(await check(type, read)) } }
    },
  }

  /** Returns the result of the check and never throws: an account stays ready while its provider is unreachable. */
  async function check(type: string, read: () => Promise<FreeForm>): Promise<AccountCheck> {
    const driver = drivers.find(
      (each) => each.checkAccount !== undefined && each.descriptor.account.types.includes(type),
    )
    if (!driver?.checkAccount)
      return {
        accepted: true,
        message: `no driver can check the credentials of an account of type '${type}'`,
      }
    let credentials: FreeForm = {}
    try {
      credentials = await read()
      const signal = AbortSignal.timeout(checkDeadlineMs)
      const result = await withinDeadline(driver.checkAccount(credentials, signal), signal)
      const { message } = result
      return message === undefined ? result : { ...result, message: redact(message, credentials) }
    } catch (error) {
      const message = redact(error instanceof Error ? error.message : String(error), credentials)
      return { accepted: false, message: `could not be checked: ${message}` }
    }
  }
}
