import { beforeEach, describe, expect, test } from '@jest/globals'
import { Application } from '../../operator/api/application.ts'
import { Environment } from '../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { EnvironmentType } from '../../operator/api/environment-type.ts'
import { newObject } from '../../operator/api/kind.ts'
import { annotations } from '../../operator/api/names.ts'
import { environmentController } from '../../operator/controllers/environment.ts'
import { ApiError } from '../../operator/kube/client/api-error.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { ready, stalled } from '../api-gateway/support/objects.ts'
import { silentContext } from './support/context.ts'
import { environmentOptions } from './support/environment-options.ts'
import { createFakeObjects } from './support/fake-objects.ts'
import { readsOf } from './support/reads.ts'

const namespace = 'acme'
const cluster = createFakeCluster()
const objects = createFakeObjects().open()

/** The state of a deployment: succeeded, failed after planning, refused by planning, or running. */
type Outcome = 'good' | 'failed' | 'refused' | 'running'

const overRest = { [annotations.createdBy]: 'ann', [annotations.triggeredBy]: 'ann' }
const startTime = '2026-02-01T00:00:00Z'
const statusOf: Readonly<Record<Outcome, object>> = {
  good: { startTime, ...ready },
  failed: { startTime, ...stalled },
  refused: stalled,
  running: { startTime },
}

beforeEach(() => {
  cluster.reset()
  cluster.addOrganization(namespace)
  cluster.put(Application, newObject(Application, { namespace, name: 'shop' }, {}))
  cluster.put(EnvironmentType, newObject(EnvironmentType, { namespace, name: 'development' }, {}))
  addEnvironment('shop.dev')
})

function addEnvironment(name: string, fromDeploymentName?: string, applicationName = 'shop') {
  const spec = {
    applicationName,
    typeName: 'development',
    ...(fromDeploymentName === undefined ? {} : { fromDeploymentName }),
  }
  cluster.put(Environment, newObject(Environment, { namespace, name }, spec))
}

/** Deployments to `shop.dev` over REST in that order. */
function addDeployments(outcomes: readonly Outcome[]) {
  for (const [i, outcome] of outcomes.entries()) {
    const [name, setName] = [`shop.dev.${i + 1}`, `shop.set${i + 1}`]
    const deployment = newObject(
      EnvironmentDeployment,
      { namespace, name, annotations: overRest },
      { environmentName: 'shop.dev', setName },
    )
    cluster.put(EnvironmentDeployment, deployment)
    cluster.setStatus(EnvironmentDeployment, namespace, name, { setName, ...statusOf[outcome] })
  }
}

async function reconcile(keptDeployments: number) {
  const announcements = { notifyLast: async () => {} }
  const controller = environmentController(
    cluster,
    objects,
    announcements,
    environmentOptions(cluster, keptDeployments),
  )
  const environment = cluster.store.get(Environment, namespace, 'shop.dev') as Environment // put above
  return controller.reconcile(environment, silentContext())
}

/** Numbers of the deployments that are left. */
function left() {
  return cluster.store
    .list(EnvironmentDeployment, namespace)
    .map(({ metadata }) => Number(/\d+$/.exec(metadata.name)?.[0]))
    .sort((before, after) => before - after)
}

describe('of the deployments that finished', () => {
  test.each<[string, Outcome[], number, number[]]>([
    ['the newest are kept', ['good', 'good', 'good', 'good'], 2, [3, 4]],
    [
      'the last that passed planning stays, however many failed planning after it',
      ['good', 'good', 'refused', 'refused', 'refused'],
      2,
      [2, 4, 5],
    ],
    ['the last that passed planning stays when it failed', ['good', 'failed', 'refused'], 1, [2, 3]],
    ['the last that passed planning stays when none is to be kept', ['good', 'good', 'refused'], 0, [2]],
    ['none stays because it was planned before the last', ['good', 'running'], 0, [2]],
    ['none stays when none passed planning', ['refused', 'refused'], 0, []],
  ])('%s', async (_, outcomes, kept, expected) => {
    addDeployments(outcomes)
    await reconcile(kept)
    expect(left()).toEqual(expected)
  })

  test.each<[string, string, string, number[]]>([
    ['this environment', 'shop.dev', 'shop', [1, 3]],
    ['another environment of the application', 'shop.prod', 'shop', [1, 3]],
    ['an environment of another application alone does not', 'blog.dev', 'blog', [3]],
  ])('one from which the next starts stays: %s', async (_, name, application, expected) => {
    addDeployments(['good', 'good', 'good'])
    addEnvironment(name, 'shop.dev.1', application)
    await reconcile(1)
    expect(left()).toEqual(expected)
  })

  test('one that an unfinished deployment names as its start stays', async () => {
    addDeployments(['good', 'good', 'good'])
    const spec = { environmentName: 'shop.dev', deltaName: 'later', fromDeploymentName: 'shop.dev.1' }
    cluster.put(
      EnvironmentDeployment,
      newObject(EnvironmentDeployment, { namespace, name: 'shop.dev.4' }, spec),
    )
    await reconcile(1)
    expect(left()).toEqual([1, 3, 4])
  })
})

test('the environment names the deployment of its intended content', async () => {
  addDeployments(['good', 'refused', 'refused'])
  expect(await reconcile(1)).toMatchObject({
    lastDeploymentName: 'shop.dev.1',
    lastPlanned: { deploymentName: 'shop.dev.1', setName: 'shop.set1' },
    lastDeploymentNumber: 3,
  })
})

test('the reconcile of an environment looks at no other environment of its application', async () => {
  const readsBeside = async (count: number) => {
    addDeployments(['good', 'good', 'good'])
    for (let i = 0; i < count; i += 1) addEnvironment(`shop.e${i}`)
    const reads = await readsOf(cluster.store, () => reconcile(1))
    expect(left()).toEqual([3])
    return reads
  }
  const alone = await readsBeside(0)
  expect(await readsBeside(100)).toBe(alone)
})

test('an environment records its last deployment also when the cluster refuses to delete an earlier one', async () => {
  addDeployments(['good', 'good'])
  const { remove } = cluster
  Object.assign(cluster, {
    async remove() {
      throw new ApiError(403, 'Forbidden', 'admission webhook "keep" denied the request')
    },
  })
  const failure = reconcile(1)
  await expect(failure).rejects.toMatchObject({
    message: expect.stringContaining('denied the request'),
    observed: { lastPlanned: { deploymentName: 'shop.dev.2', setName: 'shop.set2' } },
  })
  Object.assign(cluster, { remove })
})
