import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Block, blocksOf, isManifest, type Place, root } from './page.ts'

const run = promisify(execFile)
const marker = '::block '
const timeoutMs = 300_000

/** What a block printed, or why it failed. */
export interface BlockResult {
  readonly output: string
  readonly error?: string
}

/** The blocks of a page that run in one place: commands, manifests, and the output that the page shows. */
export function blocksAt(page: string, place: Place): Block[] {
  return blocksOf(page).filter(
    (block) => block.place === place && (['sh', 'text'].includes(block.language) || isManifest(block)),
  )
}

const extra = { language: 'sh', place: 'control plane' } as const
const setUp = 'kubectl apply -f examples/00-organization.yaml -f examples/20-application.yaml'
const tearDown = 'kubectl delete namespace acme --timeout=120s'

/** The blocks of a page that run on a control plane. A page that makes no organization uses that of the examples. */
export function storyOf(page: string): Block[] {
  const blocks = blocksAt(page, 'control plane')
  if (blocks.some(({ text }) => /^kind: Namespace$/m.test(text))) return blocks
  const first = { ...extra, text: setUp, title: `${page} begins with the examples` }
  return [first, ...blocks, { ...extra, text: tearDown, title: `${page} ends` }]
}

/**
 * Runs these blocks in one shell, as a reader does who copies them one after the other, and returns the result of each. A
 * command that fails ends the shell, and so does an answer of the gateway that is an error.
 */
export async function runBlocks(
  blocks: readonly Block[],
  environment: Readonly<Record<string, string>>,
): Promise<BlockResult[]> {
  const script = [
    'set -euo pipefail',
    // A command that a page leaves in the background ends with the page.
    "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT",
    'curl() { command curl -sS --fail-with-body "$@"; }',
    ...blocks.map((block, index) => `${markerOf(index)}\n${commandsOf(block)}`),
    markerOf(blocks.length),
  ].join('\n')
  const options = {
    cwd: root,
    env: { ...process.env, ...environment },
    timeout: timeoutMs,
    maxBuffer: 2 ** 24,
  }
  const { stdout, stderr } = await run('bash', ['-c', script], options).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  const outputs = stdout.split(new RegExp(`^${marker}\\d+\\n`, 'm')).slice(1)
  return blocks.map((_, index) => {
    const output = outputs[index] ?? ''
    if (index + 1 < outputs.length) return { output }
    return { output, error: index + 1 === outputs.length ? `failed: ${stderr}` : 'not reached' }
  })
}

/** Prints a line that separates the outputs of blocks. */
function markerOf(index: number): string {
  return `printf '\\n${marker}${index}\\n'`
}

function commandsOf(block: Block): string {
  if (block.language === 'text') return ':'
  if (block.language === 'sh') return block.text
  return `kubectl apply --server-side --force-conflicts -f - <<'END-OF-BLOCK'\n${block.text}\nEND-OF-BLOCK`
}

/** The lines of a shown output that the actual one does not have. `…` matches anything. */
export function missingLines(shown: string, actual: string): string[] {
  const words = (text: string) => text.trim().split(/\s+/).join(' ')
  const lines = actual.split('\n').map(words)
  return shown
    .split('\n')
    .filter((line) => line.trim() !== '')
    .filter((line) => {
      const parts = words(line)
        .split('…')
        .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      const pattern = new RegExp(`^${parts.join('.*')}$`)
      return !lines.some((each) => pattern.test(each))
    })
}
