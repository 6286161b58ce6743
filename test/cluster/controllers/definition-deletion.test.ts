import { beforeAll, describe, expect, test } from '@jest/globals'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { conditionStatus, eventually, makeTestOrganization, moduleWith } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const organization = await makeTestOrganization(sharedCluster(), 'forced')

describe('a definition that is deleted while resources live', () => {
  const itsSecrets = async () => {
    const path = `/api/v1/namespaces/${organization.id}/secrets`
    const { body } = await organization.kube<{ items: KubeObject[] }>('GET', path)
    return body.items.filter(({ metadata }) => metadata.name.startsWith('database-'))
  }

  beforeAll(async () => {
    await organization.application('shop')
    const body = {
      id: 'database',
      name: 'Database',
      type: 'postgres',
      driver_type: 'quartermaster/echo',
      driver_inputs: {
        values: { host: 'db', port: 5432, name: 'shop' },
        secrets: { password: 'canary-forced' },
      },
      criteria: [{}],
    }
    expect((await organization.rest('POST', '/resources/defs', body)).status).toBe(200)
    await organization.environment('shop', 'forced')
    const deployment = await organization.deploy('shop.forced', {
      modules: { api: moduleWith({ db: { type: 'postgres' } }) },
    })
    expect(conditionStatus(deployment, 'Ready')).toBe('True')
  })

  test('is refused without force: 409', async () => {
    await organization.untilRest('/resources/defs/database/resources', (body) => body.length > 0)
    expect((await organization.rest('DELETE', '/resources/defs/database')).status).toBe(409)
  })

  test('with force it is deleted, its resources and its secret inputs stay', async () => {
    expect((await organization.rest('DELETE', '/resources/defs/database?force=true')).status).toBe(204)
    await eventually('the deletion of its Secret', 60_000, async () => {
      const [secret] = await itsSecrets()
      return secret?.metadata.deletionTimestamp
    })
    const [secret] = await itsSecrets()
    expect(secret?.metadata.finalizers).toContain('quartermaster.dev/finalizer')
    expect((await organization.rest('GET', '/resources/defs/database')).status).toBe(404)
    const list = async (query: string) =>
      (await organization.rest('GET', `/resources/defs${query}`)).body
        .filter(({ id }: { id: string }) => id === 'database')
        .map((each: { is_deleted: boolean }) => each.is_deleted)
    expect(await list('')).toEqual([])
    expect(await list('?deleted=true')).toEqual([true])
    const database = (await organization.resources()).find(({ spec }) => spec.type === 'postgres')
    expect(conditionStatus(database, 'Ready')).toBe('True')
  }) // the garbage collector gets to know new kinds every half minute

  test('and they are deleted with the environment', async () => {
    await organization.remove('environments', 'shop.forced')
    await eventually('the end of the Secret', 30_000, async () =>
      (await itsSecrets()).length === 0 ? true : undefined,
    )
    await eventually('the end of its listing', 30_000, async () => {
      const { body } = await organization.rest('GET', '/resources/defs?deleted=true')
      return body.some(({ id }: { id: string }) => id === 'database') ? undefined : true
    })
  })
})
