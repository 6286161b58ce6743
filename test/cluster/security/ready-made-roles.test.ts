import { beforeAll, describe, expect, test } from '@jest/globals'
import type { ApiAccess } from '../../../dev/control-plane/kubernetes.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { makeTestOrganization } from '../support/client.ts'
import { accessOf, isAllowed, type Person, persons } from '../support/people.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'people')
const other = await makeTestOrganization(cluster, 'apart')
const people = {} as Record<Person, ApiAccess> // filled before the tests

beforeAll(async () => {
  for (const person of persons) people[person] = await accessOf(cluster.access, person, organization.id)
})

describe('the ready-made role', () => {
  const write = ['create', 'update', 'patch', 'delete']
  const work = [
    'applications',
    'artefactversions',
    'automationrules',
    'environments',
    'environmentdeployments',
    'sharedvalues',
    'webhooks',
  ]
  const platform = ['resourcedefinitions', 'resourcetypes', 'resourceaccounts', 'environmenttypes']
  const access = ['memberships', 'users', 'accesstokens']
  const table: readonly [Person, readonly string[], readonly string[], boolean][] = [
    ['developer', ['get', 'list', 'watch', ...write], work, true],
    ['developer', ['get', 'list', 'watch'], [...platform, 'activeresources'], true],
    ['developer', write, [...platform, 'activeresources', ...access], false],
    ['developer', ['get', 'list'], access, false],
    ['developer', ['get', 'list', 'create'], ['core/secrets'], false],
    ['platform-engineer', ['get', 'list', 'watch', ...write], [...work, ...platform], true],
    ['platform-engineer', ['patch', 'delete'], ['activeresources'], true],
    ['platform-engineer', ['create', 'update'], ['activeresources'], false],
    ['platform-engineer', ['create'], ['core/secrets'], true],
    ['platform-engineer', ['get', 'list', 'watch', 'update', 'patch', 'delete'], ['core/secrets'], false],
    ['platform-engineer', ['get', ...write], access, false],
    ['auditor', ['get', 'list', 'watch'], [...work, ...platform, ...access, 'activeresources'], true],
    ['auditor', write, kinds.map(({ plural }) => plural), false],
    ['auditor', ['get', 'list'], ['core/secrets'], false],
  ]
  test.each(table)('of the %s: %j of %j is %s', async (person, verbs, resources, allowed) => {
    for (const resource of resources)
      for (const verb of verbs)
        expect([verb, resource, await isAllowed(people[person], organization.id, verb, resource)]).toEqual([
          verb,
          resource,
          allowed,
        ])
  })

  test('of no person reaches another organization, a namespace, or a status', async () => {
    for (const person of persons) {
      for (const { plural } of kinds) {
        expect([plural, await isAllowed(people[person], other.id, 'get', plural)]).toEqual([plural, false])
        expect(await isAllowed(people[person], organization.id, 'patch', `${plural}/status`)).toBe(false)
      }
      expect(await isAllowed(people[person], organization.id, 'patch', 'core/namespaces')).toBe(false)
    }
  })
})
