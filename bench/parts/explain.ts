import { makeOrganization } from '../../dev/organization.ts'
import { Application } from '../../operator/api/application.ts'
import { DeploymentDelta } from '../../operator/api/deployment-delta.ts'
import { Environment } from '../../operator/api/environment.ts'
import { type Kind, type KubeObject, newObject } from '../../operator/api/kind.ts'
import { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import { inParallel } from '../../operator/kube/client/parallel.ts'
import { pathOf, resourceOf } from '../../operator/kube/client/resource.ts'
import type { Bed } from '../bed.ts'
import type { Stage } from '../client-steps.ts'
import { sharedBuckets } from '../objects.ts'
import type { Sizes } from '../sizes.ts'
import { awaitAccess } from '../stage.ts'
import { quantile, rounded } from '../statistics.ts'

/** What a preview costs that explains why no definition fits its resources. */
export interface Explanations {
  readonly definitions: number
  /** Resources of the preview, none of which has a definition. */
  readonly unmatched: number
  /** Milliseconds for each of them, over REST; the median. */
  readonly millisecondsEach: number
}

const organization = 'bench-explain'
const repeats = 3

/** Previews a deployment whose resources fit none of many definitions. */
export async function measureExplanations(
  bed: Bed,
  { gatewayUrl, adminToken }: Stage,
  { definitions, unmatched }: Sizes['explanations'],
): Promise<Explanations> {
  await makeOrganization(bed.controlPlane, organization)
  await inParallel(objects(definitions, unmatched), ([kind, object]) =>
    bed.client.request('POST', pathOf(resourceOf(kind), organization), { body: object }),
  )
  await awaitAccess(gatewayUrl, adminToken, organization)
  const milliseconds: number[] = []
  for (let round = 0; round < repeats; round += 1) {
    const begun = performance.now()
    const problems = await preview(gatewayUrl, adminToken)
    milliseconds.push((performance.now() - begun) / unmatched)
    if (problems !== unmatched)
      throw new Error(`the preview has ${problems} problems instead of ${unmatched}`)
  }
  return { definitions, unmatched, millisecondsEach: rounded(quantile(milliseconds, 0.5), 2) }
}

/** Returns how many problems it has. */
async function preview(gatewayUrl: string, adminToken: string): Promise<number> {
  const url = `${gatewayUrl}/orgs/${organization}/apps/shop/envs/dev/deploys?dry_run=true`
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ delta_id: 'unmatched' }),
  })
  if (!response.ok) throw new Error(`the gateway answered ${response.status}: ${await response.text()}`)
  const { problems } = (await response.json()) as { problems: unknown[] } // the shape of a preview
  return problems.length
}

function* objects(definitions: number, unmatched: number): Generator<[Kind, KubeObject]> {
  const at = (name: string) => ({ name, namespace: organization })
  const applicationName = 'shop'
  yield [Application, newObject(Application, at(applicationName), {})]
  yield [Environment, newObject(Environment, at('shop.dev'), { applicationName, typeName: 'development' })]
  for (let index = 0; index < definitions; index += 1) {
    const spec = { type: 's3', driverType: 'quartermaster/echo', criteria: [criterion(index)] }
    yield [ResourceDefinition, newObject(ResourceDefinition, at(`other-${index}`), spec)]
  }
  const shared = sharedBuckets(unmatched)
  yield [DeploymentDelta, newObject(DeploymentDelta, at('unmatched'), { applicationName, shared })]
}

/** A criterion that fits nothing in this organization, by another part of the context each time. */
function criterion(index: number) {
  const shapes = [
    { appId: `app-${index}` },
    { envId: `env-${index}` },
    { envType: 'production', appId: `app-${index}` },
    { class: `class-${index}` },
    { resId: `shared.other-${index}` },
  ]
  return shapes[index % shapes.length] ?? {}
}

/** Rows of the report. */
export function explanationRows(
  explanations: Explanations | undefined,
  line: (name: string, value: number, atMost: number) => string[],
): string[][] {
  if (!explanations) return []
  const { millisecondsEach, ...counts } = explanations
  const name = `preview of ${counts.unmatched} resources that none of ${counts.definitions} definitions fits, ms each`
  return [line(name, millisecondsEach, 5)]
}
