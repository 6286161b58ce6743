import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, makeTestOrganization, moduleWith } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { thirdPartyOf } from '../support/third-party.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'why')
const { serve, registerByKubectl, deploy, close } = thirdPartyOf(organization)

/** All texts that explain the problem. */
interface Reported {
  readonly type?: string
  readonly status_message?: string
  readonly unused_since?: string
  readonly updated_at: string
  readonly resource?: object
  readonly status: { readonly state: string; readonly message?: string }
}

const app = '/apps/shop'
const saying = (text: string) => (body: Reported) => body.status_message?.includes(text)
const resourcesOf = (environment: string) => `${app}/envs/${environment}/resources`

beforeAll(async () => {
  await organization.application('shop')
})
afterAll(close)

describe('REST says why', () => {
  test('a definition is not used', async () => {
    await organization.define('lost', {
      type: `${organization.id}/nothing`,
      driverType: 'quartermaster/echo',
    })
    const { status_message: why } = await organization.untilRest(
      '/resources/defs/lost',
      saying('TypeNotFound'),
    )
    expect(why).toContain(`${organization.id}/nothing`)
  })

  test('a resource is kept that nothing uses, and when it last changed', async () => {
    const values = { host: 'a' }
    const define = () =>
      organization.define('cache', {
        type: 'redis',
        driverType: 'quartermaster/echo',
        driverInputs: { values },
        criteria: [{}],
      })
    await define()
    await organization.environment('shop', 'kept')
    const content = { modules: { web: moduleWith({ cache: { type: 'redis' } }) } }
    const shown = async (fits: (cache: Reported) => unknown): Promise<Reported> => {
      const isThere = (body: Reported[]) => body.some(fits)
      return (await organization.untilRest(resourcesOf('kept'), isThere)).find(fits)
    }
    await organization.deploy('shop.kept', content)
    const first = await shown(
      ({ status, resource }) => status.state === 'active' && JSON.stringify(resource).includes('"a"'),
    )
    expect([first.status_message, first.unused_since]).toEqual([undefined, undefined])
    values.host = 'b'
    await define()
    await organization.deploy('shop.kept', content)
    const second = await shown(({ resource }) => JSON.stringify(resource).includes('"b"'))
    expect(Date.parse(second.updated_at)).toBeGreaterThan(Date.parse(first.updated_at))
    await organization.deploy('shop.kept', {})
    const kept = await shown(({ status }) => status.message?.startsWith('NotReferenced: '))
    expect(kept).toMatchObject({ unused_since: expect.any(String), status: { state: 'active' } })
  })

  test('an environment and its application do not go, and detach over REST ends that', async () => {
    const server = await serve()
    await registerByKubectl('stubborn', server.target)
    await deploy('stuck', 'stubborn')
    const refusal = { status: 400, body: { error: 'RES-104', message: 'bucket is not empty' } }
    server.next.push(refusal, refusal, refusal, refusal)
    expect((await organization.rest('DELETE', app)).status).toBe(202)
    const environment = await organization.untilRest(`${app}/envs/stuck`, saying('bucket is not empty'))
    expect(environment.status_message).toContain('s3.default#modules.web.externals.files: DriverRefused: ')
    await organization.untilRest(`${app}/envs/stuck`, saying('ResourcesRemain: '))
    await organization.untilRest(app, saying("'shop.stuck': ResourcesRemain: "))
    const [bucket] = (await organization.untilRest(resourcesOf('stuck'))) as Reported[]
    expect(bucket).toMatchObject({
      status_message: expect.stringContaining('?detach=true'),
      status: { state: 'deleting', message: bucket?.status_message },
    })
    const path = `${resourcesOf('stuck')}/s3/modules.web.externals.files?detach=true`
    expect([202, 204]).toContain((await organization.rest('DELETE', path)).status)
    await eventually('the end of the application', 30_000, async () => {
      const { status } = await organization.rest('GET', app)
      return status === 404 || undefined
    })
  })
})
