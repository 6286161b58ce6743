import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeServer } from '../../dev/close-server.ts'
import { makeOrganization } from '../../dev/organization.ts'
import { Application } from '../../operator/api/application.ts'
import { DeploymentDelta } from '../../operator/api/deployment-delta.ts'
import { Environment } from '../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { type Kind, type KubeObject, newObject } from '../../operator/api/kind.ts'
import { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import { ResourceDriver } from '../../operator/api/resource-driver.ts'
import type { KubeClient } from '../../operator/kube/client/client.ts'
import { pathOf, resourceOf } from '../../operator/kube/client/resource.ts'
import type { Bed } from '../bed.ts'
import { deployTo, makeEnvironment, type Stage } from '../client-steps.ts'
import { independentName, sharedBuckets } from '../objects.ts'
import { quantile, rounded } from '../statistics.ts'

/** A small deployment of one organization, alone and while the resources of another fail. */
export interface Fairness {
  /** Failing resources of the other organization. */
  readonly busyResources: number
  /** Resources of the small deployment. */
  readonly resources: number
  readonly idleSeconds: number
  readonly busySeconds: number
  readonly ratio: number
  /** Calls that the failing driver received in a second during the small deployments. */
  readonly failingCallsPerSecond: number
}

const busyOrganization = 'bench-busy'
const resources = 10
const repeats = 7
/** How long the failing driver takes to answer. */
const delayMs = 50

/** Deploys a few resources several times, first alone, then while `count` resources of another organization fail. */
export async function measureFairness(bed: Bed, stage: Stage, count: number): Promise<Fairness> {
  const driver = await startFailingDriver()
  try {
    const idleSeconds = await medianSeconds(stage, 'idle')
    await makeOrganization(bed.controlPlane, busyOrganization)
    for (const [kind, object] of busyObjects(driver.url, count)) await create(bed.client, kind, object)
    while (driver.calls() === 0) await sleep(50)
    const [before, begun] = [driver.calls(), performance.now()]
    const busySeconds = await medianSeconds(stage, 'busy')
    const seconds = (performance.now() - begun) / 1000
    return {
      busyResources: count,
      resources,
      idleSeconds,
      busySeconds,
      ratio: rounded(busySeconds / idleSeconds, 2),
      failingCallsPerSecond: rounded((driver.calls() - before) / seconds, 1),
    }
  } finally {
    await closeServer(driver.server)
  }
}

/** Rows of the report. */
export function fairnessRows(
  fairness: Fairness | undefined,
  line: (name: string, value: number, atMost: number) => string[],
): string[][] {
  if (!fairness) return []
  const { busyResources, ratio } = fairness
  return [
    line(
      `${resources} resources beside ${busyResources} failing ones of another organization, ratio`,
      ratio,
      2,
    ),
  ]
}

async function medianSeconds(stage: Stage, name: string): Promise<number> {
  const seconds: number[] = []
  for (let round = 0; round < repeats; round += 1) {
    const id = `fair-${name}-${round}`
    await makeEnvironment(stage, id)
    seconds.push(await deployTo(stage, id, 'first', { deltaName: independentName(resources, 'echo') }))
  }
  return rounded(quantile(seconds, 0.5))
}

/** A driver that refuses every call after a moment. */
async function startFailingDriver(): Promise<{ server: Server; url: string; calls(): number }> {
  let calls = 0
  const server = createServer((request, response) => {
    calls += 1
    request.resume()
    setTimeout(() => response.writeHead(500).end('{"message":"out of order"}'), delayMs)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // of TCP
  return { server, url: `http://127.0.0.1:${port}`, calls: () => calls }
}

/** Everything of the busy organization, the deployment last. */
function busyObjects(target: string, count: number): [Kind, KubeObject][] {
  const at = (name: string) => ({ name, namespace: busyOrganization })
  const applicationName = 'shop'
  const environmentName = 'shop.busy'
  const shared = sharedBuckets(count)
  const definition = { type: 's3', driverType: `${busyOrganization}/broken`, criteria: [{}] }
  return [
    [Application, newObject(Application, at(applicationName), {})],
    [ResourceDriver, newObject(ResourceDriver, at('broken'), { type: 's3', target })],
    [ResourceDefinition, newObject(ResourceDefinition, at('broken'), definition)],
    [Environment, newObject(Environment, at(environmentName), { applicationName, typeName: 'development' })],
    [DeploymentDelta, newObject(DeploymentDelta, at('many'), { applicationName, shared })],
    [
      EnvironmentDeployment,
      newObject(EnvironmentDeployment, at(`${environmentName}.1`), { environmentName, deltaName: 'many' }),
    ],
  ]
}

async function create(client: KubeClient, kind: Kind, object: KubeObject): Promise<void> {
  await client.request('POST', pathOf(resourceOf(kind), object.metadata.namespace), { body: object })
}
