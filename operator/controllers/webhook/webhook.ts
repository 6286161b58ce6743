import { randomBytes } from 'node:crypto'
import { Application } from '../../api/application.ts'
import { annotations, apiVersion } from '../../api/names.ts'
import { Webhook, WebhookCall } from '../../api/webhook.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { type Fault, faultsFor, faultsOfReference, throwFaults } from '../../domain/base/fault.ts'
import {
  faultOfSigningSecret,
  faultsOfWebhook,
  formatSigningSecret,
  signingKey,
} from '../../domain/deployment/webhook.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { createFirstVersions } from '../../kube/cache/history.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import { isAlreadyThere, isTerminating } from '../../kube/client/client.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { type Controller, watchKind } from '../../kube/loop/controller.ts'
import type { Observed } from '../../kube/loop/status.ts'
import { createOwnedSecrets } from '../shared/owned-secrets.ts'
import { watchPresence } from '../shared/presence.ts'
import { createSecretReader } from '../shared/secrets.ts'

const secretBytes = 32

/** After this time a receiver that does not answer holds nothing up. */
const lastCallsMs = 60_000

/**
 * Judges a webhook, and makes the secret that signs its calls where it names none. One that goes with its application
 * stays a moment, so that what it was told last can arrive.
 */
export function webhookController(cluster: Cluster): Controller<typeof Webhook> {
  const { store } = cluster
  const firstVersionOf = createFirstVersions(store.cacheOf(Webhook))
  const ownedSecrets = createOwnedSecrets(cluster, Webhook, (webhook) => [signingSecretOf(webhook)])
  return {
    kind: Webhook,
    watches: [
      watchKind(store.cacheOf(WebhookCall), ({ before, after }) => {
        if (!before || isOpen(before) === (after !== undefined && isOpen(after))) return []
        const { namespace = '' } = before.metadata
        const webhook = store.get(Webhook, namespace, before.spec.webhookName)
        return webhook?.metadata.deletionTimestamp ? [keyOf(webhook)] : []
      }),
      watchPresence(store.cacheOf(Application), (each) =>
        store.byIndex(Webhook, 'application', scoped(each, each.metadata.name)).map(keyOf),
      ),
    ],
    async reconcile(webhook, context) {
      const { namespace = '' } = webhook.metadata
      const signingSecretName = signingSecretOf(webhook)
      const createdVersion = webhook.status?.createdVersion ?? String(firstVersionOf(webhook))
      // Each later write gives it another version, and a restart forgets the first one.
      if (webhook.status?.createdVersion === undefined)
        await context.report({ ...factsOf(webhook), createdVersion }, 'recording its creation')
      if (webhook.spec.signingSecretName === undefined) await makeSecret(webhook, signingSecretName)
      // The old secret stays until the new one is there.
      const secret = await createSecretReader(cluster.client).read(namespace, signingSecretName)
      const seen = { ...(await ownedSecrets.tidy(webhook)), createdVersion, signingSecretName }
      const fault = faultOfSigningSecret(secret[signingKey])
      throwFaults(
        [
          ...faultsOfForm(webhook),
          ...faultsOfApplication(webhook),
          ...faultsFor(
            'InvalidSigningSecret',
            fault === undefined ? [] : [`the Secret '${signingSecretName}': ${fault}`],
          ),
        ],
        seen,
      )
      return seen
    },
    async finalize(webhook) {
      const { name, deletionTimestamp = '', annotations: marks } = webhook.metadata
      if (!marks?.[annotations.lastCalls]) return
      const isCalling = store.byIndex(WebhookCall, 'webhook', scoped(webhook, name)).some(isOpen)
      const leftMs = Date.parse(deletionTimestamp) + lastCallsMs - Date.now()
      if (isCalling && leftMs > 0)
        throw new Waiting('CallsRemain', 'waiting for the last calls', Math.ceil(leftMs / 1000))
    },
  }

  function faultsOfApplication({
    metadata: { namespace = '' },
    spec: { applicationName },
  }: Webhook): Fault[] {
    const isThere = store.get(Application, namespace, applicationName) !== undefined
    return faultsOfReference('ApplicationNotFound', `application '${applicationName}'`, isThere)
  }

  async function makeSecret({ metadata }: Webhook, name: string): Promise<void> {
    const { namespace = '', name: owner, uid = '' } = metadata
    const text = formatSigningSecret(randomBytes(secretBytes))
    try {
      await cluster.createSecret({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name,
          namespace,
          ownerReferences: [{ apiVersion, kind: Webhook.kind, name: owner, uid }],
        },
        data: { [signingKey]: Buffer.from(text).toString('base64') },
      })
    } catch (error) {
      if (isTerminating(error))
        throw new Waiting(
          'NamespaceTerminating',
          `the namespace '${namespace}' is going, and the webhook with it`,
        )
      if (!isAlreadyThere(error)) throw error
    }
  }
}

function factsOf({ status }: Webhook): Observed<typeof Webhook> {
  const { conditions: _, observedGeneration: __, ...facts } = status ?? {}
  return facts
}

function faultsOfForm({ spec }: Webhook): Fault[] {
  const faults = faultsOfWebhook(spec)
  return faults.length === 0 ? [] : [{ reason: 'InvalidWebhook', message: faults.join('; ') }]
}

function isOpen({ status }: WebhookCall): boolean {
  return status?.finishTime === undefined
}

/** The Secret that signs the calls of a webhook. */
export function signingSecretOf({ metadata, spec }: Webhook): string {
  return spec.signingSecretName ?? `${metadata.name}-webhook-signing`
}
