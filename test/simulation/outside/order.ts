import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Environment } from '../../../operator/api/environment.ts'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { servedAs } from '../server/resources.ts'
import { objectOf, objectsOf, resourceNamed, type Surroundings } from '../surroundings.ts'
import { serverNow } from '../time/replace-globals.ts'

const needsOf = ({ spec }: ActiveResource) =>
  new Set([...(spec.dependsOn ?? []), ...Object.values(spec.references ?? {}).flat()])

/** Whether a resource has been ready, also if an earlier object of its name has. */
function hasBeenReady({ server }: Pick<Surroundings, 'server'>, name: string): boolean {
  return server.storage.changesOf(servedAs(ActiveResource.kind)).some(({ object }) => {
    const resource = object as unknown as ActiveResource // of the kind
    return resource.metadata.name === name && conditionOf(resource, 'Ready')?.status === 'True'
  })
}

/** Reports a provision of a resource before what it depends on. */
export function checkProvision(surroundings: Surroundings, guResId: string): void {
  const resource = resourceNamed(surroundings, guResId)
  if (!resource) return
  const other = [...needsOf(resource)].find((name) => !hasBeenReady(surroundings, name))
  if (other !== undefined)
    surroundings.journal.violation(
      'A resource is provisioned after what it depends on.',
      `ActiveResource ${guResId}`,
      `${resource.spec.type}#${resource.spec.resourceId} before ${other}`,
    )
}

/** The version at which the deletion of an object began. */
function deletedAt({ server }: Pick<Surroundings, 'server'>, { kind, metadata }: StoredObject): number {
  const change = server.storage
    .changesOf(servedAs(kind))
    .find(({ object }) => object.metadata.uid === metadata.uid && object.metadata.deletionTimestamp)
  return change?.version ?? Number.POSITIVE_INFINITY
}

function createdAt({ server }: Pick<Surroundings, 'server'>, { kind, metadata }: StoredObject): number {
  const change = server.storage
    .changesOf(servedAs(kind))
    .find(({ object }) => object.metadata.uid === metadata.uid)
  return change?.version ?? Number.POSITIVE_INFINITY
}

/** Whether a resource had the mark to detach it when its deletion began. */
function isDetached({ server }: Pick<Surroundings, 'server'>, { kind, metadata }: StoredObject): boolean {
  const change = server.storage
    .changesOf(servedAs(kind))
    .find(({ object }) => object.metadata.uid === metadata.uid && object.metadata.deletionTimestamp)
  const { annotations: given, deletionTimestamp = '' } = change?.object.metadata ?? {}
  const mark = given?.[annotations.detach]
  return mark === 'true' || (mark !== undefined && Date.parse(mark) >= Date.parse(deletionTimestamp))
}

/** A cache can be as late as this. */
const latestMs = 60_000
const msSince = ({ metadata }: StoredObject) => serverNow() - Date.parse(metadata.deletionTimestamp ?? '')

/**
 * Reports a deprovisioning of a resource that is deleted before its dependents that are deleted too: all those of an environment
 * or organization that is deleted, and else those whose deletion the operator must know.
 */
export function checkDeprovision(surroundings: Surroundings, guResId: string): void {
  const resource = resourceNamed(surroundings, guResId)
  if (resource?.metadata.deletionTimestamp === undefined) return
  if (isDetached(surroundings, resource))
    surroundings.journal.violation(
      'A resource that is detached keeps what exists outside.',
      `ActiveResource ${guResId}`,
      `${resource.spec.type}#${resource.spec.resourceId}`,
    )
  const { namespace } = resource.metadata
  const home = surroundings.server.storage.get(servedAs('Namespace'), undefined, namespace)
  const isOfOrganization = home?.metadata.deletionTimestamp !== undefined
  // The cluster deletes the content of a namespace in no order, and the operator may know late that it does.
  if (isOfOrganization && surroundings.faults.isOn) return
  const environment = objectOf(surroundings, Environment, resource.spec.environmentName, namespace)
  const at = deletedAt(surroundings, resource)
  const isOfEnvironment = environment && deletedAt(surroundings, environment) < at
  const own = needsOf(resource)
  const dependent = objectsOf(surroundings, ActiveResource).find(
    (each) =>
      (each.metadata.deletionTimestamp !== undefined || isOfOrganization) &&
      needsOf(each).has(guResId) &&
      !own.has(each.metadata.name) &&
      // A late request may create one that is never provisioned.
      createdAt(surroundings, each) < at &&
      (isOfOrganization || isOfEnvironment || msSince(each) > latestMs),
  )
  if (dependent)
    surroundings.journal.violation(
      'A resource is deprovisioned after its dependents that are deleted too.',
      `ActiveResource ${guResId}`,
      `${resource.spec.type}#${resource.spec.resourceId} before ${dependent.metadata.name}`,
    )
}
