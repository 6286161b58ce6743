import { eventually } from '../dev/control-plane/kubernetes.ts'
import { makeOrganization } from '../dev/organization.ts'
import { readAdminToken } from '../dev/quartermaster.ts'
import { Application } from '../operator/api/application.ts'
import { DeploymentDelta } from '../operator/api/deployment-delta.ts'
import { Environment } from '../operator/api/environment.ts'
import { EnvironmentDeployment } from '../operator/api/environment-deployment.ts'
import type { KubeObject } from '../operator/api/kind.ts'
import { labels } from '../operator/api/names.ts'
import { ResourceDefinition } from '../operator/api/resource-definition.ts'
import { namespaceResource, pathOf, resourceOf, secretResource } from '../operator/kube/client/resource.ts'
import type { Bed } from './bed.ts'
import type { Stage } from './client-steps.ts'
import { chainDelta, changeDelta, foundations, independentDelta, organization } from './objects.ts'
import { chainLength, fullSizes, largest, quickSizes } from './sizes.ts'
import { startWatcher } from './watcher.ts'
import { openNamespace, works } from './work.ts'
import { database, login, workloadsDelta } from './workloads.ts'

const kinds = [Application, ResourceDefinition, DeploymentDelta]

/** Makes the organization with all that the scenarios deploy, and begins to watch. */
export async function openStage(bed: Bed): Promise<Stage & { close(): void }> {
  const { client, controlPlane } = bed
  await makeOrganization(controlPlane, organization)
  const deltas = [
    ...works.flatMap((work) => [1, 10, 100, 1000].map((count) => independentDelta(count, work))),
    independentDelta(largest, 'echo'),
    ...works.map(changeDelta),
    chainDelta('echo'),
    chainDelta('object'),
    ...[fullSizes.few, quickSizes.few].map(workloadsDelta),
  ]
  await client.request('POST', pathOf(secretResource, organization), { body: login })
  await client.request('POST', pathOf(namespaceResource), {
    body: { metadata: { name: openNamespace, labels: { [labels.accepts]: organization } } },
  })
  for (const object of [...foundations(chainLength), database, ...deltas]) await create(bed, object)
  const adminToken = await readAdminToken(controlPlane)
  await awaitAccess(bed.process('gateway').url, adminToken, organization)
  const deployments = startWatcher(client, EnvironmentDeployment, organization)
  const environments = startWatcher(client, Environment, organization)
  return {
    client,
    deployments,
    environments,
    get gatewayUrl() {
      return bed.process('gateway').url
    },
    adminToken,
    close() {
      deployments.close()
      environments.close()
    },
  }
}

async function create({ client }: Bed, object: KubeObject): Promise<void> {
  const kind = kinds.find((each) => each.kind === object.kind)
  if (!kind) throw new Error(`no place for kind '${object.kind}'`)
  await client.request('POST', pathOf(resourceOf(kind), object.metadata.namespace), { body: object })
}

/** Waits until the administrator may act in the organization, and the gateway knows it. */
export async function awaitAccess(
  gatewayUrl: string,
  adminToken: string,
  organizationId: string,
): Promise<void> {
  await eventually('access to the organization', 30_000, async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const { ok } = await fetch(`${gatewayUrl}/orgs/${organizationId}/env-types`, { headers })
    return ok || undefined
  })
}
