import { ReconcileError, Stalled } from '../../domain/base/errors.ts'
import { isNotFound, isUnserved } from '../client/api-error.ts'
import type { KubeClient } from '../client/client.ts'
import { explaining } from '../client/explain-rejection.ts'
import { groupOf, type Resource } from '../client/resource.ts'

/** A kind in a version of its API. */
export type ServedKind = Pick<Resource, 'apiVersion' | 'kind'>

/** For a kind that the cluster does not serve in this version. Retried, because no watch reports that its CRD is installed. */
export function notServed({ apiVersion, kind }: ServedKind): Stalled {
  const message = `this cluster does not serve '${apiVersion}' '${kind}'`
  return new Stalled('NotServed', message, undefined, 'backoff')
}

/** Why the objects of a kind cannot be listed now. */
export function notListed({ apiVersion, kind }: ServedKind, error: unknown): ReconcileError {
  const cause = error instanceof Error ? error.message : String(error)
  return new ReconcileError('NotListed', `this cluster does not list '${apiVersion}' '${kind}' now: ${cause}`)
}

/** How long the answer that no version has a kind is good for all who ask. */
const absentMs = 1000

/** Finds out what the API server serves, and remembers it until `forget`. */
export class Discovery {
  readonly #client: KubeClient
  readonly #resources = new Map<string, Resource>()
  /** The versions that take the place of those that are not served. */
  readonly #otherVersions = new Map<string, ServedKind>()
  /** When no version had a kind, by the clock of `performance`. */
  readonly #absentAt = new Map<string, number>()

  constructor(client: KubeClient) {
    this.#client = client
  }

  /** How a kind is served in this version; undefined when it is not. */
  async resourceOf(wanted: ServedKind): Promise<Resource | undefined> {
    const found = this.#resources.get(textOf(wanted)) ?? (await this.#discover(wanted))
    return typeof found === 'string' ? undefined : found
  }

  /** The kind in a version that is served, this one if possible; undefined when none is. */
  async served({ apiVersion, kind }: ServedKind): Promise<ServedKind | undefined> {
    if (!versionPattern.test(apiVersion)) return undefined
    const wanted = { apiVersion, kind }
    const key = textOf(wanted)
    const known = this.#resources.has(key) ? wanted : this.#otherVersions.get(key)
    if (known) return known
    const absentAt = this.#absentAt.get(key) ?? Number.NEGATIVE_INFINITY
    if (performance.now() - absentAt < absentMs) return undefined
    const found = (await this.resourceOf(wanted)) ? wanted : await this.#findOther(wanted)
    if (!found) this.#absentAt.set(key, performance.now())
    else if (found !== wanted) this.#otherVersions.set(key, found)
    return found
  }

  /** The kind in another version. Throws while the API server lists a version that it does not serve. */
  async #findOther({ apiVersion, kind }: ServedKind): Promise<ServedKind | undefined> {
    let unserved: string | undefined
    const read = () => versionsOf(this.#client, groupOf(apiVersion))
    for (const version of await explaining('discover', { kind }, read)) {
      const other = { apiVersion: version, kind }
      const found = this.#resources.get(textOf(other)) ?? (await this.#discover(other))
      if (typeof found !== 'string') return other
      if (found === 'no version') unserved = version
    }
    // It learns of a change of a CRD in several steps.
    if (unserved !== undefined) throw new Error(`'${unserved}' is listed and not served`)
    return undefined
  }

  async #discover(wanted: ServedKind): Promise<Discovered> {
    const found = await explaining('discover', { kind: wanted.kind }, () => discover(this.#client, wanted))
    if (typeof found !== 'string') this.#resources.set(textOf(wanted), found)
    return found
  }

  /** The API server no longer serves the kind in this version: the next question asks it again. */
  forget({ apiVersion, kind }: ServedKind): void {
    this.#resources.delete(textOf({ apiVersion, kind }))
    for (const [key, other] of this.#otherVersions)
      if (other.apiVersion === apiVersion && other.kind === kind) this.#otherVersions.delete(key)
  }
}

/** How a kind is served; or that the version does not have it, or that the API server does not serve the version. */
type Discovered = Resource | 'no kind' | 'no version'

/**
 * A version, after its group. Manifests of users name them, and the path of any other text would be that of another request:
 * a list of all objects of a kind, or a watch that does not end.
 */
const versionPattern = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/)?[a-z][a-z0-9-]*$/

async function discover(client: KubeClient, { apiVersion, kind }: ServedKind): Promise<Discovered> {
  if (!versionPattern.test(apiVersion)) return 'no version'
  const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const answer = (await readIfServed(client, path)) as
    | { resources: { name: string; kind: string; namespaced: boolean }[] }
    | undefined // the shape of discovery
  if (!answer) return 'no version'
  const found = answer.resources.find((each) => each.kind === kind && !each.name.includes('/'))
  return found ? { apiVersion, kind, plural: found.name, namespaced: found.namespaced } : 'no kind'
}

function textOf({ apiVersion, kind }: ServedKind): string {
  return `${apiVersion} ${kind}`
}

/** The versions of a group, as `group/version`, the preferred one first; none of the core. */
async function versionsOf(client: KubeClient, group: string): Promise<readonly string[]> {
  if (group === '') return []
  const answer = (await readIfServed(client, `/apis/${group}`)) as
    | { versions: { groupVersion: string }[] }
    | undefined // the shape of discovery
  return answer?.versions.map(({ groupVersion }) => groupVersion) ?? []
}

async function readIfServed(client: KubeClient, path: string): Promise<unknown> {
  try {
    return await client.request('GET', path)
  } catch (error) {
    if (isUnserved(error) || isNotFound(error)) return undefined
    throw error
  }
}
