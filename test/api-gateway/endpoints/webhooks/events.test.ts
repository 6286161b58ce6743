import { describe, expect, test } from '@jest/globals'
import { Application } from '../../../../operator/api/application.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../../operator/api/names.ts'
import { deploymentEvents, environmentEvents } from '../../../../operator/domain/deployment/events.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment, finish } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const app = '/orgs/acme/apps/shop'
const common = ['event', 'triggered_at', 'triggered_by', 'org_id', 'app_id', 'env_id']
const ofEnvironment = [...common, 'name', 'type']
const ofDeployment = [...common, 'deploy_id', 'delta_id', 'set_id', 'comment', 'status']

test('the events are listed, each with its variables', async () => {
  const { status, body } = await gateway.send('GET /orgs/acme/events')
  expect(status).toBe(200)
  expect(body).toEqual([
    { scope: 'environment', type: 'created', properties: ofEnvironment },
    { scope: 'environment', type: 'deleted', properties: ofEnvironment },
    { scope: 'deployment', type: 'started', properties: ofDeployment },
    { scope: 'deployment', type: 'finished', properties: ofDeployment },
  ])
})

describe('over REST, an event was triggered by the caller:', () => {
  const environment = (name = 'shop.development') =>
    gateway.cluster.store.get(Environment, 'acme', name) as Environment // each test makes it
  /** Adds a finalizer to an environment as the operator does, so that it is still visible while it is deleted. */
  const hold = (name?: string) => {
    const { metadata, ...rest } = environment(name)
    gateway.cluster.put(Environment, { ...rest, metadata: { ...metadata, finalizers: ['x/y'] } })
  }
  const triggers = (name?: string) =>
    environmentEvents(environment(name)).map(({ type, variables }) => [type, variables['triggered_by']])

  test('an environment is created', async () => {
    await gateway.send(`POST ${app}/envs`, { body: { id: 'second', name: 'Second' } })
    expect(environment('shop.second').metadata.annotations).toEqual({
      [annotations.createdBy]: 'admin',
      [annotations.triggeredBy]: 'admin',
    })
    expect(triggers('shop.second')).toEqual([['created', 'admin']])
  })

  test('an environment is created with its application', async () => {
    await gateway.send('POST /orgs/acme/apps', { body: { id: 'new', name: 'New' } })
    expect(triggers('new.development')).toEqual([['created', 'admin']])
  })

  test('a deployment is started and finished', async () => {
    const { body } = await gateway.send(`POST ${app}/envs/development/deploys`, {
      body: { comment: 'first' },
    })
    finish(gateway, body.id)
    const deployment = gateway.cluster.store.get(
      EnvironmentDeployment,
      'acme',
      body.id,
    ) as EnvironmentDeployment // just made
    expect(deployment.metadata.annotations).toMatchObject({ [annotations.triggeredBy]: 'admin' })
    const reported = deploymentEvents(deployment).map(({ variables }) => variables)
    expect(reported).toMatchObject([
      { event: 'deployment.started', triggered_by: 'admin', status: 'in progress', comment: 'first' },
      { event: 'deployment.finished', triggered_by: 'admin', status: 'succeeded', set_id: body.set_id },
    ])
  })

  test('an environment is deleted', async () => {
    hold()
    await gateway.send(`DELETE ${app}/envs/development`)
    expect(gateway.cluster.writes).toEqual([
      'patch Environment acme/shop.development',
      'remove Environment acme/shop.development',
    ])
    expect(triggers()).toContainEqual(['deleted', 'admin'])
  })

  test('an application is deleted, and its environments with it', async () => {
    addEnvironment(gateway, 'production')
    await gateway.send(`DELETE ${app}`)
    for (const name of ['shop.development', 'shop.production']) {
      expect(environment(name).metadata.annotations).toEqual({ [annotations.deletedBy]: 'admin' })
    }
    expect(gateway.cluster.writes.at(-1)).toBe('remove Application acme/shop')
  })
})

describe('the user who deletes an environment', () => {
  test.each([
    ['is already deleted', new ApiError(404, 'NotFound', 'not found'), 204],
    ['is another one by now', new ApiError(409, 'Conflict', 'another uid'), 204],
    ['cannot be written', new Error('reset'), 500],
  ])('is noted first; one that %s', async (_rule, error, status) => {
    gateway.cluster.failNext('patch Environment', error)
    expect((await gateway.send(`DELETE ${app}/envs/development`)).status).toBe(status)
  })

  test.each([
    ['an environment', 'Environment', `${app}/envs/development`],
    ['an application', 'Application', app],
  ])('is no longer noted when the deletion of %s fails', async (_rule, kind, path) => {
    gateway.cluster.failNext(`remove ${kind}`, new Error('reset'))
    expect((await gateway.send(`DELETE ${path}`)).status).toBe(500)
    const left = gateway.cluster.store.get(Environment, 'acme', 'shop.development')
    expect(left?.metadata.annotations?.[annotations.deletedBy]).toBeUndefined()
    expect(left).toBeDefined()
  })

  test('is noted on no environment when one of them cannot be written', async () => {
    addEnvironment(gateway, 'production')
    const { patch } = gateway.cluster
    gateway.cluster.patch = async (kind, object, ...others) => {
      if (object.metadata.name === 'shop.production') throw new Error('reset')
      return patch(kind, object, ...others)
    }
    expect((await gateway.send(`DELETE ${app}`)).status).toBe(500)
    gateway.cluster.patch = patch
    const left = gateway.cluster.store.get(Environment, 'acme', 'shop.development')
    expect(left?.metadata.annotations?.[annotations.deletedBy]).toBeUndefined()
    expect(left).toBeDefined()
  })

  test.each([
    ['an environment', Environment, 'shop.development', `${app}/envs/development`],
    ['an application', Application, 'shop', app],
  ])(
    'stays noted when the deletion of %s succeeds but its answer is lost',
    async (_rule, kind, name, path) => {
      const { remove } = gateway.cluster
      gateway.cluster.remove = async (asked, object) => {
        const { metadata, ...rest } = gateway.cluster.store.get(kind, 'acme', name) as Application // added above
        gateway.cluster.put(kind, { ...rest, metadata: { ...metadata, finalizers: ['x/y'] } } as Application)
        await remove(asked, object)
        throw new Error('reset')
      }
      await gateway.send(`DELETE ${path}`)
      gateway.cluster.remove = remove
      const left = gateway.cluster.store.get(Environment, 'acme', 'shop.development')
      expect(left?.metadata.annotations).toEqual({ [annotations.deletedBy]: 'admin' })
    },
  )

  test('is the first one who does', async () => {
    const metadata = {
      annotations: { [annotations.deletedBy]: 'first' },
      deletionTimestamp: '2026-03-01T00:00:00Z',
      finalizers: ['x/y'],
    }
    const before = gateway.cluster.store.get(Environment, 'acme', 'shop.development') as Environment // added above
    gateway.cluster.put(Environment, { ...before, metadata: { ...before.metadata, ...metadata } })
    await gateway.send(`DELETE ${app}`)
    const after = gateway.cluster.store.get(Environment, 'acme', 'shop.development')
    expect(after?.metadata.annotations).toEqual({ [annotations.deletedBy]: 'first' })
  })
})
