import type { StoredRecord } from '../../../dev/fake-cloudflare/records.ts'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { labels } from '../../../operator/api/names.ts'
import { formatDescriptor } from '../../../operator/domain/resource/descriptor.ts'
import type { HttpDriverServer } from '../../drivers/support/http-driver-server.ts'
import { conditionStatus, type Organization } from '../support/client.ts'
import { namespaceOf, secretAt } from '../support/observing.ts'
import { type Applied, appliedObjects } from './applied-objects.ts'
import type { Subject } from './subject.ts'

/** The resources of an environment that its last deployment uses. */
export async function usedResources(
  organization: Organization,
  environment: string,
): Promise<ActiveResource[]> {
  const resources = await organization.allResources()
  return resources.filter(
    ({ spec }) => spec.environmentName === `shop.${environment}` && spec.unusedSince === undefined,
  )
}

/** The last inputs that a driver received for an instance that exists. */
function lastInputs({ journal, existing }: HttpDriverServer, id: string): unknown {
  const put = journal.findLast(({ method, url }) => method === 'PUT' && url.endsWith(id))
  return existing.has(id) && put ? JSON.parse(put.body) : undefined
}

/**
 * All that people and workloads see of the resources that an environment uses, by descriptor. The environment and the
 * GUResIDs are replaced, so that equal outcomes of two environments are equal values.
 */
export async function outcomeOf(
  { organization, remote }: Subject,
  environment: string,
): Promise<Record<string, unknown>> {
  const resources = await usedResources(organization, environment)
  const objects = await appliedObjects(organization, environment, resources)
  const descriptors = new Map(resources.map(({ metadata, spec }) => [metadata.name, formatDescriptor(spec)]))
  const { provider, zone, spare } = organization
  const records = [...(await provider.records(zone)), ...(await provider.records(spare))]
  const neutral = neutralTo(descriptors, organization, environment)
  const described = await Promise.all(
    resources.map(async (resource) => {
      const { spec, status, metadata } = resource
      const secretName = status?.outputsSecretName
      const secrets =
        secretName === undefined
          ? {}
          : await secretAt(organization, `/api/v1/namespaces/${organization.id}/secrets/${secretName}`)
      const own = objects.filter((each) => each.metadata.labels?.[labels.resource] === metadata.name)
      const seen = {
        definition: spec.definition.definitionName,
        driver: spec.definition.driverType,
        account: spec.definition.accountName,
        inputs: spec.definition.driverInputs,
        params: spec.params,
        values: spec.values,
        dependsOn: [...(spec.dependsOn ?? [])].map(neutral).sort(),
        references: spec.references,
        ready: conditionStatus(resource, 'Ready'),
        outputs: { ...status?.outputs, ...secrets },
        objects: own.map(contentOf).sort(),
        remote: lastInputs(remote, metadata.name),
        records: records.filter(({ comment }) => comment?.endsWith(metadata.name)).map(recordOf),
      }
      return [formatDescriptor(spec), JSON.parse(neutral(JSON.stringify(seen)))] as const
    }),
  )
  const left = objects.filter(({ metadata }) => !descriptors.has(metadata.labels?.[labels.resource] ?? ''))
  return {
    ...Object.fromEntries(described.sort(([a], [b]) => (a < b ? -1 : 1))),
    left: left.map(({ kind, metadata }) => `${kind} ${metadata.namespace} ${metadata.name}`),
  }
}

function recordOf({ zone_id, name, type, content, proxied, ttl }: StoredRecord): object {
  return { zone_id, name, type, content, proxied, ttl }
}

function neutralTo(
  descriptors: ReadonlyMap<string, string>,
  organization: Organization,
  environment: string,
) {
  return (text: string) =>
    [...descriptors]
      .reduce(
        (result, [name, descriptor]) =>
          // A DNS name has the first digits alone.
          result.replaceAll(name, `<${descriptor}>`).replaceAll(name.slice(0, 8), `<${descriptor} in short>`),
        text,
      )
      .replaceAll(namespaceOf(organization, environment), '<namespace>')
      .replaceAll(`shop.${environment}`, 'shop.<environment>')
      .replaceAll(new RegExp(`\\b${environment}\\b`, 'g'), '<environment>')
}

/** An object without what differs from one to the next, such as a hash that is keyed by the resource. */
function contentOf({ kind, metadata, spec, data }: Applied): string {
  const [name, content] =
    kind === 'jobs' ? [metadata.name.replace(/-[^-]*$/, ''), podOf(spec)] : [metadata.name, spec]
  const text = JSON.stringify([kind, metadata.namespace, name, content, decoded(kind, data)])
  return text
    .replaceAll(/"quartermaster.dev\/content":"[^"]*"/g, '"content"')
    .replaceAll(/"\d+\.\d+\.\d+\.\d+"/g, '"address"')
}

/** What the Job of a workload runs; the rest is of the cluster. */
function podOf(spec: unknown): unknown {
  return (spec as { template?: { spec?: unknown } } | undefined)?.template?.spec
}

function decoded(kind: string, data: unknown): unknown {
  if (kind !== 'secrets' || typeof data !== 'object' || data === null) return data
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString()]),
  )
}
