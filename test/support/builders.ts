import type { ActiveResource, ResourceContext } from '../../operator/api/active-resource.ts'
import { Environment } from '../../operator/api/environment.ts'
import {
  type Kind,
  newObject,
  type ObjectMeta,
  type ObjectOf,
  type StoredMeta,
} from '../../operator/api/kind.ts'
import { apiVersion, labels } from '../../operator/api/names.ts'
import type { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import type { FreeForm, TSchema } from '../../operator/api/schema.ts'
import type { ResourceQuota } from '../../operator/domain/base/quota.ts'
import type { Match, NoMatch } from '../../operator/domain/definition/match-types.ts'
import type { SetContent } from '../../operator/domain/delta/delta.ts'
import type { DriverDescriptor } from '../../operator/domain/resource/driver.ts'
import { guResId } from '../../operator/domain/resource/identity.ts'

/** Environment `dev` of type `development` of application `shop` of organization `acme`. */
export function context(changes: Partial<ResourceContext> = {}): ResourceContext {
  return {
    organizationId: 'acme',
    applicationId: 'shop',
    environmentId: 'dev',
    environmentType: 'development',
    ...changes,
  }
}

/** An object of `acme` as the API server returns it. */
export function storedObject<K extends Kind>(
  kind: K,
  { name, ...metadata }: Pick<ObjectMeta, 'name'> & Partial<ObjectMeta>,
  spec: ObjectOf<K>['spec'],
): ObjectOf<K> {
  const namespaced = { namespace: 'acme', ...metadata, name }
  return { ...newObject(kind, namespaced, spec), metadata: storedMeta(namespaced) } as ObjectOf<K> // without status
}

/** Metadata as the API server completes it. */
export function storedMeta<T extends ObjectMeta>(metadata: T) {
  return {
    uid: `uid-of-${metadata.name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...metadata,
  } as T & StoredMeta // with the three fields
}

/** A ResourceQuota of `acme` that the cluster has counted, if it has limits. */
export function quota(
  name: string,
  hard?: Readonly<Record<string, string>>,
  used: Readonly<Record<string, string>> = {},
): ResourceQuota {
  const metadata = storedMeta({ name, namespace: 'acme' })
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata, status: hard ? { hard, used } : {} }
}

/** The namespace of an organization. */
export function organizationNamespace(name: string) {
  const metadata = storedMeta({ name, labels: { [labels.organization]: name } })
  return { apiVersion: 'v1', kind: 'Namespace', metadata }
}

/** A definition that fits every context of class `default`, by the driver `echo`. */
export function definition(
  name: string,
  type: string,
  spec: Partial<ResourceDefinition['spec']> = {},
  metadata: Partial<ObjectMeta> = {},
): ResourceDefinition {
  return {
    apiVersion,
    kind: 'ResourceDefinition',
    metadata: storedMeta({ name, namespace: 'acme', ...metadata }),
    spec: { type, driverType: 'quartermaster/echo', criteria: [{}], ...spec },
  }
}

/** An active resource of `context()`, as an operator wrote it. */
export function activeResource(
  descriptor: { type: string; class?: string; resourceId: string },
  spec: Partial<ActiveResource['spec']> = {},
  metadata: Partial<ObjectMeta> = {},
): ActiveResource {
  const { type, class: resourceClass = 'default', resourceId } = descriptor
  const where = spec.context ?? context()
  return {
    apiVersion,
    kind: 'ActiveResource',
    metadata: storedMeta({
      name: guResId(where, { type, class: resourceClass, resourceId }),
      namespace: where.organizationId,
      ...metadata,
    }),
    spec: {
      environmentName: `${where.applicationId}.${where.environmentId}`,
      deploymentName: `${where.applicationId}.${where.environmentId}.1`,
      context: where,
      type,
      class: resourceClass,
      resourceId,
      definition: { definitionName: type, driverType: 'quartermaster/echo' },
      signature: '',
      ...spec,
    },
  }
}

/** The environment of a resource. */
export function environmentOf({ metadata: { namespace }, spec }: ActiveResource): Environment {
  const { applicationId: applicationName, environmentType: typeName } = spec.context
  return storedObject(Environment, { namespace, name: spec.environmentName }, { applicationName, typeName })
}

/** A module with these dependencies and this spec. */
export function module(externals: FreeForm = {}, spec: FreeForm = {}): FreeForm {
  return { profile: 'quartermaster/default-module', spec, externals }
}

/** A deployment set. */
export function set(
  modules: Record<string, FreeForm> = {},
  shared: Record<string, FreeForm> = {},
): SetContent {
  return { modules, shared }
}

/** A driver for every resource type, without schema. */
export function driver(name: string, changes: Partial<DriverDescriptor> = {}): DriverDescriptor {
  const anything = { type: 'object' } as TSchema // any JSON Schema is one
  return {
    name,
    description: name,
    account: { types: [], required: false },
    values: anything,
    secrets: anything,
    neighbours: {},
    takesIngressRules: false,
    replaceOnChangeOf: [],
    ...changes,
  }
}

/** A match that found no definition. */
export function missOf(match: Match): NoMatch {
  if (match.definition) throw new Error(`definition '${match.definition.metadata.name}' matches`)
  return match
}
