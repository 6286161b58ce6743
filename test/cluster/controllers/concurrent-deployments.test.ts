import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import type { Environment } from '../../../operator/api/environment.ts'
import { createRandom } from '../../support/random.ts'
import { conditionStatus, makeTestOrganization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const rounds = 25
const longestRequestMs = 25
const random = createRandom(1)

test('of deployments of deltas that kubectl and REST make at the same time, none undoes another', async () => {
  const organization = await makeTestOrganization(sharedCluster(), 'together')
  await organization.define('s3', {
    type: 's3',
    driverType: 'quartermaster/echo',
    driverInputs: { values: { bucket: 'b' } },
    criteria: [{}],
  })
  await organization.application('shop')
  await organization.environment('shop', 'dev')

  const deltaOf = (id: string) => ({
    shared: [{ op: 'add', path: `/${id}`, value: { type: 's3' } }],
  })

  /** Deploys by kubectl while the gateway works on the request; answers the name of the deployment. */
  async function deployByKubectl(id: string): Promise<string> {
    const spec = { applicationName: 'shop', ...deltaOf(id) }
    await organization.apply('deploymentdeltas', 'DeploymentDelta', id, spec)
    await sleep(random.below(longestRequestMs))
    const name = `shop.dev.${id}`
    const deployment = { environmentName: 'shop.dev', deltaName: id }
    await organization.apply('environmentdeployments', 'EnvironmentDeployment', name, deployment)
    return name
  }

  /** Answers the id of the deployment, undefined when another one is in progress. */
  async function deployOverRest(id: string, ready: Promise<unknown>): Promise<string | undefined> {
    const { body } = await organization.rest('POST', '/apps/shop/deltas', deltaOf(id))
    await ready
    const path = '/apps/shop/envs/dev/deploys'
    const { status, body: deployment } = await organization.rest('POST', path, { delta_id: body.id })
    expect([201, 409]).toContain(status)
    return deployment.id
  }

  const expected: string[] = []
  for (let round = 0; round < rounds; round++) {
    // Of two that were created in the same second, the first by name has its turn first.
    const ids = [`second-${round}`, `first-${round}`, `rest-${round}`] as const
    const { promise, resolve } = Promise.withResolvers<void>()
    setTimeout(resolve, 20)
    const names = await Promise.all([
      deployByKubectl(ids[0]),
      deployByKubectl(ids[1]),
      deployOverRest(ids[2], promise),
    ])
    for (const [at, name] of names.entries()) {
      if (name === undefined) continue
      const deployment = await organization.ended(name)
      if (conditionStatus(deployment, 'Ready') === 'True') expected.push(ids[at] ?? '')
      else expect(deployment.status?.problems).toMatchObject([{ reason: 'BaseChanged' }])
    }
  }
  const environment = await organization.get<Environment>('environments', 'shop.dev')
  const setName = environment?.status?.lastPlanned?.setName ?? ''
  const set = await organization.get<DeploymentSet>('deploymentsets', setName)
  expect(Object.keys(set?.spec.shared ?? {}).sort()).toEqual(expected.sort())
})
