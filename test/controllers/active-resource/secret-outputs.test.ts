import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { ResourceType } from '../../../operator/api/resource-type.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { activeResourceController } from '../../../operator/controllers/active-resource/active-resource.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import { activeResource, driver } from '../../support/builders.ts'
import { fc } from '../../support/properties.ts'
import { createWorld, type World } from '../support/world.ts'

/** How the type or the driver's answer has the password. */
type Part = 'values' | 'secrets' | 'nowhere'

const text = { type: 'string' }
let world: World
let part: Part
let calls: number
/** The password that the driver answered last. */
const password = () => `canary-${calls}-of-many`

const database: Driver = {
  descriptor: driver('database'),
  async provision() {
    calls += 1
    const outputs = { values: { host: 'h' } as FreeForm, secrets: {} as FreeForm }
    if (part !== 'nowhere') outputs[part] = { ...outputs[part], password: password() }
    return { outputs, objects: [] }
  },
  async deprovision() {},
}

/** Its outputs are its inputs. */
const mirror: Driver = {
  descriptor: driver('mirror'),
  provision: async ({ values, secrets }) => ({ outputs: { values, secrets }, objects: [] }),
  async deprovision() {},
}

function setType(secret: Part): void {
  const schema = (name: Part) => ({ type: 'object', properties: secret === name ? { password: text } : {} })
  const outputsSchema = {
    type: 'object',
    properties: { values: schema('values'), secrets: schema('secrets') },
  }
  const spec = { use: 'direct' as const, outputsSchema }
  world.cluster.put(ResourceType, newObject(ResourceType, { namespace: 'acme', name: 'db', uid: 'db' }, spec))
}

const dropType = () => world.cluster.drop(ResourceType, 'acme', 'db')

/** The database as a deployment wants it, the inputs other each time. */
function deploy(spec: Partial<ActiveResource['spec']> = {}): ActiveResource {
  const made = activeResource(
    { type: 'acme/db', resourceId: 'shared.main' },
    {
      definition: {
        definitionName: 'db',
        driverType: 'quartermaster/database',
        driverInputs: { values: { size: calls } },
      },
      ...spec,
    },
    { uid: 'uid-database' },
  )
  const { status, metadata } = world.now(made) ?? made
  return world.put({ ...made, metadata, ...(status ? { status } : {}) })
}

/** A resource that has the password of the database in a text. */
function deployDependent(): ActiveResource {
  const made = activeResource(
    { type: 'config', resourceId: 'shared.app' },
    {
      dependsOn: [deployed().metadata.name],
      references: { 'acme/db#shared.main': [deployed().metadata.name] },
      definition: {
        definitionName: 'app',
        driverType: 'quartermaster/mirror',
        driverInputs: { values: { url: "db://${resources['acme/db#shared.main'].outputs.password}@h" } },
      },
    },
    { uid: 'uid-dependent' },
  )
  return world.put(made)
}

const deployed = () =>
  activeResource({ type: 'acme/db', resourceId: 'shared.main' }, {}, { uid: 'uid-database' })
const outputsOf = (resource: ActiveResource) => world.statusOf(resource).outputs
const secretOf = ({ metadata }: ActiveResource) => world.objects.get('Secret', `${metadata.name}-outputs`)

/** Reconciles until the Secret is written; the process ends then. */
async function untilKept(resource: ActiveResource): Promise<void> {
  world.beforeStatus = () => {
    if (secretOf(resource)) throw new Error('the process ends')
  }
  await world.reconcile(resource).catch(() => {})
  world.beforeStatus = () => {}
  expect(secretOf(resource)).toBeDefined()
}

beforeEach(() => {
  world = createWorld([database, mirror])
  part = 'values'
  calls = 0
})

