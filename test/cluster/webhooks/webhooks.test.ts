import { beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, makeTestOrganization } from '../support/client.ts'
import { kubectl } from '../support/kubectl.ts'
import { endEnvironment, patch } from '../support/observing.ts'
import { bodiesOf, callsOf, deploySet, hook, setUpHooks } from '../support/receiver/webhooks.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const names = (text: string) => Object.fromEntries(text.split(' ').map((name) => [name, `\${${name}}`]))
const common = 'event triggered_at triggered_by org_id app_id env_id'
const environmentPayload = names(`${common} name type`)
const deploymentPayload = names(`${common} deploy_id delta_id set_id comment status`)
/** Its definition asks for a key that its Secret does not have. */
const broken = { dependency: { type: 'postgres' } }
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const stamp = 'quartermaster.dev/triggered-by'

const { receiver, organization } = await setUpHooks('hooks')
beforeAll(async () => {
  await organization.define('postgres', {
    type: 'postgres',
    driverType: 'quartermaster/echo',
    driverInputs: { secretRefs: { password: { secret: 'login', key: 'nothing' } } },
    criteria: [{}],
  })
  await organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login' },
    stringData: { password: 'secret' },
  })
})

const pathOf = (plural: string, name: string, { id } = organization) =>
  `/apis/quartermaster.dev/v1alpha1/namespaces/${id}/${plural}/${name}`
const environmentOf = (name: string, annotations?: object) => ({
  apiVersion: 'quartermaster.dev/v1alpha1',
  kind: 'Environment',
  metadata: { name: `shop.${name}`, namespace: organization.id, ...(annotations ? { annotations } : {}) },
  spec: { applicationName: 'shop', typeName: 'development' },
})
/** Events received at a path, in order of their arrival. */
const eventsAt = (path: string) =>
  bodiesOf(receiver.calls(path)).map(({ event, env_id }) => `${event} ${env_id}`)

describe('events and their data', () => {
  test('of an environment: created and deleted, with exactly its variables', async () => {
    const triggers = [
      { scope: 'environment', type: 'created' } as const,
      { scope: 'environment', type: 'deleted' } as const,
    ]
    await hook(organization, 'life', { url: receiver.url('/life'), payload: environmentPayload, triggers })
    await organization.apply('environments', 'Environment', 'shop.life', {
      applicationName: 'shop',
      typeName: 'production',
      displayName: 'The life',
    })
    await receiver.awaitCalls('/life', 1)
    await endEnvironment(organization, 'life')
    const [created, deleted] = bodiesOf(await receiver.awaitCalls('/life', 2))
    const same = {
      org_id: organization.id,
      app_id: 'shop',
      env_id: 'life',
      name: 'The life',
      type: 'production',
    }
    expect(created).toEqual({
      ...same,
      event: 'environment.created',
      triggered_at: time,
      triggered_by: 'admin',
    })
    expect(deleted).toEqual({
      ...same,
      event: 'environment.deleted',
      triggered_at: time,
      triggered_by: 'kubernetes',
    })
  })

  test.each([
    ['succeeded', {}],
    ['failed', broken],
  ] as const)(
    'of a deployment that %s: started and finished, with exactly its variables',
    async (status, externals) => {
      const path = `/${status}`
      await organization.environment('shop', status)
      await hook(organization, status, {
        url: receiver.url(path),
        payload: deploymentPayload,
        triggers: [
          { scope: 'deployment', type: 'started' },
          { scope: 'deployment', type: 'finished' },
        ],
      })
      const name = await deploySet(organization, status, { externals, comment: 'as asked' })
      const bodies = bodiesOf(await receiver.awaitCalls(path, 2))
      const same = {
        triggered_at: time,
        triggered_by: 'admin',
        org_id: organization.id,
        app_id: 'shop',
        env_id: status,
        deploy_id: name,
        delta_id: '',
        set_id: `set-${status}-1`,
        comment: 'as asked',
      }
      const byEvent = (event: string) => bodies.find((each) => each.event === event)
      expect(byEvent('deployment.started')).toEqual({
        ...same,
        event: 'deployment.started',
        status: 'in progress',
      })
      expect(byEvent('deployment.finished')).toEqual({ ...same, event: 'deployment.finished', status })
      expect(await callsOf(organization, status)).toHaveLength(2)
    },
  )

  test('without a payload: the common variables; with one: its texts filled in, all else as it is', async () => {
    const payload = {
      text: '${app_id}/${env_id}: ${status}',
      deep: [1, null, { by: '$${org_id} ${nothing}' }],
    }
    await hook(organization, 'plain', { url: receiver.url('/plain') })
    await hook(organization, 'template', { url: receiver.url('/template'), payload })
    await organization.environment('shop', 'payload')
    const [plain] = bodiesOf(await receiver.awaitCalls('/plain', 1))
    expect(Object.keys(plain ?? {}).sort()).toEqual(common.split(' ').sort())
    const [call] = await receiver.awaitCalls('/template', 1)
    expect(JSON.parse(call?.body ?? '')).toEqual({
      text: 'shop/payload: ${status}',
      deep: [1, null, { by: `$${organization.id} \${nothing}` }],
    })
    expect(call?.method).toBe('POST')
    expect(call?.headers).toMatchObject({ 'content-type': 'application/json' })
  })
})

