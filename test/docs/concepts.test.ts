import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import { parseAllDocuments } from 'yaml'
import { type Criterion, ResourceDefinition } from '../../operator/api/resource-definition.ts'
import { criterionRank } from '../../operator/domain/definition/criterion.ts'
import { createMatcher } from '../../operator/domain/definition/matching.ts'
import { closed } from '../support/scenarios.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/concepts.md'), 'utf8')
const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(page) ?? []
const definitions = parseAllDocuments(yaml).map((each) => each.toJS() as ResourceDefinition)
const resource = { type: 'postgres', class: 'default', resourceId: 'shared.db' }
const place = { organizationId: 'acme', applicationId: 'shop', environmentId: 'staging' }

test('the table of weights is that of the code', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, key, weight]) => [key, Number(weight)])
  expect(rows).toHaveLength(4)
  for (const [key, weight] of rows) {
    const criterion = { [String(key)]: 'x' } as Criterion
    expect([key, criterionRank(criterion)]).toEqual([key, weight])
  }
})

describe('the definitions of the page', () => {
  test('are valid', () => {
    expect(definitions).toHaveLength(2)
    const check = new Ajv({ strict: false }).compile(closed(ResourceDefinition.spec))
    for (const { spec } of definitions) expect([check(spec), check.errors]).toEqual([true, null])
  })

  test.each([
    ['development', 'postgres-for-trials'],
    ['production', 'postgres-shared-server'],
  ])('in an environment of type %s, %s is chosen', (environmentType, expected) => {
    const match = createMatcher(definitions).match({ ...resource, context: { ...place, environmentType } })
    expect(match).toMatchObject({ definition: { metadata: { name: expected } } })
  })
})
