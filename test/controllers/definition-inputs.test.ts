import { beforeEach, describe, expect, test } from '@jest/globals'
import { newObject } from '../../operator/api/kind.ts'
import { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import { ResourceDriver } from '../../operator/api/resource-driver.ts'
import { object, string } from '../../operator/api/schema.ts'
import { resourceDefinitionController } from '../../operator/controllers/resource-definition.ts'
import { OngoingStarts } from '../../operator/controllers/shared/ongoing-starts.ts'
import type { InputsCheck } from '../../operator/domain/resource/driver.ts'
import { outcomeOf } from '../../operator/kube/loop/outcome.ts'
import { nextStatus } from '../../operator/kube/loop/status.ts'
import { silentLog } from '../../operator/log.ts'
import { createPlanning } from '../../operator/planning/planning.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { definition, driver } from '../support/builders.ts'
import { silentContext } from './support/context.ts'
import { createFakeObjects, type FakeObjects } from './support/fake-objects.ts'

const vendors = ['quartermaster']
const fake = createFakeCluster()
let objects: FakeObjects
let controller: ReturnType<typeof resourceDefinitionController>
let outcome: InputsCheck
let seen: unknown[]

const inputs = object({}, { domain: string('A domain.') }, 'Inputs.')
const judging = driver('judging', {
  values: inputs,
  check(inputs, now) {
    seen.push(inputs, now)
    return outcome
  },
})

beforeEach(() => {
  fake.reset()
  objects = createFakeObjects()
  outcome = { problems: [], warnings: [] }
  seen = []
  const cluster = { ...fake, client: objects.client }
  const planning = createPlanning(cluster.store, {
    catalogue: [judging, driver('other')],
    vendors,
    log: silentLog,
  })
  controller = resourceDefinitionController(cluster, planning, vendors, new OngoingStarts())
})

function addSecret() {
  const data = { key: Buffer.from('PRIVATE').toString('base64') }
  objects.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'tls', namespace: 'acme' }, data })
}

function wanted(driverType = 'quartermaster/judging'): ResourceDefinition {
  const driverInputs = { values: { domain: 'a.test' }, secretRefs: { key: { secret: 'tls', key: 'key' } } }
  return fake.put(ResourceDefinition, definition('main', 's3', { driverType, driverInputs }))
}

const look = (each: ResourceDefinition) => controller.reconcile(each, silentContext())

