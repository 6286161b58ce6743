import { setTimeout as sleep } from 'node:timers/promises'
import { EnvironmentDeployment } from './api/environment-deployment.ts'
import { systemNamespace } from './api/names.ts'
import { ApiError, isDenied } from './kube/client/api-error.ts'
import type { KubeClient } from './kube/client/client.ts'
import { pathOf, resourceOf } from './kube/client/resource.ts'
import type { Log } from './log.ts'

/** When to ask again: soon at first, because a new installation takes seconds; later rarely, with lines in the log. */
interface Pauses {
  readonly soonMs: number
  readonly soonForMs: number
  readonly laterMs: number
  readonly lineEveryMs: number
}
const usualPauses: Pauses = { soonMs: 250, soonForMs: 10_000, laterMs: 5000, lineEveryMs: 60_000 }

/**
 * Resolves when the API server accepts objects that a mutating admission policy matches. It learns new kinds every five seconds,
 * and until then rejects each request for them with 503, even where the failure policy is `Ignore`.
 */
export async function admitsObjects(
  client: Pick<KubeClient, 'request'>,
  log: Pick<Log, 'warn'>,
  { soonMs, soonForMs, laterMs, lineEveryMs } = usualPauses,
): Promise<void> {
  const begun = performance.now()
  // By time, not by requests: one without an answer takes half a minute.
  let nextLineAt = begun + soonForMs
  for (;;) {
    const refusal = await refusalOf(client)
    if (refusal === undefined) return
    const now = performance.now()
    if (now >= nextLineAt) {
      nextLineAt = now + lineEveryMs
      log.warn('not ready: the API server does not take objects of the kinds', { cause: refusal })
    }
    await sleep(now - begun < soonForMs ? soonMs : laterMs)
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
