import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { kinds } from '../../operator/api/kinds.ts'
import { blocksOf, isManifest, pages, root } from './page.ts'

const all = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].sort()
const read = (page: string) => readFileSync(join(root, page), 'utf8')
const makefile = read('Makefile')

/** Pages whose commands other tests run: those of the requests, and those that need the pods of a node. */
const ofOtherTests = new Set<string>(['README.md', 'docs/rest.md', 'docs/install.md', 'docs/images.md'])

describe('every command is run by a test', () => {
  test.each(all)('%s', (page) => {
    if (ofOtherTests.has(page) || (pages as readonly string[]).includes(page)) return
    const blocks = blocksOf(page).filter(({ language }) => language === 'sh')
    expect(blocks.filter(({ place }) => place === 'control plane').map(({ title }) => title)).toEqual([])
  })

  test.each(all)('commands of make in %s exist', (page) => {
    const targets = [...read(page).matchAll(/(?:^|`)make (?:-s )?([a-z][a-z-]+)/gm)].map(
      ([, target]) => target,
    )
    expect(targets.filter((target) => !makefile.includes(`\n${target}:`))).toEqual([])
  })
})

/** The id that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

test.each(all)('the links of %s lead to files and headings', (page) => {
  const text = read(page).replaceAll(/```[\s\S]*?```/g, '')
  const wrong = [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return []
    const [path = '', anchor] = link.split('#')
    const file = path === '' ? page : normalize(join(dirname(page), path))
    if (!existsSync(join(root, file))) return [link]
    if (anchor === undefined) return []
    const anchors = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
    return anchors.includes(anchor) ? [] : [link]
  })
  expect(wrong).toEqual([])
})

test('the README lists every page', () => {
  const without = all.filter(
    (page) => /^docs\/[a-z-]+\.md$/.test(page) && !read('README.md').includes(`](${page})`),
  )
  expect(without).toEqual([])
})

/** Kinds that only the operator writes, or whose objects it names by their content. */
const shownByKubectl = new Set(['ActiveResource', 'DeploymentSet', 'WebhookCall', 'AccessToken'])

test.each(kinds)('docs/kinds.md has a section about $kind with an example', ({ kind, plural, shortName }) => {
  const sections = read('docs/kinds.md').split(/^## /m)
  const section =
    sections.find((each) => new RegExp(`\\b${kind}\\b`).test(each.split('\n', 1)[0] ?? '')) ?? ''
  expect(section).toContain(`\`${shortName}\``)
  const examples = shownByKubectl.has(kind)
    ? section.match(new RegExp(`get ${plural.replace(/s$/, '')}|kind: ${kind}`))
    : blocksOf('docs/kinds.md', section).find(
        (block) => isManifest(block) && block.text.includes(`kind: ${kind}`),
      )
  expect(examples).toBeTruthy()
})
