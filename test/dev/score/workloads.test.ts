import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import { parseAllDocuments } from 'yaml'
import { workloadsOf } from '../../../dev/score/workloads.ts'
import { Workload } from '../../../operator/api/workload.ts'
import { convertScore } from '../../../operator/domain/score/convert-score.ts'
import { closed } from '../../support/scenarios.ts'

const root = join(import.meta.dirname, '../../..')
const target = { application: 'shop', environments: ['dev', 'prod'], image: 'web:2' }
const head = 'apiVersion: score.dev/v1b1\nmetadata: {name: web}\n'
const noFile = () => Buffer.alloc(0)

test('a Score file becomes a Workload with the texts of its files, and the document inside converts', () => {
  const text = `${head}containers:\n  main:\n    image: .\n    files:\n      - {target: /a, source: a.txt}\n      - {target: /b, source: b.bin}\n`
  const read = (path: string) => (path === 'a.txt' ? Buffer.from('hello') : Buffer.from([0xff, 0]))
  const [object] = workloadsOf(text, target, read) as [{ spec: { score: object; images: object[] } }]
  expect(object).toMatchObject({ kind: 'Workload', metadata: { name: 'shop.web' } })
  expect(object.spec.images).toEqual(
    ['dev', 'prod'].map((environmentId) => ({ environmentId, image: 'web:2' })),
  )
  expect(convertScore({ document: object.spec.score }).module['spec']).toMatchObject({
    containers: { main: { files: { '/a': { value: 'hello' }, '/b': { binary_value: '/wA=' } } } },
  })
})

test.each([
  ['a bad document', `${head}containers: {}\n`, /line 3, column 13/],
  ['an empty file', '', /no document/],
])('%s is a problem with its place', (_, text, message) => {
  expect(() => workloadsOf(text, target, noFile)).toThrow(message)
})

test('the example, and the objects of the documentation, are valid', () => {
  const check = new Ajv({ strict: false }).compile(closed(Workload.spec))
  const example = readFileSync(join(root, 'examples/score/score.yaml'), 'utf8')
  const page = readFileSync(join(root, 'docs/deploy-a-workload.md'), 'utf8')
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = '']) => yaml)
  const [documented, extension] = blocks.flatMap((yaml) => parseAllDocuments(yaml).map((each) => each.toJS()))
  const read = (path: string) => readFileSync(join(root, 'examples/score', path))
  const made = workloadsOf(example, { application: 'shop', environments: ['staging'] }, read)
  for (const { spec } of [...made, documented] as { spec: object }[])
    expect([check(spec), check.errors]).toEqual([true, null])
  const { score } = documented.spec
  const document = { ...score, resources: { ...score.resources, host: { type: 'dns' } } }
  expect(convertScore({ document, extension }).module).toMatchObject({
    spec: { ingress: { rules: { 'externals.host': { http: { '/': { port: 8080 } } } } } },
  })
})
