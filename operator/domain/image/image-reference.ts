/** The parts of an image reference: `name[:tag][@digest]`. */
export interface ImageReference {
  readonly name: string
  readonly tag?: string | undefined
  readonly digest?: string | undefined
}

const dockerHub = 'docker.io'
const dockerHubNames: ReadonlySet<string> = new Set([dockerHub, 'index.docker.io', 'registry-1.docker.io'])

/** Splits an image reference. The name is as written. */
export function parseImage(text: string): ImageReference {
  const at = text.indexOf('@')
  const tagged = at < 0 ? text : text.slice(0, at)
  const digest = at < 0 ? undefined : text.slice(at + 1)
  const colon = tagged.lastIndexOf(':')
  // A colon before a slash begins the port of the host.
  const hasTag = colon > tagged.lastIndexOf('/')
  return {
    name: hasTag ? tagged.slice(0, colon) : tagged,
    ...(hasTag ? { tag: tagged.slice(colon + 1) } : {}),
    ...(digest === undefined ? {} : { digest }),
  }
}

/** Begins at the first of the slashes alone, so that many of them take no time. */
const slashesAtEnd = /(?<!\/)\/+$/

/** Joins the parts of an image reference; empty parts are left out. */
export function formatImage({ name, tag, digest }: ImageReference): string {
  return `${name}${tag ? `:${tag}` : ''}${digest ? `@${digest}` : ''}`
}

/** The full name of a repository, so that names of the same repository are equal: `nginx` is `docker.io/library/nginx`. */
export function repositoryOf(name: string): string {
  const bare = name.replace(/^https?:\/\//, '').replace(slashesAtEnd, '')
  const slash = bare.indexOf('/')
  const host = slash < 0 ? '' : bare.slice(0, slash)
  // Paths have no upper case.
  const isHost = /[.:]/.test(host) || host === 'localhost' || host !== host.toLowerCase()
  if (!isHost) return `${dockerHub}/${slash < 0 ? 'library/' : ''}${bare}`
  const path = bare.slice(slash + 1)
  if (!dockerHubNames.has(host)) return bare
  return `${dockerHub}/${path.includes('/') ? '' : 'library/'}${path}`
}

/** Whether two references are the same: `nginx` is `docker.io/library/nginx:latest`. */
export function isSameImage(left: string, right: string): boolean {
  const [one, other] = [left, right].map((text) => {
    const { name, tag, digest } = parseImage(text)
    return formatImage({ name: repositoryOf(name), digest, tag: tag ?? (digest ? undefined : 'latest') })
  })
  return one === other
}

/** The address of a registry: its host, and a path if it has one. Docker Hub is one registry. */
export function registryAddress(registry: string): string {
  const address = loginAddress(registry)
  return address.startsWith(`${dockerHub}/`) ? dockerHub : address
}

/** The address that a login is for: that of a registry, or of a part of it. */
export function loginAddress(key: string): string {
  const bare = key
    .replace(/^https?:\/\//, '')
    .replace(slashesAtEnd, '')
    .replace(/\/v[12]$/, '')
  const [host = '', ...path] = bare.split('/')
  return [dockerHubNames.has(host) ? dockerHub : host, ...path].join('/')
}

/** Whether an image is in a registry. */
export function isInRegistry(image: string, registry: string): boolean {
  return repositoryOf(parseImage(image).name).startsWith(`${registryAddress(registry)}/`)
}

/** The key of a registry in the file `config.json` of Docker. */
export function dockerConfigKey(registry: string): string {
  const address = registryAddress(registry)
  return address === dockerHub ? 'https://index.docker.io/v1/' : address
}
