import { setTimeout as sleep } from 'node:timers/promises'
import type { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import type { Environment } from '../../../operator/api/environment.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { labels } from '../../../operator/api/names.ts'
import type { Workload } from '../../../operator/api/workload.ts'
import {
  type DeltaContent,
  diffSets,
  emptySet,
  type SetContent,
  setId,
} from '../../../operator/domain/delta/delta.ts'
import { isFinished } from '../../../operator/domain/deployment/deployment.ts'
import { type HttpDriverServer, startHttpDriverServer } from '../../drivers/support/http-driver-server.ts'
import { eventually, type Organization } from '../support/client.ts'
import { type DnsOrganization, makeDnsOrganization } from '../support/cloudflare.ts'
import { gone, patch } from '../support/observing.ts'
import { contentIn, scoreOf, setContentOf, setWith } from './contents.ts'
import { type Definer, defineOverRest } from './definitions/define.ts'
import type { Definition } from './definitions/definition.ts'
import { type SecretName, secretNames } from './definitions/definitions.ts'
import { openedNamespaces } from './definitions/namespace-definitions.ts'
import { pathIn } from './doors.ts'
import { limitSecrets, old } from './environments.ts'
import { type Events, makeEvents } from './events.ts'
import type { Installation } from './installation.ts'
import type { Deploy } from './step.ts'
import { canary, makeSupplies, type Supplies } from './supplies.ts'

const endsWithinMs = 300_000

/** The part of the answer to a dry run that the laws are about. */
interface DryRun {
  readonly problems: readonly object[]
  readonly steps: readonly { readonly action: string; readonly gu_res_id: string }[]
}

/** An organization to which a history happens, with a driver outside the cluster and two zones of a DNS provider. */
export interface Subject {
  readonly installation: Installation
  readonly organization: DnsOrganization & { readonly spare: DnsOrganization['zone'] }
  readonly remote: HttpDriverServer
  readonly supplies: Supplies
  readonly events: Events
  /** The path of an object of the organization, by plural and name. */
  pathOf(plural: string, name: string): string
  /** Sends a request over REST, and answers the body; throws if it is refused. */
  send(method: string, path: string, body: object): Promise<unknown>
  define(definition: Definition, by?: Definer): Promise<unknown>
  setSecret(name: SecretName, to: number): Promise<unknown>
  /** Opens or closes a namespace for the organization. */
  setOpen(namespace: string, isOpen: boolean): Promise<unknown>
  dryRun(environment: string, deploy: Deploy): Promise<DryRun>
  /** Starts a deployment, and answers its name. Over REST, none starts while another one runs. */
  deploy(environment: string, deploy: Deploy): Promise<string>
  /** Applies the workloads as Workloads in these environments, in a new revision or the same again; takes all others out. */
  applyWorkloads(environments: readonly string[], deploy: Deploy, revision: 'new' | 'same'): Promise<void>
  /** Waits until none of the Workloads is under way; answers the states of each by the id of the environment. */
  settledWorkloads(deploy: Deploy): Promise<readonly Readonly<Record<string, string>>[]>
  /** Waits until a deployment has finished, or is deleted. */
  untilFinished(name: string): Promise<unknown>
  /** Makes the driver behave, and waits until nothing is under way. */
  calm(): Promise<void>
}

export async function makeSubject(installation: Installation): Promise<Subject> {
  const organization = await makeDnsOrganization(installation.cluster, 'history', { spareZone: true })
  const remote = await startHttpDriverServer()
  const supplies = await makeSupplies(organization, remote.target)
  const events = await makeEvents(organization, installation.receiver)
  let deployments = 0
  let revisions = 0

  async function send(method: string, path: string, body: object) {
    const answer = await organization.rest(method, path, body)
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** The set that the next delta changes. */
  function deployedSet(environment: string): Promise<SetContent> {
    return eventually(`the set of '${environment}'`, 10_000, async () => {
      const found = await organization.get<Environment>('environments', `shop.${environment}`)
      const { lastPlanned, start } = found?.status ?? {}
      const setName = (lastPlanned ?? start)?.setName
      if (setName === undefined) return emptySet
      return (await organization.get<DeploymentSet>('deploymentsets', setName))?.spec
    })
  }

  /** The changes from the set of an environment, or from none. */
  async function changesOf(environment: string, { content, part, as }: Deploy): Promise<DeltaContent> {
    const base = as === 'delta' ? await deployedSet(environment) : emptySet
    return diffSets(base, setWith(base, content, part))
  }

  async function deployOverRest(environment: string, deploy: Deploy, query = '') {
    const changes = await changesOf(environment, deploy)
    const source =
      deploy.as === 'delta'
        ? { delta_id: (await send('POST', '/apps/shop/deltas', changes)).id }
        : { set_id: await send('POST', `/apps/shop/sets/${setId(emptySet)}`, changes) }
    return send('POST', `/apps/shop/envs/${environment}/deploys${query}`, { ...source, mode: deploy.mode })
  }

  async function deployByKubectl(environment: string, deploy: Deploy): Promise<string> {
    deployments += 1
    const name = `by-kubectl-${deployments}`
    const environmentName = `shop.${environment}`
    const isDelta = deploy.as === 'delta'
    const content = isDelta ? await changesOf(environment, deploy) : setContentOf(deploy.content)
    const source = { applicationName: 'shop', ...content }
    if (isDelta) await organization.apply('deploymentdeltas', 'DeploymentDelta', name, source)
    else await organization.apply('deploymentsets', 'DeploymentSet', `shop.${name}`, source)
    await organization.apply(
      'environmentdeployments',
      'EnvironmentDeployment',
      `${environmentName}.${name}`,
      {
        environmentName,
        ...(isDelta ? { deltaName: name } : { setName: `shop.${name}` }),
        mode: deploy.mode,
      },
    )
    return `${environmentName}.${name}`
  }

  const subject: Subject = {
    installation,
    organization,
    remote,
    supplies,
    events,
    pathOf: (plural, name) => pathIn(organization, plural, name),
    send,
    define({ name, spec }, by = 'kubectl') {
      const { id, zone, spare } = organization
      const own = JSON.stringify(spec)
        .replaceAll('@/', `${id}/`)
        .replaceAll('@org', id)
        .replace('@zone-0', zone.id)
        .replace('@zone-1', spare.id)
        .replace('@domain', zone.name)
      const definition = { name, spec: JSON.parse(own) as Definition['spec'] }
      if (by === 'kubectl') return organization.define(name, definition.spec)
      return defineOverRest(organization, definition, by === 'REST' ? undefined : `${canary}-in-plain-text`)
    },
    setSecret: (name, to) =>
      organization.kube(
        'PATCH',
        `/api/v1/namespaces/${organization.id}/secrets/${name}?fieldManager=test&force=true`,
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name },
          stringData: {
            key: `${canary}-${name}-${to}`,
            username: 'registry',
            password: `${canary}-of-registry-${to}`,
          },
        },
        'application/apply-patch+yaml',
      ),
    setOpen: (namespace, isOpen) =>
      patch(organization, `/api/v1/namespaces/${organization.id}-${namespace}`, {
        metadata: { labels: { [labels.accepts]: isOpen ? organization.id : null } },
      }),
    dryRun: (environment, deploy) => deployOverRest(environment, deploy, '?dry_run=true'),
    deploy: async (environment, deploy) =>
      deploy.door === 'REST'
        ? (await deployOverRest(environment, deploy)).id
        : deployByKubectl(environment, deploy),
    async applyWorkloads(environmentIds, deploy, revision) {
      const content = contentIn(deploy.content, deploy.part)
      if (revision === 'new') revisions += 1
      for (const name of Object.keys(content.workloads)) {
        const spec = { applicationName: 'shop', environmentIds, ...scoreOf(name, content, revisions) }
        await organization.apply('workloads', 'Workload', `shop.${name}`, spec)
      }
      // A Workload that is deleted and applied again at once is still being deleted.
      for (const { metadata } of await organization.list('workloads'))
        if (content.workloads[metadata.name.replace('shop.', '')] === undefined)
          await patch(organization, subject.pathOf('workloads', metadata.name), {
            spec: { environmentIds: [] },
          })
    },
    settledWorkloads: ({ content, part }) =>
      eventually('the end of all Workloads', endsWithinMs, async () => {
        const all = await organization.list<Workload>('workloads')
        const { workloads } = contentIn(content, part)
        const applied = all.filter(({ metadata }) => workloads[metadata.name.replace('shop.', '')])
        return applied.map(({ metadata, spec, status }) => {
          const { environments = [] } = status ?? {}
          const isKnown = spec.environmentIds?.every((id) =>
            environments.some(({ environmentId, state }) => environmentId === id && state !== 'pending'),
          )
          if (!isKnown || status?.observedGeneration !== metadata.generation)
            throw new Error(`'${metadata.name}': ${JSON.stringify(status)}`)
          return Object.fromEntries(environments.map((each) => [each.environmentId, each.state]))
        })
      }),
    untilFinished: (name) =>
      eventually(`the end of '${name}'`, endsWithinMs, async () => {
        const deployment = await organization.get<EnvironmentDeployment>('environmentdeployments', name)
        return deployment === undefined || isFinished(deployment) || undefined
      }),
    async calm() {
      remote.next.length = 0
      await organization.provider.behave()
      await limitSecrets(organization, null)
      for (const each of openedNamespaces) await subject.setOpen(each, true)
      await supplies.restore()
      for (const { metadata } of await organization.list('environmentdeployments'))
        await subject.untilFinished(metadata.name)
      const deleting = (await organization.allResources()).filter(
        ({ metadata }) => metadata.deletionTimestamp,
      )
      await gone(
        organization,
        deleting.map(({ metadata }) => subject.pathOf('activeresources', metadata.name)),
      )
      // Until the gateway has received what others wrote.
      await sleep(1000)
    },
  }
  for (const name of secretNames) await subject.setSecret(name, 0)
  for (const each of openedNamespaces) await makeNamespace(organization, each)
  await organization.environment('shop', old)
  return subject
}

function makeNamespace({ id, kube }: Organization, end: string) {
  const metadata = { name: `${id}-${end}`, labels: { [labels.accepts]: id } }
  return kube('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata })
}
