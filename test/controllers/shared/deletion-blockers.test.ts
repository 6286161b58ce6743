import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Application } from '../../../operator/api/application.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { applicationController } from '../../../operator/controllers/application.ts'
import { environmentController } from '../../../operator/controllers/environment.ts'
import type { Controller } from '../../../operator/kube/loop/controller.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource } from '../../support/builders.ts'
import { silentContext } from '../support/context.ts'
import { environmentOptions } from '../support/environment-options.ts'
import { createFakeObjects } from '../support/fake-objects.ts'

const namespace = 'acme'
const deletionTimestamp = '2026-02-01T00:00:00Z'
const cluster = createFakeCluster()
const environments = environmentController(
  cluster,
  createFakeObjects().open(),
  { notifyLast: async () => {} },
  environmentOptions(cluster),
)
const applications = applicationController(cluster)
const enqueued: string[] = []
for (const { watches = [] } of [environments, applications] as Pick<Controller, 'watches'>[])
  for (const watch of watches) watch.subscribe((keys) => enqueued.push(...keys))

const resource = activeResource({ type: 'postgres', resourceId: 'shared.db' })
const environmentName = resource.spec.environmentName
const [applicationName = ''] = environmentName.split('.')

const dying = { namespace, generation: 2, deletionTimestamp, finalizers: [finalizer] }

/** The status of an object after a reconcile, of its current spec or of an earlier one. */
function says(reason: string, message: string, { status = 'False', observedGeneration = 2 } = {}) {
  const ready = { type: 'Ready', status, reason, message, observedGeneration, lastTransitionTime: '' }
  return { conditions: [ready], observedGeneration }
}

beforeEach(() => {
  cluster.reset()
  cluster.addOrganization(namespace)
  cluster.put(Application, newObject(Application, { ...dying, name: applicationName }, {}))
  const spec = { applicationName, typeName: 'development' }
  cluster.put(Environment, newObject(Environment, { ...dying, name: environmentName }, spec))
  cluster.put(ActiveResource, { ...resource, metadata: { ...resource.metadata, ...dying } })
  enqueued.length = 0
})

const resourceSays = (status: object) =>
  cluster.setStatus(ActiveResource, namespace, resource.metadata.name, status)
const environmentSays = (status: object) => cluster.setStatus(Environment, namespace, environmentName, status)

async function messageOf(kind: 'environment' | 'application'): Promise<string> {
  const work =
    kind === 'environment'
      ? environments.finalize?.(
          cluster.store.get(Environment, namespace, environmentName) as Environment,
          silentContext(),
        )
      : applications.finalize?.(
          cluster.store.get(Application, namespace, applicationName) as Application,
          silentContext(),
        )
  return work ? work.then(String, (error: Error) => error.message) : ''
}

describe('a deletion that waits for another one shows the cause of that one:', () => {
  test('an environment, of its resources, and is enqueued by the news', async () => {
    resourceSays(says('NotAllowed', 'cannot delete resource "configmaps"'))
    expect(enqueued).toEqual([`${namespace}/${environmentName}`])
    expect(await messageOf('environment')).toContain(
      'postgres.default#shared.db: NotAllowed: cannot delete resource "configmaps"',
    )
  })

  test('an application, of its environments, and is enqueued by the news', async () => {
    environmentSays(says('ResourcesRemain', 'waiting: NotAllowed: cannot delete', { status: 'Unknown' }))
    expect(enqueued).toEqual([`${namespace}/${applicationName}`])
    expect(await messageOf('application')).toContain(
      `'${environmentName}': ResourcesRemain: waiting: NotAllowed: cannot delete`,
    )
  })

  test.each<[rule: string, status: object]>([
    ['of one that said nothing since it is deleted', says('Failed', 'earlier', { observedGeneration: 1 })],
    ['of one that waits for another of the list', says('DependentsRemain', 'waiting', { status: 'Unknown' })],
    ['of one that is ready', says('Reconciled', '', { status: 'True' })],
  ])('nothing %s, and nothing is enqueued', async (_, status) => {
    resourceSays(status)
    expect(enqueued).toEqual([])
    expect(await messageOf('environment')).toBe('waiting for the resources to be deprovisioned')
  })

  test('finalizers of others that keep one which is cleaned up', async () => {
    const kept = { ...dying, finalizers: ['example.com/hold'] }
    cluster.put(ActiveResource, { ...resource, metadata: { ...resource.metadata, ...kept } })
    expect(enqueued).toContain(`${namespace}/${environmentName}`)
    expect(await messageOf('environment')).toContain(
      "FinalizersRemain: cleaned up; others keep it by the finalizer 'example.com/hold'",
    )
  })

  test('the same cause again enqueues nothing', () => {
    resourceSays(says('NotAllowed', 'cannot delete'))
    enqueued.length = 0
    resourceSays({ ...says('NotAllowed', 'cannot delete'), attempts: 2 })
    expect(enqueued).toEqual([])
  })

  test('many causes are listed as five and a number', async () => {
    for (let n = 0; n < 7; n += 1) {
      const other = activeResource({ type: 'postgres', resourceId: `shared.db-${n}` })
      cluster.put(ActiveResource, { ...other, metadata: { ...other.metadata, ...dying } })
      cluster.setStatus(ActiveResource, namespace, other.metadata.name, says('Failed', 'no'))
    }
    expect(await messageOf('environment')).toMatch(/(?:: Failed: no;? ?.*){5}and 2 more$/)
  })

  test('an application names an environment that another client adds meanwhile, and deletes it too', async () => {
    const spec = { applicationName, typeName: 'development' }
    const late = newObject(Environment, { namespace, name: `${applicationName}.late` }, spec)
    cluster.put(Environment, late)
    expect(enqueued).toContain(`${namespace}/${applicationName}`)
    expect(await messageOf('application')).toContain(`'${applicationName}.late'`)
    expect(cluster.store.get(Environment, namespace, late.metadata.name)).toBeUndefined()
  })
})
