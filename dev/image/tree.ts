// `node dev/image/tree.ts DIRECTORY` writes what the image adds to its base: Node, the bundles, the list of components.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buildBundles } from '../build.ts'
import { componentsOf, licenceList, sbomOf } from './components.ts'
import type { ImageFile } from './tar.ts'

const root = join(import.meta.dirname, '../..')
const documents = '/usr/share/doc/quartermaster'

/** The pinned Node of this platform, where distroless images have it. */
export async function nodeFiles(): Promise<ImageFile[]> {
  return [{ path: '/nodejs/bin/node', content: await readFile(process.execPath), mode: 0o755 }]
}

/** The bundles of both processes, without source maps, and the documents about their parts. */
export async function applicationFiles(): Promise<ImageFile[]> {
  const components = await componentsOf(root)
  return [
    ...(await bundleFiles()),
    { path: `${documents}/LICENSE`, content: await readFile(join(root, 'LICENSE')) },
    { path: `${documents}/licences.txt`, content: Buffer.from(await licenceList(components)) },
    { path: `${documents}/sbom.cdx.json`, content: Buffer.from(await sbomOf(root, components)) },
  ]
}

async function bundleFiles(): Promise<ImageFile[]> {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-image-'))
  try {
    await buildBundles(directory)
    const entries = await readdir(directory, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
    return await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const file = join(parentPath, name)
        return { path: file.slice(directory.length), content: await readFile(file) }
      }),
    )
  } finally {
    await rm(directory, { recursive: true })
  }
}

if (import.meta.main) {
  const [directory] = process.argv.slice(2)
  if (!directory) throw new Error('usage: node dev/image/tree.ts DIRECTORY')
  for (const { path, content = Buffer.of(), mode = 0o644 } of [
    ...(await nodeFiles()),
    ...(await applicationFiles()),
  ]) {
    const file = join(directory, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content, { mode })
  }
}
