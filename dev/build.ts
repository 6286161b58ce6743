import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')

/** Names of the processes that ship, each one bundle. */
export type BundleName = 'operator' | 'gateway'

const entries: Record<BundleName, string> = { operator: 'operator/main.ts', gateway: 'api-gateway/main.ts' }

// Some libraries inside the bundle still ask for `require`.
const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"

/** Bundles the processes into `directory` as `<name>.mjs`, with source maps beside them. */
export async function buildBundles(
  directory: string,
  names = Object.keys(entries) as BundleName[],
): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(names.map((name) => [name, entries[name]])),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Less to parse and to hold; names stay, so that a stack can be read.
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'linked',
    banner: { js: banner },
    logLevel: 'warning',
  })
}

if (import.meta.main) await buildBundles(process.argv[2] ?? join(root, 'dist'))