describe('a driver judges the inputs of a definition, secret ones included', () => {
  test('with the values of the Secret, and the time', async () => {
    addSecret()
    await look(wanted())
    expect(seen).toEqual([{ values: { domain: 'a.test' }, secrets: { key: 'PRIVATE' } }, expect.any(Number)])
  })

  test('refused inputs are Stalled', async () => {
    addSecret()
    outcome = { problems: ['the certificate has expired', 'the key does not match'], warnings: ['old'] }
    await expect(look(wanted())).rejects.toMatchObject({
      reason: 'InvalidInputs',
      message: 'the certificate has expired; the key does not match',
      observed: { secretNames: ['tls'] },
    })
  })

  test('a warning is a condition, which is removed when its cause is', async () => {
    addSecret()
    const each = wanted()
    const after = async (before: object) =>
      nextStatus(ResourceDefinition, before, 1, { observed: await look(each), outcome: outcomeOf() })
    outcome = { problems: [], warnings: ['the certificate names no host'] }
    const doubtful = await after({})
    const message = 'the certificate names no host'
    expect(doubtful).toMatchObject({
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Warning', status: 'True', message },
      ],
    })
    outcome = { problems: [], warnings: [] }
    expect(await after(doubtful)).toMatchObject({ conditions: [{ type: 'Ready', status: 'True' }] })
  })

  test('an input that the driver does not read is a warning, before those of the driver', async () => {
    addSecret()
    outcome = { problems: [], warnings: ['old'] }
    const driverInputs = { values: { domian: 'a.test' }, secretRefs: { key: { secret: 'tls', key: 'key' } } }
    const each = definition('main', 's3', { driverType: 'quartermaster/judging', driverInputs })
    const message =
      "driver 'quartermaster/judging' does not read the input 'values.domian'; did you mean 'domain'?; old"
    expect(await look(fake.put(ResourceDefinition, each))).toMatchObject({
      conditions: [{ type: 'Warning', status: 'True', reason: 'DoubtfulInputs', message }],
    })
  })

  test.each<[rule: string, driver: string, warning: object]>([
    [
      'is a warning',
      'quartermaster/other',
      {
        reason: 'DoubtfulCriteria',
        message: "a criterion with env_type 'Live' never matches: an environment type cannot have this id",
      },
    ],
    [
      'comes after the warnings of the driver',
      'quartermaster/judging',
      {
        reason: 'DoubtfulInputs',
        message: expect.stringMatching(/^old; a criterion with env_type 'Live' never/),
      },
    ],
  ])('a criterion that never matches %s', async (_, driverType, warning) => {
    outcome = { problems: [], warnings: ['old'] }
    const each = definition('main', 's3', { driverType, criteria: [{ envType: 'Live' }] })
    expect(await look(fake.put(ResourceDefinition, each))).toMatchObject({
      conditions: [{ type: 'Warning', status: 'True', ...warning }],
    })
  })

  test('a Secret that is missing is waited for', async () => {
    await expect(look(wanted())).rejects.toMatchObject({
      reason: 'SecretNotFound',
      retryAfterSeconds: expect.any(Number),
    })
    expect(seen).toEqual([])
  })

  test('a driver that judges nothing needs no Secret', async () => {
    expect(await look(wanted('quartermaster/other'))).toEqual({ secretNames: ['tls'] })
  })
})

describe('a definition is reconciled again when a driver of the organization changes', () => {
  const own = (name: string, target: string, namespace = 'acme') =>
    fake.put(ResourceDriver, newObject(ResourceDriver, { namespace, name }, { type: 's3', target }))

  /** Keys of the definitions that an action enqueues. */
  function wokenBy(act: () => void): string[] {
    const enqueued: string[] = []
    for (const watch of controller.watches ?? []) watch.subscribe((keys) => enqueued.push(...keys))
    act()
    return [...new Set(enqueued)]
  }

  test.each<[rule: string, driverType: string, act: () => void, isEnqueued: boolean]>([
    ['its driver is created', 'acme/mine', () => own('mine', 'https://d.test'), true],
    ['its driver is deleted', 'acme/known', () => fake.drop(ResourceDriver, 'acme', 'known'), true],
    ['its driver changes', 'acme/known', () => own('known', 'https://new.test'), true],
    ['the wrapped driver is created', 'acme/wrapper', () => own('mine', 'https://d.test'), true],
    [
      'one of another organization is created',
      'acme/mine',
      () => own('mine', 'https://d.test', 'globex'),
      false,
    ],
    ['another driver is created', 'quartermaster/judging', () => own('mine', 'https://d.test'), false],
    ['another driver of the organization changes', 'acme/known', () => own('mine', 'https://d.test'), false],
  ])('%s', (_, driverType, act, isEnqueued) => {
    own('known', 'https://d.test')
    own('wrapper', 'driver://acme/mine')
    wanted(driverType)
    expect(wokenBy(act)).toEqual(isEnqueued ? ['acme/main'] : [])
  })

  test('and then its driver is known', async () => {
    addSecret()
    const each = wanted('acme/mine')
    await expect(look(each)).rejects.toMatchObject({ reason: 'UnknownDriver' })
    own('mine', 'https://d.test')
    expect(await look(each)).toEqual({ secretNames: ['tls'] })
  })

  test('a driver that wraps a judging one is not judged by its words', async () => {
    addSecret()
    own('wrapper', 'driver://quartermaster/judging')
    await look(wanted('acme/wrapper'))
    expect(seen).toEqual([])
  })
})
