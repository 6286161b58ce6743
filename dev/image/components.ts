import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A package of others that the image contains. */
export interface Component {
  readonly name: string
  readonly version: string
  readonly license: string
  /** SHA-512 of the package as npm publishes it, in hex. */
  readonly sha512?: string
  readonly directory: string
}

interface LockedPackage {
  readonly version: string
  readonly license?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly optional?: boolean
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/** Development dependencies that the image contains: the viewer of the reference, and the libraries of the portal. */
const shipped: ReadonlySet<string> = new Set(
  [
    'swagger-ui-dist',
    'preact',
    '@preact/signals',
    '@preact/signals-core',
    '@dagrejs/dagre',
    '@dagrejs/graphlib',
  ].map((name) => `node_modules/${name}`),
)

/** The packages of the lock file that the image is made of: those of production on this platform, Node among them. */
export async function componentsOf(root: string): Promise<Component[]> {
  const lock: Lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  // Npm leaves out optional packages that are for other platforms.
  const isPart = ([path, { dev, optional }]: readonly [string, LockedPackage]) =>
    path !== '' && (!dev || shipped.has(path)) && (!optional || existsSync(join(root, path)))
  return Object.entries(lock.packages)
    .filter(isPart)
    .map(([path, { version, license = 'NOASSERTION', integrity = '' }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      const [algorithm, digest = ''] = integrity.split('-')
      const sha512 = algorithm === 'sha512' ? Buffer.from(digest, 'base64').toString('hex') : undefined
      return { name, version, license, sha512, directory: join(root, path) }
    })
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function keyOf({ name, version, directory }: Component): string {
  return [name, version, directory].join(' ')
}

/** A bill of materials in the format CycloneDX, without time and serial number, so that equal input gives equal text. */
export async function sbomOf(root: string, components: readonly Component[]): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const unique = new Map(components.map((component) => [`${component.name}@${component.version}`, component]))
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { type: 'application', name, version, licenses: [{ license: { id: 'Apache-2.0' } }] },
    },
    components: [...unique].map(([reference, component]) => {
      const purl = `pkg:npm/${reference.replace(/^@/, '%40')}`
      return {
        type: 'library',
        'bom-ref': purl,
        name: component.name,
        version: component.version,
        ...(component.sha512 ? { hashes: [{ alg: 'SHA-512', content: component.sha512 }] } : {}),
        licenses: [{ license: { id: component.license } }],
        purl,
      }
    }),
  }
  return `${JSON.stringify(bom, undefined, 2)}\n`
}

/** The licence texts of all components, as each package brings them. */
export async function licenceList(components: readonly Component[]): Promise<string> {
  const parts = await Promise.all(
    components.map(async ({ name, version, license, directory }) => {
      const names = (await readdir(directory))
        .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
        .sort()
      const texts = await Promise.all(names.map((file) => readFile(join(directory, file), 'utf8')))
      return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n')
    }),
  )
  return `${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
