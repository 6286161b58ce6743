import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import { systemNamespace } from '../../operator/api/names.ts'
import { isIndexed, parseJson } from '../../operator/domain/base/json.ts'

/** The two identities that the chart creates. */
export type Identity = 'operator' | 'gateway'

/** One verb on one resource that a role gives to an identity. */
export interface GrantedRight {
  readonly identity: Identity
  /** Whether the right covers the whole cluster; otherwise only the system namespace. */
  readonly isClusterWide: boolean
  readonly verb: string
  readonly group: string
  /** `resource`, or `resource/subresource`. */
  readonly resource: string
  /** The only object that the right covers; all objects when absent. */
  readonly name?: string
}

/** A right that an identity used. */
export interface UsedRight {
  readonly identity: Identity
  readonly verb: string
  readonly group: string
  readonly resource: string
  /** `cluster` for requests without a namespace. */
  readonly place: 'system' | 'cluster' | 'other'
  /** Only in the system namespace. */
  readonly name?: string
}

/** The part of an event of the audit log that is read here. */
interface AuditEvent {
  readonly verb: string
  readonly user: {
    readonly username: string
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
  readonly objectRef?: {
    readonly apiGroup?: string
    readonly resource?: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
  }
  readonly responseStatus?: { readonly code?: number }
  readonly requestObject?: unknown
  readonly annotations?: Readonly<Record<string, string>>
}

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

const userPrefix = `system:serviceaccount:${systemNamespace}:quartermaster-`

/** The rights that the roles in files of the chart give to an identity, by the names of the roles. */
export function grantedRights(identity: Identity, files: readonly string[]): GrantedRight[] {
  const objects = files.flatMap((file) =>
    parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS()),
  )
  return objects
    .filter((object) => object?.kind === 'ClusterRole' || object?.kind === 'Role')
    .filter(({ metadata }) => metadata.name.startsWith(`quartermaster-${identity}`))
    .flatMap(({ kind, rules }: { kind: string; rules: readonly Rule[] }) =>
      rules.flatMap((rule) => rightsOf(rule, { identity, isClusterWide: kind === 'ClusterRole' })),
    )
}

function rightsOf(
  { apiGroups, resources, resourceNames, verbs }: Rule,
  base: Pick<GrantedRight, 'identity' | 'isClusterWide'>,
): GrantedRight[] {
  const names: readonly (string | undefined)[] = resourceNames ?? [undefined]
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name) => ({ ...base, verb, group, resource, ...(name === undefined ? {} : { name }) })),
      ),
    ),
  )
}

/** The granted rights that are not used. A right on the whole cluster is not used by requests in the system namespace. */
export function unusedRights(
  granted: readonly GrantedRight[],
  used: readonly UsedRight[],
): readonly GrantedRight[] {
  return granted.filter((right) => !used.some((use) => isUse(use, right)))
}

function isUse(use: UsedRight, right: GrantedRight): boolean {
  const isSame = (['identity', 'verb', 'group', 'resource'] as const).every((key) => use[key] === right[key])
  const isThere = (use.place === 'system') !== right.isClusterWide
  return isSame && isThere && (right.name === undefined || right.name === use.name)
}

/** A right as text: `operator: patch applications.quartermaster.dev/status, in the system namespace`. */
export function formatRight({ identity, isClusterWide, verb, group, resource, name }: GrantedRight): string {
  const [plural, ...subresource] = resource.split('/')
  const target = [group ? `${plural}.${group}` : plural, ...subresource].join('/')
  const place = isClusterWide ? '' : ', in the system namespace'
  return `${identity}: ${verb} ${target}${name === undefined ? '' : ` '${name}'`}${place}`
}

/** What the audit log of a run shows about both identities. */
export interface UseOfRights {
  readonly used: readonly UsedRight[]
  /** Secrets that an identity read, as `<namespace>/<name>`, although no object of the organization names them. */
  readonly unnamedSecrets: readonly string[]
}

