import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from './page.ts'

const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

test('the page on access names all annotations that the policy protects', () => {
  const [, list = ''] = /key in\s+\[([^\]]+)\]/.exec(textOf('charts/quartermaster/files/policy.yaml')) ?? []
  const names = [...list.matchAll(/'quartermaster\.dev\/([a-z-]+)'/g)].map(([, name]) => name)
  expect(names).toContain('created-by')
  const row = /^\| set or change the annotations .*$/m.exec(textOf('docs/access.md'))?.[0] ?? ''
  expect(names.filter((name) => !row.includes(`\`${name}\``))).toEqual([])
})
