import type { StoredObject } from '../../api/kind.ts'
import { compareText } from './json.ts'
import { quantityOf } from './quantity.ts'

/** A ResourceQuota of Kubernetes, as far as it is read. */
export interface ResourceQuota extends StoredObject {
  readonly metadata: StoredObject['metadata'] & { readonly namespace: string }
  readonly spec?: {
    readonly hard?: Readonly<Record<string, string>>
    readonly scopes?: readonly string[]
    readonly scopeSelector?: { readonly matchExpressions?: readonly unknown[] }
  }
  /** What the API server enforces, once the cluster has counted it. */
  readonly status?: {
    readonly hard?: Readonly<Record<string, string>>
    readonly used?: Readonly<Record<string, string>>
  }
}

/** The use of one limit of a quota. */
export interface QuotaUse {
  readonly namespace: string
  readonly quotaName: string
  /** Plural and group, such as `webhooks.quartermaster.dev`. */
  readonly kind: string
  readonly used: number
  readonly limit: number
}

/** A create that the API server refuses because of a quota. */
export interface QuotaRefusal {
  readonly uses: readonly QuotaUse[]
  readonly message: string
}

/** The limits of a quota on numbers of custom resources. A quota with scopes applies to none. */
function usesOf({ metadata: { namespace, name }, spec, status }: ResourceQuota): QuotaUse[] {
  if (spec?.scopes?.length || spec?.scopeSelector?.matchExpressions?.length) return []
  const { hard = {}, used = {} } = status ?? {}
  return Object.entries(hard).map(([resource, limit]) => ({
    namespace,
    quotaName: name,
    kind: kindOf(resource),
    used: numberOf(used[resource] ?? '0'),
    limit: numberOf(limit),
  }))
}

/** The limits that `more` objects of a kind exceed, by the name of the quota. */
export function exceededQuotas(
  quotas: readonly ResourceQuota[],
  kind: string,
  more: number,
): readonly QuotaUse[] {
  return quotas
    .flatMap(usesOf)
    .filter((use) => use.kind === kind && use.used + more > use.limit)
    .sort((a, b) => compareText(a.quotaName, b.quotaName))
}

/** Whether a change of a quota may allow what it refused before. */
export function hasMoreRoom(before: ResourceQuota | undefined, after: ResourceQuota | undefined): boolean {
  if (!before) return false
  if (!after) return true
  const now = new Map(usesOf(after).map((use) => [use.kind, use]))
  return usesOf(before).some(({ kind, used, limit }) => {
    const use = now.get(kind)
    return !use || use.used < used || use.limit > limit
  })
}

/** Says that a limit does not allow `more` objects. */
export function quotaMessage({ namespace, quotaName, kind, used, limit }: QuotaUse, more: number): string {
  return `the quota '${quotaName}' of the namespace '${namespace}' allows ${limit} '${kind}' (${used} used, ${more} more needed)`
}

const exceeded = /\bexceeded quota: (\S+), requested: (\S+), used: (\S+), limited: (\S+)/
const uncounted = /\bstatus unknown for quota: (\S+), resources: (\S+)/

/** Reads the message with which the API server refuses a create; undefined when it has another cause. */
export function quotaRefusalIn(text: string, namespace: string): QuotaRefusal | undefined {
  const [, name = '', requested = '', used = '', limited = ''] = exceeded.exec(text) ?? []
  if (name === '') return uncountedRefusalIn(text, namespace)
  const [more, current] = [listOf(requested), listOf(used)]
  const uses = [...listOf(limited)].map(([resource, limit]) => ({
    namespace,
    quotaName: name,
    kind: kindOf(resource),
    used: current.get(resource) ?? 0,
    limit,
    more: more.get(resource) ?? 1,
  }))
  return {
    uses: uses.map(({ more: _, ...use }) => use),
    message: uses.map((use) => quotaMessage(use, use.more)).join('; '),
  }
}

function uncountedRefusalIn(text: string, namespace: string): QuotaRefusal | undefined {
  const [, name, resources = ''] = uncounted.exec(text) ?? []
  if (name === undefined) return undefined
  const kinds = resources.split(',').map((each) => `'${kindOf(each)}'`)
  const message = `the quota '${name}' of the namespace '${namespace}' limits ${kinds.join(', ')}, which the cluster has not counted yet`
  return { uses: [], message }
}

/** Reads `a=1,b=2`. */
function listOf(text: string): ReadonlyMap<string, number> {
  return new Map(
    text.split(',').map((each) => {
      const [resource = '', quantity = ''] = each.split('=')
      return [resource, numberOf(quantity)]
    }),
  )
}

function kindOf(resource: string): string {
  return resource.replace(/^count\//, '')
}

/** The number that a quantity means; NaN, which exceeds no limit, for other text. */
function numberOf(text: string): number {
  return quantityOf(text) ?? Number.NaN
}
