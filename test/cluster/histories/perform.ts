import { setTimeout as sleep } from 'node:timers/promises'
import { apiRequest } from '../../../dev/control-plane/kubernetes.ts'
import type { Rule } from '../../../dev/fake-cloudflare/misbehave.ts'
import { labels } from '../../../operator/api/names.ts'
import type { Misbehaviour } from '../../drivers/support/http-driver-server.ts'
import type { Organization } from '../support/client.ts'
import type { Fault } from '../support/fault-proxy.ts'
import { patch, untilEnded } from '../support/observing.ts'
import { type Answer, redirectTo } from '../support/receiver/receiver.ts'
import { type Applied, appliedObjects, madeNamespaces, objectPath } from './applied-objects.ts'
import { removeBy } from './doors.ts'
import { limitSecrets, old, overrideLevel, setRun } from './environments.ts'
import { usedResources } from './outcome.ts'
import { removeEnvironment, removeResource } from './removal.ts'
import type { ApiFault, Deploy, DriverFault, Misbehave, Step } from './step.ts'
import type { Subject } from './subject.ts'

type Actions = {
  readonly [D in Step['do']]: (subject: Subject, step: Extract<Step, { do: D }>) => Promise<unknown>
}

const actions: Actions = {
  define: (subject, { definition, by }) => subject.define(definition, by),
  undefine: ({ organization }, { name, door }) =>
    removeBy(door, organization, { plural: 'resourcedefinitions', name, path: `/resources/defs/${name}` }),
  rotate: (subject, { secret, to }) => subject.setSecret(secret, to),
  withdraw: ({ organization }) => organization.kube('DELETE', secretPath(organization, 'spare')),
  'set value': ({ supplies }, { to, door }) => supplies.setLevel(to, door),
  'set secret value': ({ supplies }, { to, door }) => supplies.setToken(to, door),
  'set credentials': ({ supplies }, { to, door }) => supplies.setAccount(to, door),
  'remove supply': ({ supplies }, { at, door }) => supplies.removeOne(at, door),
  'restore supplies': ({ supplies }) => supplies.restore(),
  'override value': async ({ organization, pathOf }, { to }) => {
    if (to === null) await organization.kube('DELETE', pathOf('sharedvalues', `level-${old}`))
    else await overrideLevel(organization, old, to)
  },
  run: ({ organization }, { settings }) => setRun(organization, old, settings),
  register: async ({ organization, pathOf }, { secret }) => {
    const spec = { registry: 'images.example.test', type: 'basic', credentialsSecretName: secret }
    if (secret === null) await organization.kube('DELETE', pathOf('registries', 'images'))
    else await organization.apply('registries', 'Registry', 'images', spec)
  },
  close: (subject, { namespace }) => subject.setOpen(namespace, false),
  limit: ({ organization }, { secrets }) => limitSecrets(organization, secrets),
  deploy,
  'delete deployment': async ({ organization, pathOf }, { at }) => {
    const name = inTurn(await organization.list('environmentdeployments'), at)?.metadata.name
    if (name !== undefined) await organization.kube('DELETE', pathOf('environmentdeployments', name))
  },
  'delete resource': deleteResource,
  tamper,
  'delete object': ({ organization }, { at }) =>
    withObject(organization, at, (path) => organization.kube('DELETE', path)),
  'change object': ({ organization }, { at }) =>
    withObject(organization, at, (path, object) => change(organization, path, object)),
  'delete namespace': async ({ organization }, { at }) => {
    const name = inTurn(madeNamespaces(organization, old), at)
    await organization.kube('DELETE', `/api/v1/namespaces/${name}`)
  },
  'lose outputs': async ({ organization }, { at }) => {
    const resources = await usedResources(organization, old)
    const names = resources.flatMap(({ status }) => status?.outputsSecretName ?? [])
    const name = inTurn(names, at)
    if (name !== undefined) await organization.kube('DELETE', secretPath(organization, name))
  },
  retype: ({ supplies }, { type, form, door }) => supplies.setType(type, form, door),
  'change record': ({ organization }, { at }) =>
    withRecord(organization, at, (id) => organization.provider.changeRecord(id, { content: '192.0.2.66' })),
  misbehave,
  'break watches': breakWatches,
  'delete environment': async (subject, { next, door }) => {
    const { organization } = subject
    await removeEnvironment(subject, old, door)
    await untilEnded(organization, old)
    await organization.environment('shop', old, next)
  },
  'end operator': ({ installation }, { isOrderly }) => installation.endOperator(isOrderly),
  wait: () => sleep(500),
}

/** Lets a step happen; one that finds nothing to act on does nothing. */
export async function perform(subject: Subject, step: Step): Promise<void> {
  const act = actions[step.do] as (subject: Subject, step: Step) => Promise<unknown> // the one for this step
  await act(subject, step)
}

const secretPath = ({ id }: Organization, name: string) => `/api/v1/namespaces/${id}/secrets/${name}`
const inTurn = <T>(items: readonly T[], at: number): T | undefined => items[at % items.length]

