import { beforeEach, describe, expect, test } from '@jest/globals'
import { Application } from '../../operator/api/application.ts'
import { DeploymentSet } from '../../operator/api/deployment-set.ts'
import { Environment } from '../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { EnvironmentType } from '../../operator/api/environment-type.ts'
import { newObject } from '../../operator/api/kind.ts'
import { environmentController } from '../../operator/controllers/environment.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { ready, stalled } from '../api-gateway/support/objects.ts'
import { createFakeObjects } from './support/fake-objects.ts'
import { silentTurn } from './support/turn.ts'

const namespace = 'acme'
const cluster = createFakeCluster()
const objects = createFakeObjects().open()

/** How a deployment stands: succeeded, failed after planning, refused by planning, or under way. */
type Outcome = 'good' | 'failed' | 'refused' | 'running'

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

/** Deployments to `shop.dev` in that order, each of a set of its own, whose number it has. */
function addDeployments(outcomes: readonly Outcome[]) {
  for (const [i, outcome] of outcomes.entries()) {
    const [name, setName] = [`shop.dev.${i + 1}`, `shop.set${i + 1}`]
    const spec = { applicationName: 'shop', modules: {}, shared: {} }
    cluster.put(DeploymentSet, newObject(DeploymentSet, { namespace, name: setName }, spec))
    const deployment = newObject(
      EnvironmentDeployment,
      { namespace, name },
      { environmentName: 'shop.dev', setName },
    )
    cluster.put(EnvironmentDeployment, deployment)
    cluster.setStatus(EnvironmentDeployment, namespace, name, { setName, ...statusOf[outcome] })
  }
}

async function reconcile(keptDeployments: number) {
  const announcements = { tellLast: async () => {} }
  const controller = environmentController(cluster, objects, announcements, { keptDeployments })
  const environment = cluster.store.get(Environment, namespace, 'shop.dev') as Environment // put above
  return controller.reconcile(environment, silentTurn())
}

/** Numbers of the deployments and of the sets that are left. */
function left() {
  const numbersOf = (kind: typeof EnvironmentDeployment | typeof DeploymentSet) =>
    cluster.store
      .list<typeof EnvironmentDeployment | typeof DeploymentSet>(kind, namespace)
      .map(({ metadata }) => Number(/\d+$/.exec(metadata.name)?.[0]))
      .sort((before, after) => before - after)
  return { deployments: numbersOf(EnvironmentDeployment), sets: numbersOf(DeploymentSet) }
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
    expect(left()).toEqual({ deployments: expected, sets: expected })
  })

  test.each<[string, string, string, number[]]>([
    ['this environment', 'shop.dev', 'shop', [1, 3]],
    ['another environment of the application', 'shop.prod', 'shop', [1, 3]],
    ['an environment of another application alone does not', 'blog.dev', 'blog', [3]],
  ])('one from which the next starts stays: %s', async (_, name, application, expected) => {
    addDeployments(['good', 'good', 'good'])
    addEnvironment(name, 'shop.dev.1', application)
    await reconcile(1)
    expect(left()).toEqual({ deployments: expected, sets: expected })
  })

  test('one that an unfinished deployment names as its start stays', async () => {
    addDeployments(['good', 'good', 'good'])
    const spec = { environmentName: 'shop.dev', deltaName: 'later', fromDeploymentName: 'shop.dev.1' }
    cluster.put(
      EnvironmentDeployment,
      newObject(EnvironmentDeployment, { namespace, name: 'shop.dev.4' }, spec),
    )
    await reconcile(1)
    expect(left()).toEqual({ deployments: [1, 3, 4], sets: [1, 3] })
  })

  test('a set that a kept one needs stays, whoever else had it', async () => {
    addDeployments(['good', 'refused', 'refused'])
    for (const name of ['shop.dev.2', 'shop.dev.3'])
      cluster.setStatus(EnvironmentDeployment, namespace, name, { setName: 'shop.set1', ...stalled })
    await reconcile(0)
    expect(left()).toMatchObject({ deployments: [1], sets: expect.arrayContaining([1]) })
  })
})

test('the environment says which deployment is what it is meant to be', async () => {
  addDeployments(['good', 'refused', 'refused'])
  expect(await reconcile(1)).toEqual({ lastDeploymentName: 'shop.dev.1' })
})