describe('a resource whose type is not there', () => {
  test('is not provisioned, and waits for the type', async () => {
    const resource = deploy()
    expect(await world.reconcile(resource)).toMatchObject({ reason: 'TypeNotFound' })
    expect(calls).toBe(0)
    setType('values')
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(calls).toBe(1)
  })

  test('stays ready when it was, until its inputs change', async () => {
    setType('secrets')
    const resource = deploy()
    await world.reconcile(resource)
    dropType()
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(await world.reconcile(deploy())).toMatchObject({ reason: 'TypeNotFound' })
    expect([calls, outputsOf(resource)]).toEqual([1, { host: 'h' }])
  })

  test('is deprovisioned nevertheless', async () => {
    setType('secrets')
    const resource = deploy()
    await world.reconcile(resource)
    dropType()
    world.remove(resource)
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(world.now(resource)).toBeUndefined()
  })

  test('is not provisioned either when the type is deleted during the call', async () => {
    setType('secrets')
    const resource = deploy()
    const { provision } = database
    database.provision = async (request) => {
      dropType()
      return provision.call(database, request)
    }
    expect(await world.reconcile(resource)).toMatchObject({ reason: 'TypeNotFound' })
    database.provision = provision
    expect(JSON.stringify(world.statusOf(resource))).not.toContain(password())
  })
})

describe('a former secret stays secret for that resource', () => {
  test.each<[rule: string, change: () => void]>([
    ['when the type calls it plain by now', () => setType('values')],
    ['when the type does not name it any more', () => setType('nowhere')],
    ['when the type was deleted in between', () => (dropType(), setType('values'))],
    ['when the process restarted', () => (setType('values'), world.restart())],
  ])('%s', async (_, change) => {
    setType('secrets')
    const resource = deploy()
    await world.reconcile(resource)
    change()
    await world.reconcile(deploy())
    expect([calls, outputsOf(resource)]).toEqual([2, { host: 'h' }])
    expect(secretOf(resource)?.['data']).toEqual({ password: Buffer.from(password()).toString('base64') })
  })

  test('when its driver calls it plain by now', async () => {
    setType('nowhere')
    part = 'secrets'
    const resource = deploy()
    await world.reconcile(resource)
    part = 'values'
    await world.reconcile(deploy())
    expect([calls, outputsOf(resource)]).toEqual([2, { host: 'h' }])
  })

  test.each<[rule: string, hasOutputs: boolean]>([
    ['when the process ends as soon as it was kept', false],
    ['when a process that had outputs before ends as soon as it was kept', true],
  ])('%s', async (_, hasOutputs) => {
    setType('values')
    const resource = deploy()
    part = 'nowhere'
    if (hasOutputs) await world.reconcile(resource)
    part = 'values'
    setType('secrets')
    await untilKept(deploy())
    world.restart()
    setType('values')
    await world.reconcile(resource)
    expect([calls, outputsOf(resource)]).toEqual([hasOutputs ? 3 : 2, { host: 'h' }])
  })

  test('and a new resource of that name starts without this history', async () => {
    setType('secrets')
    const resource = deploy()
    await world.reconcile(resource)
    world.remove(resource)
    await world.reconcile(resource)
    const secret = secretOf(resource)
    const [owner] = secret?.metadata.ownerReferences ?? []
    // The garbage collector has not deleted it yet.
    if (secret && owner)
      world.objects.put({
        ...secret,
        metadata: { ...secret.metadata, ownerReferences: [{ ...owner, uid: 'uid-earlier' }] },
      })
    setType('values')
    await world.reconcile(deploy())
    expect(outputsOf(resource)).toEqual({ host: 'h', password: password() })
  })
})

describe('an output that its type calls secret by now', () => {
  test.each<[rule: string, spec: Partial<ActiveResource['spec']>]>([
    ['leaves the status at once', {}],
    ['of a resource that nothing uses, too', { unusedSince: '2026-01-01T00:00:00Z' }],
    ['of one that waits for another, too', { dependsOn: ['none'] }],
  ])('%s', async (_, spec) => {
    setType('values')
    const resource = deploy()
    await world.reconcile(resource)
    expect(outputsOf(resource)).toEqual({ host: 'h', password: password() })
    deploy(spec)
    setType('secrets')
    await world.reconcile(resource)
    expect(outputsOf(resource)).toEqual({ host: 'h' })
  })

  test('is secret in its dependents', async () => {
    setType('values')
    const resource = deploy()
    await world.reconcile(resource)
    const dependent = deployDependent()
    await world.reconcile(dependent)
    expect(outputsOf(dependent)).toEqual({ url: `db://${password()}@h` })
    setType('secrets')
    await world.reconcile(resource)
    await world.reconcile(dependent)
    expect(outputsOf(dependent)).toEqual({})
  })

  test('enqueues the resources of that type', async () => {
    setType('values')
    const resource = deploy()
    await world.reconcile(resource)
    const enqueued: string[] = []
    for (const watch of activeResourceController(world.tools).watches ?? [])
      watch.subscribe((keys) => enqueued.push(...keys))
    setType('secrets')
    expect(enqueued).toEqual([keyOf(resource)])
  })
})

