import { setTimeout as sleep } from 'node:timers/promises'
import { EnvironmentDeployment } from './api/environment-deployment.ts'
import { systemNamespace } from './api/names.ts'
import { ApiError, isDenied } from './kube/client/api-error.ts'
import type { KubeClient } from './kube/client/client.ts'
import { pathOf, resourceOf } from './kube/client/resource.ts'
import type { Log } from './log.ts'

/** When to ask again: soon at first, because a new installation takes seconds; later rarely, with a line in the log each minute. */
interface Pauses {
  readonly soonMs: number
  readonly soonAttempts: number
  readonly laterMs: number
  readonly attemptsPerLine: number
}
const usualPauses: Pauses = { soonMs: 250, soonAttempts: 40, laterMs: 5000, attemptsPerLine: 12 }

/**
 * Resolves when the API server accepts objects that a mutating admission policy matches. It learns new kinds every five seconds,
 * and until then rejects each request for them with 503, even where the failure policy is `Ignore`.
 */
export async function admitsObjects(
  client: Pick<KubeClient, 'request'>,
  log: Pick<Log, 'warn'>,
  { soonMs, soonAttempts, laterMs, attemptsPerLine } = usualPauses,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const refusal = await refusalOf(client)
    if (refusal === undefined) return
    const isLate = attempt >= soonAttempts
    if (isLate && (attempt - soonAttempts) % attemptsPerLine === 0)
      log.warn('not ready: the API server does not take objects of the kinds', { cause: refusal })
    await sleep(isLate ? laterMs : soonMs)
  }
}

/** Missing rights, missing kinds, and kinds that are not known to admission. */
const notYet = new Set([403, 404, 503])

/** An empty object is invalid, which the API server says after it has applied the policies. Those of others may deny it. */
async function refusalOf(client: Pick<KubeClient, 'request'>): Promise<string | undefined> {
  const resource = resourceOf(EnvironmentDeployment)
  const body = { apiVersion: resource.apiVersion, kind: resource.kind, metadata: { name: 'probe' } }
  try {
    await client.request('POST', pathOf(resource, systemNamespace), { query: { dryRun: 'All' }, body })
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
    return notYet.has(error.status) && !isDenied(error) ? error.message : undefined
  }
}
