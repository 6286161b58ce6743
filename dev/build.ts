import { cp, glob, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { viewerFiles } from '../api-gateway/pages/viewer.ts'
import { ensurePortal } from './portal.ts'

const root = join(import.meta.dirname, '..')

/** The processes, each a bundle, and parts beside it that are loaded on first use. */
export type BundleName = 'operator' | 'gateway'

/** The entry files of each process: its own and those of its threads. */
const entries: Record<BundleName, Readonly<Record<string, string>>> = {
  operator: {
    operator: 'operator/main.ts',
    'template-worker': 'operator/templates/worker.ts',
    'lease-worker': 'operator/kube/lease/lease-worker.ts',
  },
  gateway: { gateway: 'api-gateway/main.ts' },
}

// Some libraries in the bundle call `require`.
const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"

const licences = ['LICENSE', 'NOTICE']

/**
 * How Node runs a process: with a small young generation, a garbage collection when the heap has grown by 40 %, and
 * without memory that the allocator keeps for itself. None costs CPU time that can be measured. The variables are those
 * of glibc. `NODE_OPTIONS` does not accept all of the options.
 */
export const runtime = {
  nodeOptions: ['--max-semi-space-size=8', '--heap-growing-percent=40'],
  environment: { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' },
} as const

/** Bundles the processes and their threads into `directory` as `<name>.mjs`, with source maps, the viewer of the reference and the portal beside them. */
export async function buildBundles(
  directory: string,
  names = Object.keys(entries) as BundleName[],
): Promise<void> {
  // Their names change with their content.
  for await (const file of glob('part-*', { cwd: directory })) await rm(join(directory, file))
  await build({
    absWorkingDir: root,
    entryPoints: Object.assign({}, ...names.map((name) => entries[name])),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What the code imports with `import()` is a separate file, so that it needs memory only when it is used.
    splitting: true,
    chunkNames: 'part-[hash]',
    // One character that is not ASCII doubles the memory of a file. The image brings the licences of all parts.
    legalComments: 'none',
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Identifiers are kept, so that stacks are readable.
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'linked',
    banner: { js: banner },
    logLevel: 'warning',
  })
  if (!names.includes('gateway')) return
  await copyViewer(join(directory, 'viewer'))
  // Names of an earlier build may be missing in this one.
  await rm(join(directory, 'portal'), { recursive: true, force: true })
  await cp(await ensurePortal(), join(directory, 'portal'), { recursive: true })
}

/** The variable that names a directory with the bundles of this source: a run of the tests builds them once. */
export const builtBundles = 'QUARTERMASTER_BUNDLES'

/** Copies the bundles that this run of the tests has built, or else builds them. */
export async function provideBundles(directory: string, names?: BundleName[]): Promise<void> {
  const built = process.env[builtBundles]
  await (built ? cp(built, directory, { recursive: true }) : buildBundles(directory, names))
}

async function copyViewer(directory: string): Promise<void> {
  const source = join(root, 'node_modules', 'swagger-ui-dist')
  const names = [...viewerFiles, ...licences]
  await Promise.all(names.map((name) => cp(join(source, name), join(directory, name))))
}

if (import.meta.main) await buildBundles(process.argv[2] ?? join(root, 'dist'))
