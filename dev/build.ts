import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { viewerFiles } from '../api-gateway/pages/viewer.ts'

const root = join(import.meta.dirname, '..')

/** The processes, each one bundle. */
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

/** Bundles the processes and their threads into `directory` as `<name>.mjs`, with source maps and the viewer of the reference beside them. */
export async function buildBundles(
  directory: string,
  names = Object.keys(entries) as BundleName[],
): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: Object.assign({}, ...names.map((name) => entries[name])),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
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
  if (names.includes('gateway')) await copyViewer(join(directory, 'viewer'))
}

async function copyViewer(directory: string): Promise<void> {
  const source = join(root, 'node_modules', 'swagger-ui-dist')
  const names = [...viewerFiles, ...licences]
  await Promise.all(names.map((name) => cp(join(source, name), join(directory, name))))
}

if (import.meta.main) await buildBundles(process.argv[2] ?? join(root, 'dist'))
