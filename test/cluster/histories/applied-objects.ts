import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { labels } from '../../../operator/api/names.ts'
import type { Organization } from '../support/client.ts'
import { namespaceOf } from '../support/observing.ts'
import { openedNamespaces } from './definitions/namespace-definitions.ts'

/** The kinds that the definitions and workloads of a history apply. */
const appliedKinds = [
  '/api/v1 namespaces',
  '/api/v1 configmaps',
  '/api/v1 secrets',
  '/api/v1 serviceaccounts',
  '/api/v1 services',
  '/apis/apps/v1 deployments',
  '/apis/apps/v1 statefulsets',
  '/apis/batch/v1 jobs',
  '/apis/batch/v1 cronjobs',
  '/apis/networking.k8s.io/v1 ingresses',
] as const

/** An object that a resource applied; its kind is the plural. */
export type Applied = KubeObject & { readonly data?: Readonly<Record<string, string>> }

/** All that resources of the organization applied in any namespace. */
export async function objectsOf({ id, kube }: Organization): Promise<Applied[]> {
  const lists = await Promise.all(
    appliedKinds.map(async (kind) => {
      const [group, plural = ''] = kind.split(' ')
      const { body } = await kube<{ items: Applied[] }>('GET', `${group}/${plural}`)
      return body.items.map((item) => ({ ...item, kind: plural }))
    }),
  )
  return lists
    .flat()
    .filter(({ metadata }) => placeOf(metadata).startsWith(`${id}-`) && isApplied(metadata.labels))
}

/** The namespace of an object, or its name if it is one. */
function placeOf({ namespace, name }: KubeObject['metadata']): string {
  return namespace ?? name
}

function isApplied(all: KubeObject['metadata']['labels'] = {}): boolean {
  return all[labels.resource] !== undefined || isOfWorkload(all)
}

function isOfWorkload(all: KubeObject['metadata']['labels'] = {}): boolean {
  return all['app.kubernetes.io/instance'] !== undefined
}

/** What resources of an environment applied; of workloads also what is no longer used. */
export async function appliedObjects(
  organization: Organization,
  environment: string,
  used: readonly ActiveResource[],
): Promise<Applied[]> {
  const resources = new Set(used.map(({ metadata }) => metadata.name))
  const own = new Set(namespacesOf(organization, environment))
  return (await objectsOf(organization)).filter(
    ({ metadata }) =>
      resources.has(metadata.labels?.[labels.resource] ?? '') ||
      (own.has(placeOf(metadata)) && isOfWorkload(metadata.labels)),
  )
}

/** Where the objects of an environment can be. */
function namespacesOf(organization: Organization, environment: string): string[] {
  const opened = openedNamespaces.filter((each) => each.startsWith(`${environment}-`))
  return [...madeNamespaces(organization, environment), ...opened.map((each) => `${organization.id}-${each}`)]
}

/** The namespaces of an environment that end with it. */
export function madeNamespaces(organization: Organization, environment: string): string[] {
  return [namespaceOf(organization, environment), `${organization.id}--${environment}-made`]
}

/** Where an object that a resource applied is. */
export function objectPath({ kind, metadata }: Applied): string {
  const group = appliedKinds.find((each) => each.endsWith(` ${kind}`))?.split(' ')[0]
  const within = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`
  return `${group}${within}/${kind}/${metadata.name}`
}
