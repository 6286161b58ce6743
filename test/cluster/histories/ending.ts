import { expect } from '@jest/globals'
import type { KubeObject, StoredObject } from '../../../operator/api/kind.ts'
import { eventually, type Organization } from '../support/client.ts'
import { gone } from '../support/observing.ts'
import { madeNamespaces, objectsOf } from './applied-objects.ts'
import { secretNames } from './definitions.ts'
import type { Ending, Need } from './history.ts'
import { perform } from './perform.ts'
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
  const { organization, remote, pathOf } = subject
  for (const need of ending.without) await removeAll(subject, need)
  const environmentPaths = environments.map((each) => pathOf('environments', `shop.${each}`))
  const paths = {
    environments: environmentPaths,
    application: [pathOf('applications', 'shop')],
    organization: [`/api/v1/namespaces/${organization.id}`],
  }[ending.by]
  for (const path of paths) expect((await organization.kube('DELETE', path)).status).toBeLessThan(300)
  for (const step of ending.amid) await perform(subject, step)
  const namespaces = environments
    .flatMap((each) => madeNamespaces(organization, each))
    .map((each) => `/api/v1/namespaces/${each}`)
  await gone(organization, [...paths, ...environmentPaths, ...namespaces], endsWithinMs)
  expect(await organization.resources()).toEqual([])
  expect(await objectsOf(organization)).toEqual([])
  expect([...remote.existing]).toEqual([])
  for (const zone of [organization.zone, organization.spare])
    expect(await organization.provider.records(zone)).toEqual([])
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

/** Whether the user made the Secret, and leaves it. */
function isGiven(name: string, { without }: Ending): boolean {
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
