import { expect } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { Environment } from '../../../operator/api/environment.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { conditionStatus, eventually, type Organization } from '../support/client.ts'
import type { DirectDoor } from './step.ts'

const agreesWithinMs = 10_000

/** The path of an object of an organization, by plural and name. */
export function pathIn({ id }: Organization, plural: string, name: string): string {
  return `/apis/quartermaster.dev/v1alpha1/namespaces/${id}/${plural}/${name}`
}

/** Deletes an object by one of the doors; `path` is its path over REST. */
export function removeBy(
  door: DirectDoor,
  organization: Organization,
  { plural, name, path }: { readonly plural: string; readonly name: string; readonly path: string },
): Promise<{ readonly status: number }> {
  return door === 'kubectl'
    ? organization.kube('DELETE', pathIn(organization, plural, name))
    : organization.rest('DELETE', path)
}

/** Definitions, resources and deployments are the same over REST as with kubectl. */
export async function expectSameOverRest(organization: Organization): Promise<void> {
  await eventually('the same state over REST', agreesWithinMs, async () => {
    expect(await overRest(organization, '/resources/defs', 'id')).toEqual(
      byName(await organization.list<StoredObject>('resourcedefinitions'), () => ({})),
    )
    const resources = await organization.allResources()
    const deployments = await organization.list<EnvironmentDeployment>('environmentdeployments')
    for (const { metadata } of await organization.list<Environment>('environments')) {
      const { name } = metadata
      const path = `/apps/shop/envs/${name.replace('shop.', '')}`
      const isWithin = ({ spec }: ActiveResource | EnvironmentDeployment) => spec.environmentName === name
      const shown = ['def_id', 'depends_on', 'resource', 'is_failing', 'scheduled_deletion', 'unused_since']
      expect(await overRest(organization, `${path}/resources`, 'gu_res_id', shown)).toEqual(
        byName(resources.filter(isWithin), stateOf),
      )
      expect(await overRest(organization, `${path}/deploys`, 'id')).toEqual(
        byName(deployments.filter(isWithin), () => ({})),
      )
    }
    return true
  })
}

function stateOf(resource: ActiveResource): object {
  const { metadata, spec, status } = resource
  return {
    def_id: spec.definition.definitionName,
    depends_on: spec.dependsOn ?? [],
    resource: status?.outputs ?? {},
    is_failing: conditionStatus(resource, 'Ready') === 'False',
    scheduled_deletion: metadata.deletionTimestamp !== undefined,
    unused_since: spec.unusedSince,
  }
}

/** The items of a list over REST, with the fields that are asked for. */
async function overRest(
  organization: Organization,
  path: string,
  id: string,
  fields: readonly string[] = [],
) {
  const { status, body } = await organization.rest('GET', path)
  if (status !== 200) throw new Error(`${path}: ${status}`)
  const items = body as unknown as Record<string, unknown>[] // a list
  return Object.fromEntries(
    items.map((each) => [each[id], Object.fromEntries(fields.map((field) => [field, each[field]]))]),
  )
}

function byName<T extends StoredObject>(objects: readonly T[], stateOf: (object: T) => object) {
  return Object.fromEntries(objects.map((each) => [each.metadata.name, stateOf(each)]))
}
