import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { CommonStatus, StoredObject } from '../../../operator/api/kind.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import type { Counts } from '../process/counts.ts'
import { servedAs } from '../server/resources.ts'
import type { World } from '../world.ts'
import { hasEnded } from './deployment-writes.ts'
import type { Finding, Law } from './law.ts'

/** What the process that leads has counted. */
export type CountsOf = () => Counts | undefined

const findingsOf = (values: ReadonlyMap<string, string>): Finding[] =>
  [...values].map(([kind, detail]) => ({ object: kind, detail }))

/** The state of an object of a kind of ours. */
export function stateOf(object: StoredObject): 'ready' | 'stalled' | 'waiting' {
  const status = object.status as CommonStatus | undefined // of a kind of ours
  const holds = (type: string) => conditionOf({ status }, type)?.status === 'True'
  if (status?.observedGeneration !== object.metadata.generation) return 'waiting'
  if (holds('Ready')) return 'ready'
  return holds('Stalled') ? 'stalled' : 'waiting'
}

function countsIn(world: World, kind: string): string {
  const states = world.server.storage.list(servedAs(kind)).map(stateOf)
  const count = (state: string) => states.filter((each) => each === state).length
  return JSON.stringify({ ready: count('ready'), waiting: count('waiting'), stalled: count('stalled') })
}

/** Laws of what the leader counts, when nothing has failed for long. */
export function countLaws(countsOf: CountsOf): readonly Law[] {
  return [
    {
      law: 'The metrics count the objects as they are.',
      findings(world) {
        const wrong = new Map<string, string>()
        for (const [kind, count] of countsOf()?.objects ?? []) {
          const [said, is] = [JSON.stringify(count()), countsIn(world, kind)]
          if (said !== is) wrong.set(kind, `they say ${said}, not ${is}`)
        }
        return findingsOf(wrong)
      },
    },
    {
      law: 'When nothing has changed for long, nothing waits in a queue.',
      findings() {
        const wrong = new Map<string, string>()
        for (const [kind, depth] of countsOf()?.queues ?? [])
          if (depth() > 0) wrong.set(kind, `${depth()} wait`)
        return findingsOf(wrong)
      },
    },
  ]
}

/** The law of the deployments that end from now on, while nothing fails and no process ends. */
export function endedLaw(world: World, countsOf: CountsOf): Law {
  const { storage } = world.server
  const from = storage.version
  const known = new Map(countsOf()?.ended)
  return {
    law: 'The metrics count each deployment that ends once, with its result.',
    findings() {
      const ended = { succeeded: 0, failed: 0 }
      for (const { version, before, object } of storage.changesOf(servedAs('EnvironmentDeployment'))) {
        const [was, is] = [before, object] as unknown as [EnvironmentDeployment?, EnvironmentDeployment?] // as its kind says
        if (version <= from || !was || !is || hasEnded(was) || !hasEnded(is)) continue
        if (conditionOf(is, 'AlreadyRan')?.status === 'True') continue
        ended[conditionOf(is, 'Ready')?.status === 'True' ? 'succeeded' : 'failed'] += 1
      }
      return Object.entries(ended).flatMap(([result, count]) => {
        const counted = (countsOf()?.ended.get(result) ?? 0) - (known.get(result) ?? 0)
        return counted === count
          ? []
          : [{ object: `deployments that ${result}`, detail: `they count ${counted}, not ${count}` }]
      })
    },
  }
}
