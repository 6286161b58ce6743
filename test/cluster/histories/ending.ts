import { expect } from '@jest/globals'
import type { KubeObject, StoredObject } from '../../../operator/api/kind.ts'
import { labels } from '../../../operator/api/names.ts'
import { eventually, type Organization } from '../support/client.ts'
import { gone } from '../support/observing.ts'
import { madeNamespaces, objectsOf } from './applied-objects.ts'
import { secretNames } from './definitions/definitions.ts'
import { signingSecretName } from './events.ts'
import type { Ending, Need } from './history.ts'
import { perform } from './perform.ts'
import { detachAll } from './removal.ts'
import type { Subject } from './subject.ts'

const endsWithinMs = 120_000

const pluralOf: Readonly<Record<Exclude<Need, 'secrets'>, string>> = {
  definitions: 'resourcedefinitions',
  accounts: 'resourceaccounts',
  drivers: 'resourcedrivers',
  types: 'resourcetypes',
  values: 'sharedvalues',
  deployments: 'environmentdeployments',
}

/** Ends the environments as the ending says, and waits until nothing of them is left in the cluster and at the driver. */
export async function end(subject: Subject, environments: readonly string[], ending: Ending): Promise<void> {
  const { organization, remote, events, pathOf } = subject
  if (ending.isHopeless) await Promise.all([remote.close(), organization.provider.revoke(organization.token)])
  for (const need of ending.without) await removeAll(subject, need)
  const all = environments.map((each) => ({
    path: pathOf('environments', `shop.${each}`),
    rest: `/apps/shop/envs/${each}`,
  }))
  const targets = {
    environments: all,
    application: [{ path: pathOf('applications', 'shop'), rest: '/apps/shop' }],
    organization: [{ path: `/api/v1/namespaces/${organization.id}`, rest: undefined }],
  }[ending.by]
  for (const { path, rest } of targets) {
    const isOverRest = ending.door === 'REST' && rest !== undefined
    const { status } = await (isOverRest
      ? organization.rest('DELETE', rest)
      : organization.kube('DELETE', path))
    expect(status).toBeLessThan(300)
  }
  for (const step of ending.amid) await perform(subject, step)
  // The roles of its members end with the organization.
  const door = ending.by === 'organization' ? 'kubectl' : ending.door
  const detached = ending.isHopeless ? await detachAll(subject, door) : new Set<string>()
  const namespaces = environments
    .flatMap((each) => madeNamespaces(organization, each))
    .map((each) => `/api/v1/namespaces/${each}`)
  await gone(organization, [...[...targets, ...all].map(({ path }) => path), ...namespaces], endsWithinMs)
  await expectNothingLeft(subject, detached)
  await untilSecretsEnd(organization, ending)
  if (ending.by === 'organization') events.expectConsistent()
  else await events.expectAll()
  if (!ending.isHopeless) await remote.close()
}

/** Nothing is left, except of what is detached. */
async function expectNothingLeft(
  { organization, remote }: Subject,
  detached: ReadonlySet<string>,
): Promise<void> {
  const { provider, zone, spare } = organization
  const isLeft = (guResId = '') => !detached.has(guResId)
  expect(await organization.allResources()).toEqual([])
  const objects = await objectsOf(organization)
  expect(objects.filter(({ metadata }) => isLeft(metadata.labels?.[labels.resource]))).toEqual([])
  expect([...remote.existing].filter((each) => isLeft(each))).toEqual([])
  const records = [...(await provider.records(zone)), ...(await provider.records(spare))]
  expect(records.filter(({ comment }) => isLeft(comment?.split(':').at(-1)))).toEqual([])
}

async function untilSecretsEnd(organization: Organization, ending: Ending): Promise<void> {
  await eventually('the end or release of each Secret', endsWithinMs, async () => {
    const { body } = await organization.kube<{ items: KubeObject[] }>('GET', secretsPath(organization))
    const lists = await Promise.all(owners.map((plural) => organization.list<StoredObject>(plural)))
    const specs = JSON.stringify(lists.flat().map(({ spec }) => spec))
    const held = body.items.filter(
      ({ metadata: { name, finalizers } }) =>
        finalizers !== undefined || !(isGiven(name, ending) || specs.includes(`"${name}"`)),
    )
    expect(held.map(({ metadata }) => metadata.name)).toEqual([])
    return true
  })
}

/** Kinds with Secrets that the gateway made. */
const owners = ['resourcedefinitions', 'resourceaccounts', 'sharedvalues']

const secretsPath = ({ id }: Organization) => `/api/v1/namespaces/${id}/secrets`

/** The Secrets that the user made. */
const allSecretNames = [...secretNames, 'provider-token', 'wildcard']

/** Whether the Secret is of the user or of the webhook, and these stay. */
function isGiven(name: string, { without, by }: Ending): boolean {
  if (name === signingSecretName) return by === 'environments'
  return allSecretNames.includes(name) && !without.includes('secrets')
}

async function removeAll({ organization, pathOf }: Subject, need: Need): Promise<void> {
  if (need === 'secrets') {
    for (const name of allSecretNames)
      await organization.kube('DELETE', `${secretsPath(organization)}/${name}`)
    return
  }
  for (const { metadata } of await organization.list(pluralOf[need]))
    await organization.kube('DELETE', pathOf(pluralOf[need], metadata.name))
}