async function deploy(subject: Subject, step: Deploy): Promise<void> {
  if (step.door === 'GitOps') {
    await subject.applyWorkloads([old], step, 'new')
    if (step.isAwaited) await subject.settledWorkloads(step)
    return
  }
  const name = await subject.deploy(old, step).catch((error: unknown) => {
    if (!String(error).includes('409')) throw error
  })
  if (name !== undefined && step.isAwaited) await subject.untilFinished(name)
}

async function deleteResource(
  subject: Subject,
  { at, door }: Extract<Step, { do: 'delete resource' }>,
): Promise<void> {
  const resource = inTurn(await usedResources(subject.organization, old), at)
  if (resource) await removeResource(subject, resource, door)
}

/** Changes the spec of a resource, with the rights of the operator, which no user has. */
async function tamper(
  { organization, installation, pathOf }: Subject,
  { at, to }: Extract<Step, { do: 'tamper' }>,
): Promise<void> {
  const resource = inTurn(await organization.allResources(), at)
  if (!resource) return
  const body = { spec: { definition: { driverInputs: { values: { tag: to } } } } }
  const path = pathOf('activeresources', resource.metadata.name)
  await apiRequest(installation.operator, 'PATCH', path, body, 'application/merge-patch+json')
}

/** Does something to what a resource applied. */
async function withObject(
  organization: Organization,
  at: number,
  act: (path: string, object: Applied) => Promise<unknown>,
): Promise<void> {
  const resources = await usedResources(organization, old)
  const object = inTurn(await appliedObjects(organization, old, resources), at)
  if (object) await act(objectPath(object), object)
}

/** Does something to a record at the DNS provider. */
async function withRecord(
  { provider, zone, spare }: Subject['organization'],
  at: number,
  act: (id: string) => Promise<unknown>,
): Promise<void> {
  const record = inTurn([...(await provider.records(zone)), ...(await provider.records(spare))], at)
  if (record) await act(record.id)
}

/** Changes something that a resource applied. */
async function change(organization: Organization, path: string, object: Applied): Promise<void> {
  // Secrets are not watched: a key that a later deployment leaves out stays with the client that changed it.
  if (object.kind !== 'secrets') await patch(organization, path, changeOf(object))
}

function changeOf({ kind, data, metadata }: Applied): object {
  const [key] = Object.keys(data ?? {})
  if (key !== undefined) return { data: { [key]: 'changed' } }
  // The number of replicas, where nothing states it, is an autoscaler's.
  if (kind === 'deployments' || kind === 'statefulsets')
    return { spec: { template: { metadata: { labels: { 'app.kubernetes.io/part-of': 'changed' } } } } }
  const label = Object.keys(metadata.labels ?? {}).find((each) => each !== labels.resource) ?? ''
  return { metadata: { labels: { [label]: 'changed' } } }
}

async function misbehave(
  { organization, remote, installation, events }: Subject,
  { driver, api }: Misbehave,
): Promise<void> {
  remote.next.push(...driver.map((each) => driverAnswers[each]))
  installation.receiver.answer(events.path, ...driver.map((each) => receiverAnswers[each]), 200)
  for (const each of driver) await organization.provider.misbehave(organization.token, providerAnswers[each])
  const fits = (method: string, url: string) => url.includes(organization.id) && !isWatch(method, url)
  for (const each of api) installation.proxy.inject(fits, apiAnswers[each])
}

const isWatch = (_: string, url: string) => url.includes('watch=')

async function breakWatches(
  { installation: { proxy, gatewayProxy } }: Subject,
  { isExpired }: Extract<Step, { do: 'break watches' }>,
): Promise<void> {
  for (const each of [proxy, gatewayProxy]) {
    const broken = each.hangUp(isWatch)
    if (isExpired) each.inject(isWatch, failure(410, 'Expired'), broken)
  }
}

const driverAnswers: Readonly<Record<DriverFault, Misbehaviour>> = {
  refusal: { status: 400, body: { error: 'RES-100', message: 'not today' } },
  failure: { status: 500, body: { error: 'RES-101', message: 'out of order' } },
  break: 'break',
  'lost answer': 'lose',
  'in progress': { status: 202 },
}

const providerAnswers: Readonly<Record<DriverFault, Partial<Rule>>> = {
  refusal: { do: 'status', status: 400, errors: [{ code: 9_000, message: 'not today' }], commit: 'never' },
  failure: { do: 'status', status: 502, commit: 'never' },
  break: { do: 'reset', commit: 'never' },
  'lost answer': { do: 'reset', commit: 'before' },
  'in progress': { do: 'status', status: 429, retryAfter: 1, commit: 'never' },
}

const destroy: Answer = (response) => response.destroy()
const receiverAnswers: Readonly<Record<DriverFault, Answer>> = {
  refusal: 400,
  failure: 500,
  break: destroy,
  'lost answer': destroy,
  'in progress': redirectTo(302, 'https://example.test/'),
}

const failure = (code: number, reason: string, headers = {}) => ({
  kind: 'answer' as const,
  status: code,
  headers,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: 'not now' },
})
const apiAnswers: Readonly<Record<ApiFault, Fault>> = {
  break: { kind: 'resetBefore' },
  'lost answer': { kind: 'resetAfter' },
  'too many': failure(429, 'TooManyRequests', { 'retry-after': '1' }),
  failure: failure(500, 'InternalError'),
  unavailable: failure(503, 'ServiceUnavailable'),
}
