// `node dev/portal.ts` builds the portal into the user's cache, and prints the directory.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { withLock } from './control-plane/lock.ts'

const root = join(import.meta.dirname, '..')
const source = join(root, 'portal')
const maxBuilds = 5

/** The portal as files, built once for its content: `index.html` and `assets/`, compressed files beside them. */
export async function ensurePortal(): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'quartermaster', 'portal')
  const directory = join(cache, await contentHash())
  if (existsSync(directory)) return directory
  await withLock(join(cache, 'lock'), async () => {
    if (existsSync(directory)) return
    await removeOld(cache)
    const partial = await mkdtemp(join(cache, 'partial-'))
    await buildPortal(partial)
    await rename(partial, directory)
  })
  return directory
}

/** Hash of everything that the build depends on. */
async function contentHash(): Promise<string> {
  const entries = await readdir(source, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const hash = createHash('sha256')
  for (const file of [...files.sort(), join(root, 'package-lock.json'), import.meta.filename]) {
    hash.update(`${file.slice(root.length)}\0`).update(await readFile(file))
  }
  return hash.digest('hex').slice(0, 32)
}

/** Bounds the cache; builds of other branches remain for a while. */
async function removeOld(cache: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  const names = (await readdir(cache)).filter((name) => name !== 'lock')
  if (names.length <= maxBuilds) return
  for (const name of names) await rm(join(cache, name), { recursive: true, force: true })
}

async function buildPortal(directory: string): Promise<void> {
  const { build } = await import('vite')
  await build({
    root: source,
    configFile: false,
    envDir: false,
    publicDir: false,
    // Relative addresses: a proxy may add a path prefix.
    base: './',
    logLevel: 'warn',
    build: {
      outDir: directory,
      emptyOutDir: true,
      target: ['chrome123', 'firefox121', 'safari17.5'],
      // The policy of the page allows files only.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  })
  await compressFiles(join(directory, 'assets'))
}

const worthCompressing = 1024

async function compressFiles(directory: string): Promise<void> {
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  for (const name of await readdir(directory)) {
    const content = await readFile(join(directory, name))
    if (content.length < worthCompressing) continue
    await writeFile(join(directory, `${name}.br`), await promisify(brotliCompress)(content, best))
    await writeFile(join(directory, `${name}.gz`), await promisify(gzip)(content, { level: 9 }))
  }
}

if (import.meta.main) console.log(await ensurePortal())
