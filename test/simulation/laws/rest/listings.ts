import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { Application } from '../../../../operator/api/application.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import type { Kind, ObjectOf, StoredObject } from '../../../../operator/api/kind.ts'
import { Registry } from '../../../../operator/api/registry.ts'
import { ResourceAccount } from '../../../../operator/api/resource-account.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { ResourceType } from '../../../../operator/api/resource-type.ts'
import { Webhook } from '../../../../operator/api/webhook.ts'
import { canonicalJson } from '../../../../operator/domain/base/json.ts'
import { namespaceResource } from '../../../../operator/kube/client/resource.ts'
import { conditionOf } from '../../../../operator/kube/loop/outcome.ts'
import type { RestAnswer } from '../../gateway/exchange.ts'
import { objectsOf } from '../../surroundings.ts'
import { idOf } from '../../users/names.ts'
import { placeOf } from '../../users/rest/choice.ts'
import type { World } from '../../world.ts'
import type { Finding } from '../law.ts'
import { valuesOf } from '../rivals.ts'

/** Texts by ID. */
type Shown = ReadonlyMap<string, string>
type Item = Readonly<Record<string, unknown>>

/** A list of a gateway, and what it must have. */
interface Listing {
  readonly path: string
  read(item: Item): readonly [id: string, text: string]
  readonly wanted: Shown
}

const isThere = ({ metadata }: StoredObject) => metadata.deletionTimestamp === undefined

function stateOfResource(resource: ActiveResource): string {
  if (!isThere(resource)) return 'deleting'
  return conditionOf(resource, 'Ready')?.status === 'True' ? 'active' : 'pending'
}

function stateOfDeployment(deployment: EnvironmentDeployment): string {
  const holds = (type: string) => conditionOf(deployment, type)?.status === 'True'
  if (holds('Ready')) return 'succeeded'
  if (holds('Stalled')) return 'failed'
  return deployment.status?.startTime === undefined ? 'pending' : 'in progress'
}

const readId = ({ id }: Item) => [String(id), ''] as const
const readResource = ({ gu_res_id, status, def_id, resource }: Item) =>
  [String(gu_res_id), canonicalJson([(status as Item)['state'], def_id, resource])] as const // as the reference says

function textOfResource(resource: ActiveResource): string {
  const { spec, status } = resource
  return canonicalJson([stateOfResource(resource), spec.definition.definitionName, status?.outputs ?? {}])
}

/** The lists of an organization. */
function listingsOf(world: World, organization: string): Listing[] {
  const all = <K extends Kind>(kind: K, fits: (object: ObjectOf<K>) => boolean = () => true) =>
    objectsOf(world, kind).filter((each) => each.metadata.namespace === organization && fits(each))
  const names = (objects: readonly StoredObject[], idFor = (name: string) => name): Shown =>
    new Map(objects.map(({ metadata }) => [idFor(metadata.name), '']))
  const resources = (fits: (resource: ActiveResource) => boolean): Shown =>
    new Map(all(ActiveResource, fits).map((each) => [each.metadata.name, textOfResource(each)]))
  const valuesAt = (path: string, application: string, id: string | undefined): Listing => ({
    path: `${path}/values`,
    read: ({ key, value, is_secret }) => [String(key), is_secret === true ? '' : String(value)],
    wanted: new Map(
      [...valuesOf(world, organization, application, id)].map(([key, { value }]) => [key, value ?? '']),
    ),
  })
  const applications = new Set(all(Application).map(({ metadata }) => metadata.name))
  // An environment can wait for its application.
  const isOfApplication = ({ spec }: Environment) => applications.has(spec.applicationName)
  return [
    { path: '/apps', read: readId, wanted: names(all(Application)) },
    { path: '/resources/defs', read: readId, wanted: names(all(ResourceDefinition)) },
    { path: '/resources/accounts', read: readId, wanted: names(all(ResourceAccount)) },
    { path: '/registries', read: readId, wanted: names(all(Registry)) },
    {
      path: '/resources/types',
      read: ({ type }) => [String(type), ''],
      wanted: names(all(ResourceType), (name) => `${organization}/${name}`),
    },
    ...all(ResourceDefinition).map(({ metadata: { name } }) => ({
      path: `/resources/defs/${name}/resources`,
      read: readResource,
      wanted: resources(({ spec }) => spec.definition.definitionName === name),
    })),
    ...all(Application).flatMap(({ metadata: { name } }) => [
      {
        path: `/apps/${name}/envs`,
        read: readId,
        wanted: names(
          all(Environment, ({ spec }) => spec.applicationName === name),
          idOf,
        ),
      },
      {
        path: `/apps/${name}/webhooks`,
        read: readId,
        wanted: names(all(Webhook, ({ spec }) => spec.applicationName === name)),
      },
      valuesAt(`/apps/${name}`, name, undefined),
    ]),
    ...all(Environment, isOfApplication).flatMap(({ metadata: { name }, spec: { applicationName } }) => [
      {
        path: `${placeOf(name)}/resources`,
        read: readResource,
        wanted: resources(({ spec }) => spec.environmentName === name),
      },
      {
        path: `${placeOf(name)}/deploys`,
        read: ({ id, status }: Item) => [String(id), String(status)] as const,
        wanted: new Map(
          all(EnvironmentDeployment, ({ spec }) => spec.environmentName === name).map((each) => [
            each.metadata.name,
            stateOfDeployment(each),
          ]),
        ),
      },
      valuesAt(placeOf(name), applicationName, idOf(name)),
    ]),
  ]
}

/** What is wrong with the lists of a gateway, when nothing has failed for long; `read` reads a path of an organization. */
export async function listingFindings(
  world: World,
  organization: string,
  read: (path: string) => Promise<RestAnswer | undefined>,
): Promise<(Finding & { readonly law: string })[]> {
  const law = 'A list has the objects that exist, as they are.'
  if (!world.server.storage.get(namespaceResource, undefined, organization)) return []
  const findings = []
  for (const { path, read: readItem, wanted } of listingsOf(world, organization)) {
    const answer = await read(path)
    const object = `GET ${organization} ${path}`
    if (answer?.status !== 200) {
      findings.push({ law, object, detail: `it answers ${answer?.status} ${answer?.text.slice(0, 200)}` })
      continue
    }
    const items = JSON.parse(answer.text) as Item[]
    const own = items.filter(({ type }) => path !== '/resources/types' || String(type).includes('/'))
    const shown = new Map(own.map(readItem))
    const other = [...new Set([...shown.keys(), ...wanted.keys()])].find(
      (id) => shown.get(id) !== wanted.get(id),
    )
    if (other !== undefined)
      findings.push({ law, object, detail: `${other}: ${shown.get(other)}, not ${wanted.get(other)}` })
    if (own.length !== shown.size) findings.push({ law, object, detail: 'it has an object twice' })
  }
  return findings
}
