import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** The pages whose commands run on a control plane, in the order in which they run. */
export const pages = [
  'docs/first-deployment.md',
  'docs/kinds.md',
  'docs/definitions.md',
  'docs/quotas.md',
  'docs/access.md',
  'docs/webhooks.md',
  'docs/drivers.md',
  'docs/security.md',
  'docs/operations.md',
  'docs/troubleshooting.md',
  'docs/workloads.md',
] as const

/** Where the commands of a block are run: on a control plane without nodes, on a node with pods, or nowhere. */
export type Place = 'control plane' | 'node' | 'nowhere'

/** A fenced block of a page. */
export interface Block {
  readonly language: string
  readonly text: string
  /** Page, heading and line, for titles of tests. */
  readonly title: string
  readonly place: Place
}

const placeOf = (comment: string): Place | undefined => {
  if (/^<!-- not run: \S.* -->$/.test(comment)) return 'nowhere'
  return comment === '<!-- on a node -->' ? 'node' : undefined
}

/**
 * The fenced blocks of a page. The comment `<!-- on a node -->` before a fence says that its commands need pods, and
 * `<!-- not run: <why> -->` that they need what no test has.
 */
export function blocksOf(page: string, text = readFileSync(join(root, page), 'utf8')): Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  let heading = ''
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    heading = /^#+ (.+)/.exec(line)?.[1] ?? heading
    const [, indent, language] = /^( *)```(\w+)$/.exec(line) ?? []
    if (indent === undefined || language === undefined) continue
    const end = lines.indexOf(`${indent}\`\`\``, index)
    if (end === -1) throw new Error(`${page}:${index + 1}: the block has no end`)
    blocks.push({
      language,
      text: lines
        .slice(index + 1, end)
        .map((each) => each.slice(indent.length))
        .join('\n'),
      title: `${page}:${index + 1} ${heading}`,
      place: placeOf(lines[index - 1]?.trim() ?? '') ?? 'control plane',
    })
    index = end
  }
  return blocks
}

/** Whether a block of YAML is objects of Kubernetes, which readers apply. */
export function isManifest({ language, text }: Block): boolean {
  return language === 'yaml' && /^apiVersion: /m.test(text) && /^kind: /m.test(text)
}
