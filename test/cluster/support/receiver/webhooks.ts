import { afterAll } from '@jest/globals'
import { Webhook as Verifier } from 'standardwebhooks'
import type { Webhook, WebhookCall } from '../../../../operator/api/webhook.ts'
import {
  conditionStatus,
  eventually,
  makeTestOrganization,
  moduleWith,
  type Organization,
  readyOf,
} from '../client.ts'
import { sharedCluster } from '../shared-cluster.ts'
import { type ReceivedCall, startReceiver } from './receiver.ts'

/** The receiver of a test file, and an organization with an application `shop` and a definition of type `redis`. */
export async function setUpHooks(prefix: string) {
  const cluster = sharedCluster()
  const [receiver, organization] = await Promise.all([
    startReceiver(cluster.directory),
    makeHookOrganization(cluster, prefix),
  ])
  afterAll(() => receiver.close())
  return { receiver, organization }
}

/** An organization with an application `shop` and a definition of type `redis` without dependencies. */
export async function makeHookOrganization(
  cluster: Parameters<typeof makeTestOrganization>[0],
  prefix = 'hooks',
): Promise<Organization> {
  const organization = await makeTestOrganization(cluster, prefix)
  await organization.application('shop')
  await organization.define('redis', {
    type: 'redis',
    driverType: 'quartermaster/echo',
    driverInputs: { values: { host: '${context.env.id}' } },
    criteria: [{}],
  })
  return organization
}

type Spec = Partial<Webhook['spec']> & { readonly url: string }

/** Applies a webhook of the application `shop`, and waits until it is judged. */
export async function hook(organization: Organization, name: string, spec: Spec): Promise<Webhook> {
  await organization.apply('webhooks', 'Webhook', name, { applicationName: 'shop', ...spec })
  return eventually(`the outcome on webhook '${name}'`, 30_000, async () => {
    const found = await organization.get<Webhook>('webhooks', name)
    const isSeen = found?.status?.observedGeneration === found?.metadata.generation
    return isSeen && conditionStatus(found, 'Ready') !== 'Unknown' ? found : undefined
  })
}

/** The calls of a webhook, oldest first. */
export async function callsOf(organization: Organization, webhookName: string): Promise<WebhookCall[]> {
  const all = await organization.list<WebhookCall>('webhookcalls')
  const timeOf = ({ metadata, spec }: WebhookCall) =>
    `${metadata.creationTimestamp}${spec.variables.triggered_at}`
  return all
    .filter(({ spec }) => spec.webhookName === webhookName)
    .sort((one, other) => (timeOf(one) < timeOf(other) ? -1 : 1))
}

/** Waits until a call of a webhook has the reason, and answers it. */
export function callWith(
  organization: Organization,
  webhookName: string,
  reason: string,
  withinMs = 30_000,
): Promise<WebhookCall> {
  return eventually(`a call of '${webhookName}' that is '${reason}'`, withinMs, async () => {
    const calls = await callsOf(organization, webhookName)
    const found = calls.find((each) => readyOf(each).reason === reason)
    if (!found) throw new Error(`they are ${JSON.stringify(calls.map(readyOf))}`)
    return found
  })
}

/** The secret that signs the calls of a webhook. */
export async function signingSecretOf(organization: Organization, secretName: string): Promise<string> {
  const path = `/api/v1/namespaces/${organization.id}/secrets/${secretName}`
  const { body } = await organization.kube<{ data: { secret: string } }>('GET', path)
  return Buffer.from(body.data.secret, 'base64').toString()
}

/** Whether the library of Standard Webhooks takes the call for one that the secret signed. */
export function isSignedBy(secret: string, { body, headers }: ReceivedCall): boolean {
  try {
    new Verifier(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}

/** Deploys a workload to an environment of the application `shop`, and waits for the end; answers its name. */
export async function deploySet(
  organization: Organization,
  environment: string,
  options: {
    readonly number?: number
    readonly externals?: object
    readonly comment?: string
    readonly withinMs?: number
  } = {},
): Promise<string> {
  const { number = 1, externals = { cache: { type: 'redis' } }, comment, withinMs } = options
  const [setName, name] = [`shop.set-${environment}-${number}`, `shop.${environment}.${number}`]
  const modules = { web: moduleWith(externals) }
  await organization.apply('deploymentsets', 'DeploymentSet', setName, {
    applicationName: 'shop',
    modules,
    shared: {},
  })
  // As JSON: in YAML, which apply expects, the API server folds some line breaks.
  const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/environmentdeployments`
  const { status } = await organization.kube('POST', path, {
    apiVersion: 'quartermaster.dev/v1alpha1',
    kind: 'EnvironmentDeployment',
    metadata: { name },
    spec: {
      environmentName: `shop.${environment}`,
      setName,
      ...(comment === undefined ? {} : { comment }),
    },
  })
  if (status !== 201) throw new Error(`the deployment was answered with ${status}`)
  await organization.ended(name, withinMs)
  return name
}

/** Bodies of calls, as data. */
export function bodiesOf(calls: readonly ReceivedCall[]): Record<string, string>[] {
  return calls.map(({ body }) => JSON.parse(body))
}
