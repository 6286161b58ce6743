import { QuotaExceeded, ReconcileError, Stalled } from '../../domain/base/errors.ts'
import {
  ApiError,
  isDenied,
  isNamespaceTerminating,
  isRejected,
  lacksRight,
  QuotaError,
  webhookFailureIn,
} from './api-error.ts'

/** A rejected request is repeated after this time, because changes of roles and admission rules send no event. */
export const rejectedRetrySeconds = 60

/** The part of a line that ends with a denial. It is found from the end of the line, so that no message takes long. */
const denial = /^.* denied (?:the )?request\b/gm

/** How the API server names what denies a request. */
const denyingPolicy = /\b(?:ValidatingAdmissionPolicy '[\w.-]+'|admission webhook "[\w.-]+")/

/** Statuses of validation and admission. */
const rejectedStatuses: ReadonlySet<number> = new Set([400, 403])

/** QuotaExceeded for a create that a quota refuses; any other error unchanged. */
function explainQuota(error: unknown): unknown {
  return error instanceof QuotaError ? new QuotaExceeded(error.message, error.namespace) : error
}

/**
 * QuotaExceeded, a ReconcileError for a request that lacks a right, that a policy or a webhook of the cluster refuses, or that needs
 * a webhook which does not answer, any other error unchanged.
 */
export function explainRefusal(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  if (lacksRight(error)) return new ReconcileError('NotAllowed', error.message)
  if (!isDenied(error) && webhookFailureIn(error) === undefined) return explainQuota(error)
  const { request = 'a request' } = error
  const detail = detailOf(error, request.includes('/secrets'))
  return new ReconcileError('Rejected', `the cluster refuses ${request}: ${detail}`)
}

/** What a request is about. */
interface Target {
  readonly kind: string
  readonly namespace?: string
  readonly name?: string
}

/** Runs a request; throws what `explainRejection` makes of its error. */
export async function explaining<T>(verb: string, target: Target, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explainRejection(error, verb, target)
  }
}

/** Stalled for a request that the cluster rejects for good or for lack of a right, QuotaExceeded; any other error unchanged. */
export function explainRejection(
  error: unknown,
  verb: string,
  { kind, namespace = '', name }: Target,
): unknown {
  if (!(error instanceof ApiError) || isNamespaceTerminating(error)) return error
  if (error instanceof QuotaError) return explainQuota(error)
  const target = name === undefined ? `'${kind}'` : `'${kind}' '${namespace}/${name}'`
  if (lacksRight(error)) {
    const message = `the cluster does not let the operator ${verb} ${target}: ${error.message}`
    return new Stalled('NotAllowed', message, undefined, rejectedRetrySeconds)
  }
  const detail = detailOf(error, kind === 'Secret')
  // It may work again at any time, which no watch reports.
  if (webhookFailureIn(error) !== undefined)
    return new ReconcileError('Rejected', `the cluster cannot ${verb} ${target}: ${detail}`)
  if (!rejectedStatuses.has(error.status) && !isRejected(error)) return error
  const message = `the cluster refuses to ${verb} ${target}: ${detail}`
  return new Stalled('Rejected', message, undefined, rejectedRetrySeconds)
}

/**
 * What the API server says of a refusal. It and policies quote values, and those of a Secret must not appear: only the name of the
 * policy or webhook does.
 */
function detailOf(error: ApiError, isSecret: boolean): string {
  const { message } = error
  if (!isSecret) return message
  const failure = webhookFailureIn(error)
  if (failure !== undefined) return failure
  const [policy] = (message.match(denial) ?? []).flatMap((each) => denyingPolicy.exec(each) ?? [])
  return policy === undefined ? 'its content is not valid' : `${policy} denies it`
}
