import { describe, expect, test } from '@jest/globals'
import { endpoints } from '../../../../api-gateway/endpoints/index.ts'
import { maxListBytes } from '../../../../api-gateway/response/item-list.ts'
import { Application } from '../../../../operator/api/application.ts'
import { DeploymentDelta } from '../../../../operator/api/deployment-delta.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { scoreDocument } from '../../../support/scores.ts'
import { addEverything, pathWith } from '../../support/everything.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway()

const lists = endpoints.filter(({ query }) => query && 'limit' in query)

/** Reads all pages of a list by following the links. */
async function readPages(path: string, query: string): Promise<unknown[][]> {
  const pages: unknown[][] = []
  let next: string | undefined = `?${query}`
  while (next !== undefined) {
    const { status, body, headers } = await gateway.send(`GET ${path}${next}`)
    expect(status).toBe(200)
    pages.push(body)
    next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  }
  return pages
}

test('a list without `limit` is answered whole, and in pages the same items follow in the same order', async () => {
  const ids = await addEverything(gateway, 'acme', 'one')
  expect(lists.length).toBeGreaterThan(15)
  for (const { path } of lists) {
    const target = pathWith(path, ids)
    const { body, headers } = await gateway.send(`GET ${target}`)
    expect([path, headers.get('link')]).toEqual([path, null])
    expect([path, (await readPages(target, 'limit=1')).flat()]).toEqual([path, body])
  }
})

describe('pages', () => {
  const names = Array.from({ length: 25 }, (_, index) => `app-${index}`)

  function addApplications(): void {
    for (const name of names)
      gateway.cluster.put(Application, newObject(Application, { namespace: 'acme', name }, {}))
  }

  test.each([
    ['another list', '/orgs/acme/artefacts', ''],
    ['another filter', '/orgs/acme/artefact-versions', '&archived=true'],
    ['another object of the path', '/orgs/acme/apps/app-1/envs', ''],
  ])('do not begin at the cursor of %s', async (_, path, filter) => {
    addApplications()
    const { headers } = await gateway.send('GET /orgs/acme/apps?limit=1')
    const next = /^<(.*)>;/.exec(headers.get('link') ?? '')?.[1] ?? ''
    const { status, body } = await gateway.send(`GET ${path}${next}${filter}`)
    expect([status, body.message]).toEqual([400, expect.stringContaining("'cursor'")])
  })

  test('have at most `limit` items', async () => {
    addApplications()
    const pages = await readPages('/orgs/acme/apps', 'limit=10')
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5])
    expect(pages.flat().map((each) => (each as { id: string }).id)).toEqual(names.toSorted())
  })

  test('continue after an item that was deleted meanwhile', async () => {
    addApplications()
    const first = await gateway.send('GET /orgs/acme/apps?limit=3')
    const next = /^<(.*)>;/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    gateway.cluster.drop(Application, 'acme', first.body[2].id)
    const { body } = await gateway.send(`GET /orgs/acme/apps${next}`)
    expect(body[0].id).toBe(names.toSorted()[3])
  })

  test('of deployments begin with the newest, with numbers in numeric order', async () => {
    const { env_id, app_id } = await addEverything(gateway, 'acme', 'one')
    const environmentName = `${app_id}.${env_id}`
    for (let number = 90; number < 102; number++) {
      const metadata = {
        namespace: 'acme',
        name: `${environmentName}.${number}`,
        creationTimestamp: '2036-01-01T00:00:00Z',
      }
      gateway.cluster.put(
        EnvironmentDeployment,
        newObject(EnvironmentDeployment, metadata, { environmentName }),
      )
    }
    const pages = await readPages(`/orgs/acme/apps/${app_id}/envs/${env_id}/deploys`, 'limit=5')
    const ids = pages.flat().map((each) => (each as { id: string }).id)
    expect(ids.slice(0, 12)).toEqual(
      Array.from({ length: 12 }, (_, index) => `${environmentName}.${101 - index}`),
    )
  })

  test('show each of the items whose names differ in leading zeros alone', async () => {
    addApplications()
    const spec = { applicationName: 'app-0' }
    for (const name of ['d1', 'd01', 'd001'])
      gateway.cluster.put(
        DeploymentDelta,
        newObject(
          DeploymentDelta,
          { namespace: 'acme', name, creationTimestamp: '2026-01-01T00:00:00Z' },
          spec,
        ),
      )
    const pages = await readPages('/orgs/acme/apps/app-0/deltas', 'limit=1')
    expect(pages.map((page) => page.length)).toEqual([1, 1, 1])
  })

  test.each(['"', 'é', '한'])('continue after the longest name of %j', async (letter) => {
    for (const first of ['a', 'b']) {
      const name = first + letter.repeat(511)
      const { status } = await gateway.send('POST /orgs/acme/artefact-versions', {
        body: { type: 'workload', name, spec: scoreDocument() },
      })
      expect(status).toBe(200)
    }
    const pages = await readPages('/orgs/acme/artefacts', 'limit=1')
    expect(pages.map((page) => page.length)).toEqual([1, 1])
  })

  test('end early at the limit of bytes, and the list without `limit` is refused', async () => {
    addApplications()
    const big = 'x'.repeat(maxListBytes / 8)
    const sizes = [big, big, big, big, big, big, big, big, big + big.repeat(9), 'small']
    for (const [index, content] of sizes.entries()) {
      const spec = {
        applicationName: 'app-0',
        modules: { add: { web: { profile: 'p', spec: { content } } } },
      }
      const metadata = { namespace: 'acme', name: `d${index}`, creationTimestamp: '2026-01-01T00:00:00Z' }
      gateway.cluster.put(DeploymentDelta, newObject(DeploymentDelta, metadata, spec))
    }
    const pages = await readPages('/orgs/acme/apps/app-0/deltas', 'limit=100')
    expect(pages.map((page) => page.map((each) => (each as { id: string }).id))).toEqual([
      ['d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6'],
      ['d7'],
      ['d8'],
      ['d9'],
    ])
    expect((await gateway.send('GET /orgs/acme/apps/app-0/deltas')).status).toBe(400)
  })

  test('have links without query parameters that the operation does not declare', async () => {
    addApplications()
    const { headers } = await gateway.send('GET /orgs/acme/apps?limit=1&token=private-value')
    expect(headers.get('link')).toMatch(/^<\?limit=1&cursor=[\w-]+>; rel="next"$/)
  })

  test.each(['limit=0', 'limit=1001', 'limit=ten', 'cursor=%7B%7D', 'cursor=AAAA'])(
    'with %s are refused with 400',
    async (query) => {
      expect((await gateway.send(`GET /orgs/acme/apps?${query}`)).status).toBe(400)
    },
  )
})
