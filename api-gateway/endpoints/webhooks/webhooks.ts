import { randomBytes } from 'node:crypto'
import { newObject } from '../../../operator/api/kind.ts'
import { list, type Static } from '../../../operator/api/schema.ts'
import { Webhook } from '../../../operator/api/webhook.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { formatSigningSecret, signingKey } from '../../../operator/domain/deployment/webhook.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import type { Caller } from '../../authenticate.ts'
import { created, type Endpoint, endpoint, type Gateway, noContent, ok } from '../../endpoint.ts'
import { errorShape } from '../../response/shapes.ts'
import { changeObject, removeObject, removeObjects, unlessShownAlike } from '../common/change.ts'
import { findApplication, newMetadata, organizationKey } from '../common/find.ts'
import { listEndpoint, nameOf } from '../common/list-endpoint.ts'
import {
  addSecret,
  createWithSecret,
  refuseTakenUnlessIncomplete,
  withNewSecret,
} from '../common/owned-secret.ts'
import { newSecretName, type SecretData } from '../common/secret-refs.ts'
import { requirePresent, targetApplication } from '../common/target.ts'
import {
  changedSpec,
  createdWebhookShape,
  findWebhook,
  newWebhookShape,
  refuseIdAlone,
  signingSecretShape,
  toWebhook,
  webhookAccess,
  webhookChangesShape,
  webhookShape,
} from './webhook-shape.ts'

const tag = 'Webhooks'
const webhooksPath = '/orgs/{org_id}/apps/{app_id}/webhooks'
const webhookPath = '/orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}'
const signingSecretBytes = 32

function webhooksOf(
  store: Store,
  params: { readonly org_id: string; readonly app_id: string },
): readonly Webhook[] {
  findApplication(store, params)
  const { org_id, app_id } = params
  return store
    .byIndex(Webhook, 'application', organizationKey(org_id, app_id))
    .filter(({ metadata }) => !metadata.deletionTimestamp)
}

function newSigningSecret(): string {
  return formatSigningSecret(randomBytes(signingSecretBytes))
}

function signingSecretData(text: string): SecretData {
  return { [signingKey]: Buffer.from(text).toString('base64') }
}

async function createWebhook(
  { org_id, app_id }: { readonly org_id: string; readonly app_id: string },
  body: Static<typeof newWebhookShape>,
  caller: Caller,
  gateway: Gateway,
) {
  const target = targetApplication(gateway.cluster.store, { org_id, app_id })
  const signingSecretName = newSecretName(body.id, 'webhook-signing')
  // Omitted headers default to none; null is stored as absent.
  const bare = { applicationName: app_id, url: body.url, headers: {}, signingSecretName }
  const spec = changedSpec(bare, body)
  const text = newSigningSecret()
  const creation = {
    kind: Webhook,
    wanted: newObject(Webhook, newMetadata(org_id, body.id, caller), spec),
    secret: { name: signingSecretName, data: signingSecretData(text) },
    what: `webhook '${body.id}'`,
  }
  await refuseTakenUnlessIncomplete(creation, gateway.cluster)
  const webhook = await createWithSecret(creation, gateway, () => requirePresent(gateway, target))
  return { ...toWebhook(webhook), signing_secret: text }
}

/** Writes a new signing secret to a new Secret; the operator deletes the old one. */
async function rotateSecret(webhook: Webhook, gateway: Gateway): Promise<string> {
  const signingSecretName = newSecretName(webhook.metadata.name, 'webhook-signing')
  const text = newSigningSecret()
  const secret = { name: signingSecretName, data: signingSecretData(text) }
  const announced = await addSecret(Webhook, webhook, secret, gateway)
  await changeObject(gateway.cluster, Webhook, announced, (current) =>
    withNewSecret(current, { ...current, spec: { ...current.spec, signingSecretName } }, signingSecretName),
  )
  return text
}

/** Webhooks of an application. */
export const webhooks: readonly Endpoint[] = [
  listEndpoint({
    path: webhooksPath,
    summary: 'List the webhooks of an application',
    tag,
    access: webhookAccess,
    response: list(webhookShape, 'Webhooks.'),
    find: ({ params }, { cluster: { store } }) => webhooksOf(store, params),
    positionOf: nameOf,
    show: toWebhook,
  }),
  endpoint({
    method: 'post',
    path: webhooksPath,
    summary: 'Create a webhook; only this response contains its signing secret',
    tag,
    access: webhookAccess,
    body: newWebhookShape,
    responses: { 201: createdWebhookShape, 409: errorShape },
    handle: async ({ params, body, caller }, gateway) =>
      created(await createWebhook(params, body, caller, gateway)),
  }),
  endpoint({
    method: 'get',
    path: webhookPath,
    summary: 'Get a webhook',
    tag,
    access: webhookAccess,
    responses: { 200: webhookShape },
    handle: ({ params }, { cluster: { store } }) => ok(toWebhook(findWebhook(store, params))),
  }),
  endpoint({
    method: 'patch',
    path: webhookPath,
    summary: 'Update a webhook',
    tag,
    access: webhookAccess,
    body: webhookChangesShape,
    responses: { 200: webhookShape, 409: errorShape },
    async handle({ params, body }, { cluster }) {
      const webhook = findWebhook(cluster.store, params)
      const { name } = webhook.metadata
      if (body.id !== undefined && body.id !== name)
        throw new Problem('Invalid', `'id' must be '${name}': the ID of a webhook cannot be changed`)
      refuseIdAlone(body)
      // A merge patch would drop nulls in the payload.
      const changed = await changeObject(cluster, Webhook, webhook, (current) => {
        const wanted = { ...current, spec: changedSpec(current.spec, body) }
        return unlessShownAlike(current, wanted, toWebhook)
      })
      return ok(toWebhook(changed))
    },
  }),
  endpoint({
    method: 'delete',
    path: webhookPath,
    summary: 'Delete a webhook and its calls',
    tag,
    access: webhookAccess,
    responses: { 204: undefined },
    async handle({ params }, { cluster }) {
      await removeObject(cluster, Webhook, findWebhook(cluster.store, params))
      return noContent
    },
  }),
  endpoint({
    method: 'delete',
    path: '/orgs/{org_id}/apps/{app_id}/jobs',
    summary: 'Delete all webhooks of an application and their calls',
    tag,
    access: webhookAccess,
    responses: { 204: undefined },
    async handle({ params }, { cluster }) {
      await removeObjects(cluster, Webhook, webhooksOf(cluster.store, params))
      return noContent
    },
  }),
  endpoint({
    method: 'post',
    path: `${webhookPath}/actions/rotate-secret`,
    summary: 'Rotate the signing secret of a webhook; only this response contains it',
    tag,
    access: webhookAccess,
    responses: { 200: signingSecretShape },
    async handle({ params }, gateway) {
      const webhook = findWebhook(gateway.cluster.store, params)
      return ok({ signing_secret: await rotateSecret(webhook, gateway) })
    },
  }),
]
