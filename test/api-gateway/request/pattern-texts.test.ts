import { describe, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { parameters } from '../../../api-gateway/request/parameters.ts'
import { textOfPattern } from '../../../api-gateway/request/pattern-texts.ts'
import { setUpGateway } from '../support/set-up.ts'

const gateway = await setUpGateway()

/** The patterns of a declaration, at any depth. */
function patternsOf(declared: unknown): string[] {
  if (typeof declared !== 'object' || declared === null) return []
  return Object.entries(declared).flatMap(([key, each]) =>
    key === 'pattern' && typeof each === 'string' ? [each] : patternsOf(each),
  )
}

test('every pattern of a parameter, a header and a field of a body says in words what it allows', () => {
  const declared = [parameters, ...endpoints.flatMap(({ query, headers, body }) => [query, headers, body])]
  const patterns = [...new Set(patternsOf(declared))]
  expect(patterns.length).toBeGreaterThan(15)
  expect(patterns.filter((each) => textOfPattern(each) === undefined)).toEqual([])
})

describe('a refusal names the place and what is allowed', () => {
  const version = { type: 'container', name: 'r.test/a', version: '1' }
  const criteria = '/orgs/acme/resources/defs/db/criteria'

  test.each<[operation: string, body: object | undefined, status: number, place: string, allowed: string]>([
    ['GET /orgs/acme/apps?limit=0', undefined, 400, 'limit', 'from 1 to 1000'],
    ['GET /orgs/acme/apps?cursor=.', undefined, 400, 'cursor', 'letters, digits'],
    ['POST /orgs/acme/artefact-versions', { ...version, commit: 'xyz' }, 400, 'commit', '5 to 64'],
    [
      'POST /orgs/acme/registries',
      { id: 'builds', type: 'public', registry: '*' },
      400,
      'registry',
      'without user, tag',
    ],
    ['POST /orgs/acme/apps', { id: 'A_1', name: 'A' }, 400, 'id', 'lower-case letters and digits'],
    [`DELETE ${criteria}/x!`, undefined, 404, 'criterion_id', 'the digits 0 to 9'],
    ['GET /orgs/acme/apps/a', undefined, 404, 'app_id', '2 characters'],
  ])('%s', async (operation, body, status, place, allowed) => {
    const answer = await gateway.send(operation, { body })
    expect(answer.status).toBe(status)
    expect(answer.body.message).toContain(`'${place}' must `)
    expect(answer.body.message).toContain(allowed)
    expect(answer.body.message).not.toContain('^')
  })
})
