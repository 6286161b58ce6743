import { Environment } from '../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { inParallel } from '../../operator/kube/client/parallel.ts'
import { pathOf, resourceOf } from '../../operator/kube/client/resource.ts'
import type { AuditReader } from '../audit.ts'
import type { Bed } from '../bed.ts'
import { hasSucceeded, makeEnvironment, type Stage } from '../client-steps.ts'
import { measure, type Sample } from '../measure.ts'
import { deployment, environment, independentName, organization } from '../objects.ts'
import { rounded } from '../statistics.ts'
import type { Work } from '../work.ts'

/** Many environments of one resource each. */
export interface Environments {
  readonly work: Work
  readonly environments: number
  /** From the first write of a client until the last environment is ready, has its resource, or is gone. */
  readonly made: Sample
  readonly deployed: Sample
  readonly deleted: Sample
}

/** Requests of the client in flight. */
const atOnce = 16

/** Makes so many environments, deploys a resource to each, and deletes all of them at once. */
export async function measureEnvironments(
  bed: Bed,
  stage: Stage,
  audit: AuditReader,
  { count, work }: { readonly count: number; readonly work: Work },
): Promise<Environments> {
  const ids = Array.from({ length: count }, (_, index) => `${work}-${index}`)
  const sample = (run: () => Promise<unknown>) =>
    measure(bed, audit, async () => {
      const begun = performance.now()
      await run()
      return (performance.now() - begun) / 1000
    })
  return {
    work,
    environments: count,
    made: await sample(() => inParallel(ids, (id) => makeEnvironment(stage, id), atOnce)),
    deployed: await sample(() => deployAll(stage, ids, independentName(1, work))),
    deleted: await sample(() => deleteAll(stage, ids)),
  }
}

async function deployAll({ client, deployments }: Stage, ids: readonly string[], deltaName: string) {
  const bodies = ids.map((id) => deployment(id, 'first', { deltaName }))
  const path = pathOf(resourceOf(EnvironmentDeployment), organization)
  await inParallel(bodies, (body) => client.request('POST', path, { body }), atOnce)
  for (const { metadata } of bodies) await deployments.until(metadata.name, 'ready', hasSucceeded)
}

async function deleteAll({ client, environments }: Stage, ids: readonly string[]) {
  const names = ids.map((id) => environment(id).metadata.name)
  const path = (name: string) => pathOf(resourceOf(Environment), organization, name)
  await inParallel(names, (name) => client.request('DELETE', path(name)), atOnce)
  for (const name of names) await environments.until(name, 'gone', (each) => each === undefined)
}

/** A line for each step. */
export function environmentsLines({ work, environments, made, deployed, deleted }: Environments): string[] {
  return Object.entries({ made, deployed, deleted }).map(([step, sample]) => {
    const { seconds, writes, reads, cpuSeconds, peakMemoryMiB } = sample
    const each = (figure: number) => rounded(figure / environments, 2)
    return [
      `${environments} environments (${work}) ${step}: ${rounded(seconds, 2)} s, ${rounded(environments / seconds, 1)}/s`,
      `${each(writes)} writes and ${each(reads)} reads each`,
      `operator ${cpuSeconds['operator']} CPU s, ${peakMemoryMiB['operator']} MiB`,
      `API server ${cpuSeconds['kube-apiserver']} CPU s`,
    ].join('; ')
  })
}

/** Rows of the report. */
export function environmentRows(
  all: readonly Environments[],
  line: (name: string, value: number, atLeast: number) => string[],
): string[][] {
  return all.flatMap(({ work, environments, made, deployed, deleted }) => {
    const name = `${environments} environments (${work})`
    const perSecond = (seconds: number) => rounded(environments / seconds, 1)
    if (work !== 'echo')
      return [
        line(`${name}, made and deployed to each second`, perSecond(made.seconds + deployed.seconds), 31),
      ]
    return [line(`${name}, deleted each second`, perSecond(deleted.seconds), 100)]
  })
}
