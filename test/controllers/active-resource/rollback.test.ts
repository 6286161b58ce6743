import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { activeResource, driver } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { createWorld, type World } from '../support/world.ts'

/** Inputs, and what the driver makes of them. */
interface Inputs {
  readonly text: string
  /** As `Kind name`. */
  readonly objects: readonly string[]
  readonly hasSecretOutput: boolean
}

/** When the process ends: in the call, before the apply of an object, or before the last write of the status. */
type Moment = 'call' | 'status' | number

class Killed extends Error {}

/** What a remote provider stores; not used by drivers that only make objects. */
let provided: string | undefined
let atCall: () => void
let world: World

const handsOf = (isRemote: boolean): Pick<Driver, 'provision' | 'deprovision'> => ({
  async provision({ values }) {
    const inputs = values as unknown as Inputs // as the test wrote them
    if (isRemote) provided = inputs.text
    atCall()
    return {
      outputs: { values: {}, secrets: inputs.hasSecretOutput ? { token: inputs.text } : {} },
      objects: inputs.objects.map((each) => objectOf(each, inputs.text)),
    }
  },
  async deprovision() {},
})

const drivers: Driver[] = [
  { descriptor: driver('local'), ...handsOf(false) },
  { descriptor: driver('remote', { remote: true }), ...handsOf(true) },
]

function objectOf(text: string, content: string): KubeObject {
  const [kind = '', name = ''] = text.split(' ')
  const data = { content: kind === 'Secret' ? Buffer.from(content).toString('base64') : content }
  return { apiVersion: 'v1', kind, metadata: { name }, data }
}

/** The resource with these inputs, as a deployment writes it. */
function wanted(inputs: Inputs, isRemote: boolean): ActiveResource {
  const definition = {
    definitionName: 'base',
    driverType: `quartermaster/${isRemote ? 'remote' : 'local'}`,
    driverInputs: { values: { ...inputs } },
  }
  const made = activeResource({ type: 'base', resourceId: 'main' }, { definition })
  const { status, metadata } = world.now(made) ?? made
  return world.put({ ...made, metadata, ...(status ? { status } : {}) })
}

/** Reconciles until no change of an object enqueues the resource again. */
async function settle(resource: ActiveResource): Promise<void> {
  do {
    world.enqueued.length = 0
    expect(await world.reconcile(resource)).toBeUndefined()
    await setImmediate()
  } while (world.enqueued.length > 0)
}

/** Reconciles in a process that ends at this moment: its last writes are lost. */
async function reconcileUntil(moment: Moment, resource: ActiveResource): Promise<void> {
  const { cluster, objects } = world
  const { setStatus } = cluster
  const statuses = [world.statusOf(resource)]
  let survives: object | undefined
  const kill = () => {
    survives ??= statuses.at(-1)
    throw new Killed()
  }
  cluster.setStatus = (kind, namespace, name, status) => {
    statuses.push(status)
    setStatus(kind, namespace, name, status)
  }
  let applies = 0
  atCall = () => moment === 'call' && kill()
  objects.before = () => applies++ === moment && kill()
  await world.reconcile(resource)
  const last = survives ?? statuses.at(-2) ?? {}
  cluster.setStatus = setStatus
  atCall = () => {}
  objects.before = () => {}
  cluster.setStatus(ActiveResource, 'acme', resource.metadata.name, last)
  world.restart()
  await setImmediate()
}

/** Everything outside the resource itself; a Secret of outputs counts when the status names it. */
function contents(resource: ActiveResource): object {
  const { outputsSecretName } = world.statusOf(resource)
  const stored = world.objects.names().map((text) => {
    const [kind = '', name = ''] = text.split(' ')
    return [text, (world.objects.get(kind, name) as { data?: object } | undefined)?.data] as const // objects have data
  })
  const owned = stored.filter(
    ([text]) =>
      !text.startsWith('Namespace ') &&
      (!text.endsWith('-outputs') || text === `Secret ${outputsSecretName}`),
  )
  return { provided, objects: Object.fromEntries(owned) }
}

const inputs = (text: string) =>
  fc.record<Inputs>({
    text: fc.constant(text),
    objects: fc.subarray(['ConfigMap a', 'ConfigMap b', 'Secret c']),
    hasSecretOutput: fc.boolean(),
  })
const moments = fc.constantFrom<Moment>('call', 'status', 0, 1, 2)

test('after a crash during an update, the earlier inputs make everything as it was', async () => {
  await fc.assert(
    fc.asyncProperty(
      inputs('old'),
      inputs('new'),
      moments,
      fc.boolean(),
      async (old, next, moment, isRemote) => {
        world = createWorld(drivers)
        provided = undefined
        atCall = () => {}
        const resource = wanted(old, isRemote)
        await settle(resource)
        const before = contents(resource)
        await reconcileUntil(moment, wanted(next, isRemote))
        await settle(wanted(old, isRemote))
        expect(contents(resource)).toEqual(before)
      },
    ),
    { numRuns: casesOf(1000) },
  )
})