describe('no order of events shows a secret', () => {
  interface State {
    isSecret: boolean
    readonly secrets: Set<string>
  }
  const crash = 'the process ends before it writes a status'
  type Event = (state: State) => Promise<void> | void
  const events: Record<string, Event> = {
    'the type calls it secret': () => setType('secrets'),
    'the type calls it plain': () => setType('values'),
    'the type does not name it': () => setType('nowhere'),
    'the type is deleted': () => dropType(),
    'the driver answers it as secret': () => void (part = 'secrets'),
    'the driver answers it as plain': () => void (part = 'values'),
    'the driver does not answer it': () => void (part = 'nowhere'),
    'the process starts anew': () => world.restart(),
    'a deployment': async () => void (await world.reconcile(deploy())),
    [crash]: async (state) => {
      world.beforeStatus = () => {
        throw new Error('the process ends')
      }
      await world.reconcile(deploy()).catch(() => {})
      world.beforeStatus = () => {}
      world.restart()
      state.isSecret ||= secretOf(deployed())?.['data'] !== undefined
    },
    'a deployment without it': async () => {
      await world.reconcile(deploy({ unusedSince: '2026-01-01T00:00:00Z' }))
    },
    'it is deleted': async (state) => {
      const resource = world.now(deployed())
      if (!resource) return
      world.remove(resource)
      await world.reconcile(resource)
      world.objects.delete('Secret', `${resource.metadata.name}-outputs`)
      state.isSecret = false
    },
  }
  const isDeclared = (wanted: Part) => {
    const type = world.cluster.store.get(ResourceType, 'acme', 'db')
    const schema = type?.spec.outputsSchema?.['properties']
    const ofPart = isObject(schema) ? schema[wanted] : undefined
    return isObject(ofPart) && isObject(ofPart['properties']) && 'password' in ofPart['properties']
  }

  /** Nothing of the last run is there any more; to make a world takes longer than all else. */
  function begin() {
    for (const each of [deployed(), deployDependent()]) {
      world.cluster.drop(ActiveResource, 'acme', each.metadata.name)
      world.objects.delete('Secret', `${each.metadata.name}-outputs`)
    }
    dropType()
    world.restart()
    part = 'values'
    calls = 0
  }

  /** Outputs that are secret from here on. */
  function note(state: State, isProvisioned: boolean): void {
    const hasType = world.cluster.store.get(ResourceType, 'acme', 'db') !== undefined
    if (isProvisioned) expect(hasType).toBe(true)
    state.isSecret ||= isProvisioned && part === 'secrets'
    state.isSecret ||= outputsOf(deployed()) !== undefined && isDeclared('secrets')
    if (state.isSecret && isProvisioned && part !== 'nowhere') state.secrets.add(password())
  }

  test('in a status of the resource or of its dependents', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...Object.keys(events)), { minLength: 2, maxLength: 14 }),
        async (names) => {
          begin()
          const state: State = { isSecret: false, secrets: new Set<string>() }
          const dependent = deployDependent()
          for (const name of names) {
            const before = calls
            await events[name]?.(state)
            if (name === crash) continue
            await world.reconcile(world.now(deployed()) ?? dependent)
            await world.reconcile(dependent)
            note(state, calls > before)
            const shown = JSON.stringify([world.statusOf(deployed()), world.statusOf(dependent).outputs])
            expect([...state.secrets].filter((each) => shown.includes(each))).toEqual([])
            if (state.isSecret) expect(outputsOf(deployed()) ?? {}).not.toHaveProperty('password')
          }
        },
      ),
    )
  })
})
