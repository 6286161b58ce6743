import { hash, randomBytes } from 'node:crypto'
import { Application } from '../../api/application.ts'
import { annotations, apiVersion } from '../../api/names.ts'
import { Webhook, WebhookCall } from '../../api/webhook.ts'
import { Waiting } from '../../domain/base/errors.ts'
import {
  type ObjectProblem,
  problemsFor,
  problemsOfReference,
  throwProblems,
} from '../../domain/base/object-problem.ts'
import {
  formatSigningSecret,
  problemOfSigningSecret,
  problemsOfWebhook,
  signingKey,
} from '../../domain/deployment/webhook.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { createFirstVersions } from '../../kube/cache/history.ts'
import { readSecretMetadata, removeSecret } from '../../kube/cache/secret-metadata.ts'
import type { Store } from '../../kube/cache/store.ts'
import { isAlreadyExists, isNamespaceTerminating } from '../../kube/client/api-error.ts'
import { explainRejection } from '../../kube/client/explain-rejection.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { type Controller, type WorkContext, watchKind } from '../../kube/loop/controller.ts'
import type { Observed } from '../../kube/loop/status.ts'
import { observedOf } from '../objects/observed.ts'
import { createOwnedSecrets, type OwnedSecrets } from '../shared/owned-secrets.ts'
import { createSecretReader } from '../shared/secrets.ts'
import { watchLifecycle } from '../shared/watch-lifecycle.ts'

const secretBytes = 32
const remainsSeconds = 1

/** How long a terminating webhook waits for its last calls. */
const lastCallsMs = 60_000

interface Tools {
  readonly cluster: Cluster
  readonly ownedSecrets: OwnedSecrets<typeof Webhook>
}

/**
 * Checks a webhook, and creates its signing secret where it names none. A webhook that is deleted with its application
 * stays until its last calls are delivered, or for one minute by `serverNow`, the clock of the API server.
 */
export function webhookController(cluster: Cluster, serverNow: () => number): Controller<typeof Webhook> {
  const { store } = cluster
  const firstVersionOf = createFirstVersions(store.cacheOf(Webhook))
  const tools: Tools = {
    cluster,
    ownedSecrets: createOwnedSecrets(cluster, Webhook, (webhook) => [signingSecretOf(webhook)]),
  }
  return {
    kind: Webhook,
    watches: [
      watchKind(store.cacheOf(WebhookCall), ({ before, after }) => {
        if (!before || isOpen(before) === (after !== undefined && isOpen(after))) return []
        const { namespace } = before.metadata
        const webhook = store.get(Webhook, namespace, before.spec.webhookName)
        return webhook?.metadata.deletionTimestamp ? [keyOf(webhook)] : []
      }),
      watchLifecycle(store.cacheOf(Application), (each) =>
        store.byIndex(Webhook, 'application', keyOf(each)).map(keyOf),
      ),
    ],
    // Each write changes the version, and a new process does not know the first one.
    firstFacts: (webhook) =>
      webhook.status?.createdVersion === undefined
        ? { ...observedOf(webhook), createdVersion: String(firstVersionOf(webhook)) }
        : undefined,
    reconcile: (webhook, context) => reconcile(webhook, tools, context),
    async finalize(webhook) {
      awaitLastCalls(webhook, store, serverNow)
    },
  }
}

async function reconcile(
  webhook: Webhook,
  { cluster, ownedSecrets }: Tools,
  context: Pick<WorkContext<typeof Webhook>, 'releaseWorker'>,
): Promise<Observed<typeof Webhook>> {
  const { namespace } = webhook.metadata
  const signingSecretName = signingSecretOf(webhook)
  const { createdVersion } = webhook.status ?? {}
  if (webhook.spec.signingSecretName === undefined) await createSecret(webhook, signingSecretName, cluster)
  // `removeUnused` deletes the old secret, so the new one must exist.
  const secret = await createSecretReader(cluster.client).read(namespace, signingSecretName)
  const status = { ...(await ownedSecrets.removeUnused(webhook, context)), createdVersion, signingSecretName }
  const problem = problemOfSigningSecret(secret[signingKey])
  const ofSecret = problemsFor(
    'InvalidSigningSecret',
    problem === undefined ? [] : [`the Secret '${signingSecretName}': ${problem}`],
  )
  throwProblems(
    [...problemsOfForm(webhook), ...problemsOfApplication(webhook, cluster.store), ...ofSecret],
    status,
  )
  return status
}

function awaitLastCalls(webhook: Webhook, store: Store, serverNow: () => number): void {
  const { deletionTimestamp = '', annotations: given } = webhook.metadata
  if (!given?.[annotations.lastCalls]) return
  const isCalling = store.byIndex(WebhookCall, 'webhook', keyOf(webhook)).some(isOpen)
  const remainingMs = Date.parse(deletionTimestamp) + lastCallsMs - serverNow()
  if (isCalling && remainingMs > 0)
    throw new Waiting('CallsRemain', 'waiting for the last calls', Math.ceil(remainingMs / 1000))
}

function problemsOfApplication(
  { metadata: { namespace }, spec: { applicationName } }: Webhook,
  store: Store,
): ObjectProblem[] {
  const isThere = store.get(Application, namespace, applicationName) !== undefined
  return problemsOfReference('ApplicationNotFound', `application '${applicationName}'`, isThere)
}

async function createSecret({ metadata }: Webhook, name: string, cluster: Cluster): Promise<void> {
  const { namespace, name: owner, uid } = metadata
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
    if (isNamespaceTerminating(error))
      throw new Waiting('NamespaceTerminating', `the namespace '${namespace}' is being deleted`)
    if (!isAlreadyExists(error)) throw explainRejection(error, 'create', { kind: 'Secret', namespace, name })
    await removeEarlierSecret(metadata, name, cluster)
  }
}

/**
 * Deletes a Secret of an earlier webhook of this name and throws Waiting. The garbage collector would delete it later, when
 * the webhook relies on it.
 */
async function removeEarlierSecret(
  { namespace, name: owner, uid }: Webhook['metadata'],
  name: string,
  { client }: Cluster,
): Promise<void> {
  const secret = await readSecretMetadata(client, namespace, name)
  const references = secret?.metadata.ownerReferences ?? []
  const isEarlier = references.some(
    (each) => each.kind === Webhook.kind && each.name === owner && each.uid !== uid,
  )
  if (!secret || !isEarlier) return
  await removeSecret(client, secret)
  throw new Waiting('SecretRemains', `waiting for the Secret '${name}' to be deleted`, remainsSeconds)
}

function problemsOfForm({ spec }: Webhook): ObjectProblem[] {
  const problems = problemsOfWebhook(spec)
  return problems.length === 0 ? [] : [{ reason: 'InvalidWebhook', message: problems.join('; ') }]
}

function isOpen({ status }: WebhookCall): boolean {
  return status?.finishTime === undefined
}

/** The Secret that signs the calls of a webhook. A digest takes the place of a long name. */
export function signingSecretOf({ metadata: { name }, spec }: Webhook): string {
  const made = `${name}-webhook-signing`
  return spec.signingSecretName ?? (made.length <= 253 ? made : `${hash('sha256', name)}-webhook-signing`)
}
