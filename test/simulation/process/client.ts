import type { KubeObject } from '../../../operator/api/kind.ts'
import { ApiError, NoAnswer, QuotaError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient, RequestOptions } from '../../../operator/kube/client/client.ts'
import type { ApiServer } from '../server/api-server.ts'
import { expired } from '../server/lists.ts'
import { addressOf } from '../server/resources.ts'
import { ownManager } from '../server/write-rules.ts'
import type { Surroundings } from '../surroundings.ts'
import { type Life, never } from './life.ts'
import { watchOf } from './watch.ts'

const reviewPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const longestDelayMs = 4000
/** A request that the former leader sent can arrive while the next one leads. */
const latestArrivalMs = 12_000

/**
 * The connection of one process to the API server. A request is late, is refused, or is done and its answer is lost; the
 * process can end before and after each. Retries within the real client are not modelled: each failure reaches the operator.
 */
export function clientOf(surroundings: Surroundings, life: Life): KubeClient {
  const watch = watchOf(surroundings, life)
  return {
    request: (method, path, options = {}) => request(surroundings, life, { method, path, options }),
    watch,
    close: () => Promise.resolve(),
  }
}

interface Call {
  readonly method: string
  readonly path: string
  readonly options: RequestOptions
}

async function request(surroundings: Surroundings, life: Life, call: Call): Promise<unknown> {
  const { faults, journal, random } = surroundings
  if (!life.isAlive) return never
  life.requests += 1
  const crash = life.plannedCrash?.request === life.requests ? life.plannedCrash.moment : undefined
  if (crash === 'before') life.end('CRASH')
  const sent = { ...call, options: { ...call.options, body: copyOf(call.options.body) } }
  await faults.delay(25, longestDelayMs)
  if (!life.isAlive && (await isLost(surroundings))) return never
  const line = `${call.method} ${call.path}`
  if (faults.isOutage || faults.strikes(0.015)) {
    faults.struck += 1
    journal.note(`FAULT before ${line}`)
    throw random.chance(0.5) ? new NoAnswer('no answer') : unavailable(random.pick([500, 503, 504]))
  }
  const answer = answerTo(surroundings, life, sent)
  if (crash === 'after') life.end('CRASH')
  await faults.delay(10, longestDelayMs)
  if (!life.isAlive) return never
  if ('error' in answer) throw answer.error
  if (faults.strikes(0.015)) {
    faults.struck += 1
    journal.note(`FAULT lost ${line}`)
    throw new NoAnswer('the answer was lost')
  }
  return answer.body
}

/** Whether a request of an ended process is lost; it may also arrive late. */
async function isLost({ clock, faults, random }: Surroundings): Promise<boolean> {
  if (random.chance(0.5)) return true
  if (faults.isOn && random.chance(0.5)) await clock.sleep(random.below(latestArrivalMs))
  return false
}

function answerTo(surroundings: Surroundings, life: Life, { method, path, options }: Call) {
  const { server, journal, random, rights } = surroundings
  const answer = resultOf(() => {
    if (path === reviewPath) return rights.review(options.body)
    const address = addressOf(path)
    if (address) rights.check(method, address, life)
    refuseByQuota(surroundings, method, path, options)
    if (options.query?.resourceVersionMatch === 'Exact' && random.chance(0.1)) throw expired()
    const { features } = surroundings
    const isManaged = features.settings && method === 'POST' && address?.served.ours
    const sent = isManaged ? { ...options, body: withManager(options.body) } : options
    return copyOf(handledBy(life, server, () => server.handle(method, path, sent)))
  })
  if (method === 'GET') return answer
  const result = 'error' in answer ? ` -> ${String(answer.error)}` : ''
  const body = path.includes('/events') ? '' : ` ${JSON.stringify(options.body)?.slice(0, 1500)}`
  journal.note(`p${life.id} ${method} ${path}${result}${body}`)
  return answer
}

function handledBy<T>(life: Life, { storage }: ApiServer, handle: () => T): T {
  storage.writer = life
  try {
    return handle()
  } finally {
    storage.writer = undefined
  }
}

/** The object with its manager, as the API server stores it. Only the cleanup of sets asks for it. */
function withManager(body: unknown): KubeObject {
  const object = body as KubeObject // our client sends objects
  return { ...object, metadata: { ...object.metadata, managedFields: ownManager } }
}

function resultOf(work: () => unknown): { readonly body: unknown } | { readonly error: unknown } {
  try {
    return { body: work() }
  } catch (error) {
    return { error }
  }
}

function refuseByQuota(
  { clock, faults, server }: Surroundings,
  method: string,
  path: string,
  { contentType = '' }: RequestOptions,
): void {
  const isCreate = method === 'POST' || contentType.includes('apply-patch')
  const { served, namespace, name } = (isCreate && addressOf(path)) || {}
  if (!served || namespace === undefined || (faults.fullQuotas.get(served.kind) ?? 0) <= clock.now) return
  if (name !== undefined && server.storage.get(served, namespace, name)) return
  const message = 'exceeded quota: q, requested: 1, used: 5, limited: 5'
  throw new QuotaError(namespace, { message, uses: [] })
}

function unavailable(status: number): ApiError {
  return new ApiError(status, 'ServiceUnavailable', 'the server is unavailable')
}

/** What arrives as JSON: a process and the API server share no objects. */
function copyOf(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
