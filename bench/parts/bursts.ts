import { makeOrganization } from '../../dev/organization.ts'
import { Application } from '../../operator/api/application.ts'
import { ArtefactVersion } from '../../operator/api/artefact-version.ts'
import { AutomationRule } from '../../operator/api/automation-rule.ts'
import { DeploymentDelta } from '../../operator/api/deployment-delta.ts'
import { Environment } from '../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { type Kind, type KubeObject, newObject, type ObjectOf } from '../../operator/api/kind.ts'
import { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import { Workload } from '../../operator/api/workload.ts'
import type { KubeClient } from '../../operator/kube/client/client.ts'
import { inParallel } from '../../operator/kube/client/parallel.ts'
import { pathOf, resourceOf } from '../../operator/kube/client/resource.ts'
import { isObserved, isReady } from '../../operator/kube/loop/outcome.ts'
import type { AuditReader } from '../audit.ts'
import type { Bed } from '../bed.ts'
import { hasSucceeded } from '../client-steps.ts'
import { measure, type Sample } from '../measure.ts'
import type { Sizes } from '../sizes.ts'
import { rounded } from '../statistics.ts'
import { startWatcher } from '../watcher.ts'

/** Many objects of one kind that are created at once, as a GitOps tool does that fills an organization. */
export interface Burst {
  readonly name: string
  readonly objects: number
  readonly sample: Sample
  /** CPU milliseconds of the operator for each object, at most. */
  readonly goalMs: number
}

const organization = 'bench-bursts'
const applicationName = 'shop'
const image = 'images.example.test/web'
/** Requests of the client in flight. */
const atOnce = 16

const at = (name: string) => ({ name, namespace: organization })
const environmentName = (id: string) => `${applicationName}.${id}`
const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** Workloads of one environment, one of them changed, deployments of one environment, and versions of an image. */
export async function measureBursts(
  bed: Bed,
  audit: AuditReader,
  { workloads, deployments, versions, environments }: Sizes['bursts'],
): Promise<readonly Burst[]> {
  const { client } = bed
  await makeOrganization(bed.controlPlane, organization)
  await createAll(client, ResourceDefinition, [definition()])
  await createAll(client, Application, [newObject(Application, at(applicationName), {})])
  await createAll(client, DeploymentDelta, [delta()])
  const places = ['web', 'busy', ...numbered(environments, followerId)]
  await makeAll(bed, Environment, places.map(environment), isReady)
  await makeAll(bed, EnvironmentDeployment, numbered(environments, firstDeployment), hasSucceeded)
  await createAll(client, AutomationRule, numbered(environments, rule))
  const burst = async (name: string, objects: number, goalMs: number, run: () => Promise<unknown>) => ({
    name,
    objects,
    goalMs,
    sample: await measure(bed, audit, async () => {
      const begun = performance.now()
      await run()
      return (performance.now() - begun) / 1000
    }),
  })
  return [
    await burst('Workloads of one environment', workloads, 15, () =>
      makeAll(bed, Workload, numbered(workloads, workload), isReady),
    ),
    await burst(`of ${workloads} Workloads changed`, 1, 1000, () => changeWorkload(bed)),
    await burst('deployments of one environment', deployments, 15, () =>
      makeAll(bed, EnvironmentDeployment, numbered(deployments, waitingDeployment), hasSucceeded),
    ),
    await burst(`versions for ${environments} environments`, versions, 10 + environments / 4, () =>
      makeAll(bed, ArtefactVersion, numbered(versions, version), (each) => isDecided(each, environments)),
    ),
  ]
}

/** A line for each. */
export function burstLines(bursts: readonly Burst[]): string[] {
  return bursts.map(({ name, objects, sample }) => {
    const { seconds, writes, reads, cpuSeconds, peakMemoryMiB, longestStallMs, noise } = sample
    return [
      `${objects} ${name}: ${rounded(seconds, 2)} s, ${writes} writes, ${reads} reads`,
      `operator ${cpuSeconds['operator']} CPU s, ${peakMemoryMiB['operator']} MiB, longest stall ${longestStallMs} ms`,
      `gateway ${cpuSeconds['gateway']} CPU s, API server ${cpuSeconds['kube-apiserver']} CPU s, noise ${noise}`,
    ].join('; ')
  })
}

/** Rows of the report. */
export function burstRows(
  bursts: readonly Burst[],
  line: (name: string, value: number, atMost: number) => string[],
): string[][] {
  return bursts.map(({ name, objects, sample, goalMs }) =>
    line(
      `${objects} ${name}, operator CPU ms each`,
      rounded(((sample.cpuSeconds['operator'] ?? 0) * 1000) / objects, 1),
      goalMs,
    ),
  )
}

function definition() {
  const spec = { type: 's3', driverType: 'quartermaster/echo', criteria: [{}] }
  return newObject(ResourceDefinition, at('bucket'), { ...spec, driverInputs: { values: { bucket: 'b' } } })
}

const environment = (id: string) =>
  newObject(Environment, at(environmentName(id)), { applicationName, typeName: 'development' })

const followerId = (index: number) => `follower-${index}`

/** A module with the image; no pod is made, because no node runs here. */
function delta() {
  const spec = { containers: { main: { image: `${image}:0` } }, replicas: 0 }
  const module = {
    profile: 'quartermaster/default-module',
    deploy: { success: 'deploy' },
    spec,
    externals: {},
  }
  return newObject(DeploymentDelta, at('web'), { applicationName, modules: { add: { web: module } } })
}

const firstDeployment = (index: number) => deploymentTo(followerId(index), 0)
const waitingDeployment = (index: number) => deploymentTo('busy', index)

function deploymentTo(id: string, index: number) {
  const name = environmentName(id)
  const spec = { environmentName: name, deltaName: 'web' }
  return newObject(EnvironmentDeployment, at(`${name}.${index}`), spec)
}

const rule = (index: number) =>
  newObject(AutomationRule, at(`rule-${index}`), { applicationName, environmentId: followerId(index) })

const version = (index: number) =>
  newObject(ArtefactVersion, at(`version-${index}`), {
    type: 'container',
    artefactName: image,
    version: `1.${index}`,
  })

const workloadName = (index: number) => `${applicationName}.web-${index}`

/** A Workload with a bucket that is its own, and one that all share. */
function workload(index: number) {
  return newObject(Workload, at(workloadName(index)), {
    applicationName,
    environmentIds: ['web'],
    score: {
      apiVersion: 'score.dev/v1b1',
      metadata: { name: `web-${index}` },
      containers: { main: { image: `${image}:1.0`, variables: { BUCKET: '${resources.own.bucket}' } } },
      resources: { own: { type: 's3' }, common: { type: 's3', id: 'common' } },
    },
  })
}

async function changeWorkload({ client }: Bed): Promise<void> {
  const name = workloadName(0)
  const watcher = startWatcher(client, Workload, organization)
  try {
    const containers = { main: { image: `${image}:1.1` } }
    await client.request('PATCH', pathOf(resourceOf(Workload), organization, name), {
      body: { spec: { score: { containers } } },
      contentType: 'application/merge-patch+json',
    })
    await watcher.until(
      name,
      'ready',
      (each) => each?.metadata.generation === 2 && isObserved(each) && isReady(each),
    )
  } finally {
    watcher.close()
  }
}

/** Whether the operator has decided about the version in each environment. */
function isDecided({ status }: ArtefactVersion, environments: number): boolean {
  return status?.environments?.length === environments && status.environments.every(({ outcome }) => outcome)
}

/** Creates the objects at once, and waits until all fit. */
async function makeAll<K extends Kind>(
  { client }: Bed,
  kind: K,
  objects: readonly KubeObject[],
  fits: (object: ObjectOf<K>) => boolean,
): Promise<void> {
  const watcher = startWatcher(client, kind, organization)
  try {
    await createAll(client, kind, objects)
    for (const { metadata } of objects)
      await watcher.until(metadata.name, 'ready', (each) => each !== undefined && fits(each))
  } finally {
    watcher.close()
  }
}

async function createAll(client: KubeClient, kind: Kind, objects: readonly KubeObject[]): Promise<void> {
  const path = pathOf(resourceOf(kind), organization)
  await inParallel(objects, (body) => client.request('POST', path, { body }), atOnce)
}
