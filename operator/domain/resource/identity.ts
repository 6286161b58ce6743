import { hash } from 'node:crypto'
import type { ActiveResource, ResourceContext } from '../../api/active-resource.ts'
import type { Environment } from '../../api/environment.ts'
import { Problem } from '../base/errors.ts'
import type { Descriptor } from './descriptor.ts'

const maxNamespaceLength = 63
const namespaceHashLength = 16

/** Resource ID of a workload. */
export function workloadResourceId(workload: string): string {
  return `modules.${workload}`
}

/** Resource ID of a private dependency of a workload. */
export function privateResourceId(workload: string, name: string): string {
  return `modules.${workload}.externals.${name}`
}

/** Resource ID of a shared dependency. */
export function sharedResourceId(id: string): string {
  return `shared.${id}`
}

/** ID of the shared dependency with this Resource ID; undefined for other resources. */
export function sharedIdOf(resourceId: string): string | undefined {
  const prefix = sharedResourceId('')
  return resourceId.startsWith(prefix) ? resourceId.slice(prefix.length) : undefined
}

/** Workload that owns the resource with this Resource ID; undefined for shared and implicit resources. */
export function workloadOf(resourceId: string): string | undefined {
  const [root, workload, third, name] = resourceId.split('.', 4)
  if (root !== 'modules' || !workload) return undefined
  return third === undefined || (third === 'externals' && name) ? workload : undefined
}

/** Permanent id of a resource: a hash of its organization, application, environment and descriptor. */
export function guResId(context: ResourceContext, descriptor: Descriptor): string {
  const parts = [
    context.organizationId,
    context.applicationId,
    context.environmentId,
    descriptor.type,
    descriptor.class,
    descriptor.resourceId,
  ]
  return hash('sha1', parts.join('\0'))
}

/** Object name of an environment. */
export function environmentObjectName(applicationId: string, environmentId: string): string {
  return `${applicationId}.${environmentId}`
}

/** The ids in the object name of an environment; throws Problem('Invalid') when it is malformed. */
export function parseEnvironmentObjectName(name: string): { applicationId: string; environmentId: string } {
  const [applicationId, environmentId, ...rest] = name.split('.')
  if (!applicationId || !environmentId || rest.length > 0) {
    throw new Problem('Invalid', `'${name}' is not the name of an environment '<application>.<environment>'`)
  }
  return { applicationId, environmentId }
}

/** Object name of the nth deployment to an environment. */
export function deploymentObjectName(environmentName: string, number: number): string {
  return `${environmentName}.${number}`
}

/** Object name of a deployment set. */
export function setObjectName(applicationId: string, setId: string): string {
  return `${applicationId}.${setId}`
}

/**
 * Default namespace for the objects of an environment. Ids contain no double hyphen, so two environments never share a
 * namespace. A triple hyphen marks a shortened name.
 */
export function environmentNamespace(context: ResourceContext): string {
  const name = `${context.organizationId}--${context.applicationId}--${context.environmentId}`
  if (name.length <= maxNamespaceLength) return name
  const digest = hash('sha256', name).slice(0, namespaceHashLength)
  const head = name.slice(0, maxNamespaceLength - namespaceHashLength - 3).replace(/-{1,2}$/, '')
  return `${head}---${digest}`
}

/** Descriptor of the resource that gives an environment a namespace of its choice. */
export const namespaceDescriptor: Descriptor = {
  type: 'k8s-namespace',
  class: 'default',
  resourceId: 'k8s-namespace',
}

/** Whether a descriptor is that of the resource that gives its environment a namespace. */
export function namesNamespace({ type, class: name, resourceId }: Descriptor): boolean {
  const own = namespaceDescriptor
  return type === own.type && name === own.class && resourceId === own.resourceId
}

/** Whether the set that was planned last has the resource. What is being deleted belongs to no set, or is created again. */
export function isInUse({ metadata, spec }: Pick<ActiveResource, 'metadata' | 'spec'>): boolean {
  return !spec.unusedSince && !metadata.deletionTimestamp
}

/**
 * Namespace for the objects of an environment: the output of its `k8s-namespace` resource, else the one that the operator
 * makes. Undefined while the resource has no output.
 */
export function namespaceFor(
  context: ResourceContext,
  resource: ActiveResource | undefined,
): string | undefined {
  if (!resource || !isInUse(resource)) return environmentNamespace(context)
  const namespace = resource.status?.outputs?.['namespace']
  return typeof namespace === 'string' && namespace !== '' ? namespace : undefined
}

/**
 * Whether resources of the environment must not create a namespace of this name: it can be the default namespace of
 * another environment, or begins like those of another organization.
 */
export function isNamespaceOfOthers(name: string, context: ResourceContext): boolean {
  if (!name.includes('--') || name === environmentNamespace(context)) return false
  const [organizationId, rest = '', ...more] = name.split('--')
  return organizationId !== context.organizationId || rest.startsWith('-') || more.length > 0
}

/** The context of all resources of an environment. */
export function contextOf({ metadata, spec }: Pick<Environment, 'metadata' | 'spec'>): ResourceContext {
  const { applicationId, environmentId } = parseEnvironmentObjectName(metadata.name)
  return {
    organizationId: metadata.namespace,
    applicationId,
    environmentId,
    environmentType: spec.typeName,
  }
}