describe('who did it', () => {
  test('is the Kubernetes identity; a client can neither forge it nor change it later', async () => {
    await hook(organization, 'who', {
      url: receiver.url('/who'),
      payload: names('event env_id triggered_by'),
    })
    const create = ['create', '--as=jane', '--as-group=system:masters', '-f', '-']
    kubectl(create, environmentOf('who', { [stamp]: 'forged', 'quartermaster.dev/created-by': 'forged' }))
    const path = pathOf('environments', 'shop.who')
    const stamped = async () => {
      const found = await organization.get<{ metadata: { annotations: object } }>('environments', 'shop.who')
      return found?.metadata.annotations
    }
    for (const annotations of [{ [stamp]: 'forged' }, { [stamp]: null }, null]) {
      await patch(organization, path, { metadata: { annotations } })
      expect(await stamped()).toMatchObject({ [stamp]: 'jane' })
    }
    await patch(organization, `${path}/status`, { metadata: { annotations: { [stamp]: 'forged' } } })
    expect(await stamped()).toMatchObject({ [stamp]: 'jane' })
    await eventually(
      'the call',
      30_000,
      async () => eventsAt('/who').includes('environment.created who') || undefined,
    )
    const call = bodiesOf(receiver.calls('/who')).find(({ env_id }) => env_id === 'who')
    expect(call?.triggered_by).toBe('jane')
  })

  test('cannot be added later to objects created over REST', async () => {
    const body = { id: 'byrest', name: 'By REST', type: 'development' }
    expect((await organization.rest('POST', '/apps/shop/envs', body)).status).toBe(201)
    const path = pathOf('environments', 'shop.byrest')
    const { body: changed } = await patch(organization, path, {
      metadata: { annotations: { [stamp]: 'forged', mine: 'too' } },
    })
    expect(changed).toMatchObject({ metadata: { annotations: { mine: 'too' } } })
    expect(JSON.stringify(changed)).not.toContain('forged')
  })
})

describe('receivers of an event', () => {
  test('triggers select; a disabled webhook, and one of another application or organization, receives nothing', async () => {
    const other = await makeTestOrganization(cluster, 'hooksother')
    await organization.application('bank')
    await other.application('shop')
    const of = (name: string) => ({ url: receiver.url(`/${name}`) })
    await hook(organization, 'deleted', {
      ...of('deleted'),
      triggers: [{ scope: 'environment', type: 'deleted' }],
    })
    await hook(organization, 'disabled', { ...of('disabled'), disabled: true })
    await hook(organization, 'bank', { ...of('bank'), applicationName: 'bank' })
    await hook(other, 'other', of('other'))
    await hook(organization, 'everything', of('everything'))
    await organization.environment('shop', 'chosen')
    await deploySet(organization, 'chosen')
    await endEnvironment(organization, 'chosen')
    await receiver.awaitCalls('/everything', 4)
    await receiver.awaitCalls('/deleted', 1)
    expect(eventsAt('/everything').sort()).toEqual([
      'deployment.finished chosen',
      'deployment.started chosen',
      'environment.created chosen',
      'environment.deleted chosen',
    ])
    expect(eventsAt('/deleted')).toEqual(['environment.deleted chosen'])
    for (const name of ['disabled', 'bank']) expect(await callsOf(organization, name)).toEqual([])
    expect(await callsOf(other, 'other')).toEqual([])
    for (const name of ['disabled', 'bank', 'other']) expect(receiver.calls(`/${name}`)).toEqual([])
  })

  test('a webhook receives only events after its creation', async () => {
    await organization.environment('shop', 'before')
    await deploySet(organization, 'before')
    await new Promise((resolve) => {
      setTimeout(resolve, 1100) // Kubernetes knows the second of a creation, and no more
    })
    await hook(organization, 'late', { url: receiver.url('/late') })
    await patch(organization, pathOf('environments', 'shop.before'), {
      metadata: { annotations: { look: 'again' } },
    })
    await organization.environment('shop', 'after')
    await endEnvironment(organization, 'before')
    await receiver.awaitCalls('/late', 2)
    expect(eventsAt('/late').sort()).toEqual(['environment.created after', 'environment.deleted before'])
    expect(await callsOf(organization, 'late')).toHaveLength(2)
  })
})
