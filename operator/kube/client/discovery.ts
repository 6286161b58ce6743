import { isNotFound, isUnserved, type KubeClient } from './client.ts'
import { explaining } from './explain-rejection.ts'
import { groupOf, type Resource } from './resource.ts'

/** A kind in a version of its API. */
export type ServedKind = Pick<Resource, 'apiVersion' | 'kind'>

/** Finds out what the API server serves, and remembers it until `forget`. */
export class Discovery {
  readonly #client: KubeClient
  readonly #resources = new Map<string, Resource>()
  /** The versions that take the place of those that are not served. */
  readonly #otherVersions = new Map<string, ServedKind>()

  constructor(client: KubeClient) {
    this.#client = client
  }

  /** How a kind is served in this version; undefined when it is not. */
  async resourceOf({ apiVersion, kind }: ServedKind): Promise<Resource | undefined> {
    const key = `${apiVersion} ${kind}`
    const known = this.#resources.get(key)
    if (known) return known
    const resource = await explaining('discover', { kind }, () => discover(this.#client, apiVersion, kind))
    if (resource) this.#resources.set(key, resource)
    return resource
  }

  /** The kind in a version that is served, this one if possible; undefined when none is. */
  async served({ apiVersion, kind }: ServedKind): Promise<ServedKind | undefined> {
    const key = `${apiVersion} ${kind}`
    const known = this.#otherVersions.get(key)
    if (known) return known
    if (await this.resourceOf({ apiVersion, kind })) return { apiVersion, kind }
    const read = () => versionsOf(this.#client, groupOf(apiVersion))
    for (const version of await explaining('discover', { kind }, read)) {
      const other = { apiVersion: version, kind }
      if (!(await this.resourceOf(other))) continue
      this.#otherVersions.set(key, other)
      return other
    }
    return undefined
  }

  /** The API server no longer serves the kind in this version: the next question asks it again. */
  forget({ apiVersion, kind }: ServedKind): void {
    this.#resources.delete(`${apiVersion} ${kind}`)
    for (const [key, other] of this.#otherVersions)
      if (other.apiVersion === apiVersion && other.kind === kind) this.#otherVersions.delete(key)
  }
}

async function discover(client: KubeClient, apiVersion: string, kind: string): Promise<Resource | undefined> {
  const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const answer = (await readIfServed(client, path)) as
    | { resources: { name: string; kind: string; namespaced: boolean }[] }
    | undefined // the shape of discovery
  const found = answer?.resources.find((each) => each.kind === kind && !each.name.includes('/'))
  return found && { apiVersion, kind, plural: found.name, namespaced: found.namespaced }
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