/**
 * Reads what both identities did from lines of an audit log. `tokenIds` are the ids of the tokens of the processes:
 * tests use other tokens of the same accounts. The log holds the bodies of requests that write objects which name Secrets.
 */
export async function readUseOfRights(
  lines: AsyncIterable<string>,
  tokenIds: ReadonlySet<string>,
): Promise<UseOfRights> {
  const used = new Map<string, UsedRight>()
  const secretReads = new Map<string, { readonly namespace: string; readonly name: string }>()
  const words = new Map<string, Set<string>>()
  for await (const line of lines) {
    const isOurs = line.includes(userPrefix)
    if (!isOurs && !line.includes('"requestObject"')) continue
    // The format of audit.k8s.io/v1; the last line is incomplete when the API server was killed.
    const event = parseJson(line) as AuditEvent | undefined
    if (event === undefined) continue
    const { objectRef, requestObject } = event
    if (requestObject !== undefined) addWords(words, objectRef?.namespace ?? '', requestObject)
    if (!isOurs || !isOfToken(event, tokenIds)) continue
    for (const use of usesOf(event)) used.set(JSON.stringify(use), use)
    const { resource, namespace = '', name = '' } = objectRef ?? {}
    if (resource === 'secrets' && event.verb !== 'create')
      secretReads.set(`${namespace}/${name}`, { namespace, name })
  }
  const unnamed = [...secretReads].filter(([, read]) => !isNamed(read, words))
  return { used: [...used.values()], unnamedSecrets: unnamed.map(([key]) => key).sort() }
}

function isOfToken({ user }: AuditEvent, tokenIds: ReadonlySet<string>): boolean {
  const ids = user.extra?.['authentication.kubernetes.io/credential-id'] ?? []
  return user.username.startsWith(userPrefix) && ids.some((id) => tokenIds.has(id.replace(/^JTI=/, '')))
}

function usesOf({ verb, user, objectRef, responseStatus, annotations }: AuditEvent): UsedRight[] {
  if (!objectRef?.resource || annotations?.['authorization.k8s.io/decision'] !== 'allow') return []
  const { apiGroup: group = '', resource, subresource, namespace, name } = objectRef
  const use = {
    identity: user.username.slice(userPrefix.length) as Identity, // of the only two accounts
    group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    ...(namespace === systemNamespace
      ? { place: 'system' as const, name }
      : { place: namespace === undefined ? ('cluster' as const) : ('other' as const) }),
  }
  // Server-side apply of an object that does not exist needs the right to create it too.
  const isCreation = verb === 'patch' && responseStatus?.code === 201
  return [verb, ...(isCreation ? ['create'] : [])].map((each) => ({ ...use, verb: each }))
}

/** The words of all texts and keys of a body, which may be nested deeper than the call stack. */
function addWords(words: Map<string, Set<string>>, namespace: string, body: unknown): void {
  const known = words.get(namespace) ?? new Set()
  words.set(namespace, known)
  const left = [body]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'string')
      for (const [word] of value.matchAll(/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/g)) known.add(word)
    else if (isIndexed(value)) for (const [key, each] of Object.entries(value)) left.push(key, each)
  }
}

/** Secrets that the processes own; all others are named by an object. */
const ownInSystem = new Set([
  'quartermaster-session-key',
  'quartermaster-admin',
  'quartermaster-installation',
])
const ownOfResources = /^[0-9a-f]{40}-(?:outputs|tls|cookie-[0-9a-f]+)$/
const webhookEnding = /-webhook-signing$/

function isNamed(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  words: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  if (namespace === systemNamespace) return ownInSystem.has(name)
  // The objects of an environment are those of its definitions, whose templates may compute names.
  if (namespace.includes('--') || ownOfResources.test(name)) return true
  const named = words.get(namespace)
  // A webhook that names no Secret has one whose name is derived from its own.
  return (
    named?.has(name) === true ||
    (webhookEnding.test(name) && named?.has(name.replace(webhookEnding, '')) === true)
  )
}
