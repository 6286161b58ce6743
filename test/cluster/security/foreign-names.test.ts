import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { type ApiAccess, apiRequest } from '../../../dev/control-plane/kubernetes.ts'
import { createAuditLog } from '../support/audit-log.ts'
import { conditionStatus, makeTestOrganization, moduleWith, untilKnown } from '../support/client.ts'
import { accessOf, isAllowed } from '../support/people.ts'
import { samplesIn } from '../support/samples.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'foreign')
const victim = await makeTestOrganization(cluster, 'owned')
const victimLog = createAuditLog(cluster.auditLogPath, victim.id)
let engineer: ApiAccess
const merge = 'application/merge-patch+json'
const pathIn = (plural: string, name = '') =>
  `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/${plural}${name === '' ? '' : `/${name}`}`

beforeAll(async () => {
  engineer = await accessOf(cluster.access, 'platform-engineer', organization.id)
  await organization.application('shop')
  await organization.environment('shop', 'live')
})

/** Every text of a specification replaced, one at a time. */
function* withForeignText(value: unknown, foreign: string): Generator {
  if (typeof value === 'string') yield foreign
  else if (Array.isArray(value))
    for (const [index, item] of value.entries())
      for (const changed of withForeignText(item, foreign)) yield value.with(index, changed)
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value))
      for (const changed of withForeignText(item, foreign)) yield { ...value, [key]: changed }
}

test('labels of ours have no effect on an object', async () => {
  const path = pathIn('environments', 'shop.live')
  const labels = {
    'quartermaster.dev/organization': victim.id,
    'quartermaster.dev/accepts': victim.id,
    'quartermaster.dev/resource': 'f'.repeat(40),
    'app.kubernetes.io/managed-by': 'quartermaster',
  }
  const position = await victimLog.end()
  expect((await apiRequest(engineer, 'PATCH', path, { metadata: { labels } }, merge)).status).toBe(200)
  await victimLog.calm()
  expect(await requestsInVictim(position)).toEqual([])
  const { body } = await organization.rest('GET', '/apps/shop/envs/live')
  expect(body).toMatchObject({ id: 'live' })
})

describe('a reference to another organization', () => {
  test('would be seen in the audit log, as the first requests in an organization are', async () => {
    expect(await requestsInVictim(0)).not.toEqual([])
  })

  const foreignNames = [
    `${victim.id}/login`,
    `../${victim.id}/login`,
    `${victim.id}--shop--live`,
    `../../${victim.id}/secrets/login`,
  ]
  /** Kinds of which each text is an id or a fixed word, so that the API server refuses every variant. */
  const ofIds = new Set(['DeploymentSet', 'Environment', 'Membership', 'ResourceClass', 'User'])
  const samples = samplesIn(organization.id).filter(({ kind }) => kind.kind !== 'ActiveResource')

  test('in a dependency, of a type that the other organization has, fails the deployment', async () => {
    await victim.apply('resourcetypes', 'ResourceType', 'store', { use: 'direct' })
    await victim.define('store', {
      type: `${victim.id}/store`,
      driverType: 'quartermaster/echo',
      driverInputs: { values: { key: 'theirs' } },
      criteria: [{}],
    })
    await untilKnown(victim, 'store')
    await victimLog.calm()
    const position = await victimLog.end()
    const modules = { web: moduleWith({ store: { type: `${victim.id}/store` } }) }
    await organization.environment('shop', 'foreign')
    expect(conditionStatus(await organization.deploy('shop.foreign', { modules }), 'Ready')).toBe('False')
    expect(await requestsInVictim(position)).toEqual([])
  })

  test.each(samples.map(({ kind, object }) => [kind.kind, kind, object] as const))(
    'in no field of a %s makes the operator or the gateway read or write there',
    async (_, kind, object) => {
      const { spec } = object as unknown as { spec: unknown }
      const isWriter = await isAllowed(engineer, organization.id, 'create', kind.plural)
      const as = isWriter ? engineer : cluster.access
      const position = await victimLog.end()
      const statuses = new Set<number>()
      let index = 0
      for (const foreign of foreignNames)
        for (const changed of withForeignText(spec, foreign)) {
          index += 1
          const wanted = { ...object, metadata: { name: `${object.metadata.name}-${index}` }, spec: changed }
          const { status } = await apiRequest(as, 'POST', pathIn(kind.plural), wanted)
          statuses.add(status)
        }
      expect(statuses.has(201)).toBe(!ofIds.has(kind.kind))
      expect([...statuses].filter((status) => ![201, 400, 422].includes(status))).toEqual([])
      await createAuditLog(cluster.auditLogPath, organization.id).calm()
      expect(await requestsInVictim(position)).toEqual([])
    },
  )
})

/** What our processes asked of the namespaces of the victim since that place of the audit log. */
async function requestsInVictim(position: number): Promise<readonly string[]> {
  const text = (await readFile(cluster.auditLogPath)).subarray(position).toString()
  return text
    .split('\n')
    .slice(1, -1)
    .filter((line) => line.includes(victim.id) && line.includes(':quartermaster-'))
    .map((line) => JSON.parse(line))
    .filter(({ user }) => user.username.includes(':quartermaster-'))
    .filter(({ objectRef }) => (objectRef?.namespace ?? objectRef?.name ?? '').startsWith(victim.id))
    .map(({ user, verb, requestURI }) => `${user.username} ${verb} ${requestURI}`)
}
