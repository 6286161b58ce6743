import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../operator/api/active-resource.ts'
import { Application } from '../../operator/api/application.ts'
import { Environment } from '../../operator/api/environment.ts'
import { EnvironmentType } from '../../operator/api/environment-type.ts'
import { type Condition, type Kind, type ObjectOf } from '../../operator/api/kind.ts'
import { ResourceAccount } from '../../operator/api/resource-account.ts'
import type { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import { ResourceDriver } from '../../operator/api/resource-driver.ts'
import { ResourceType } from '../../operator/api/resource-type.ts'
import { SharedValue } from '../../operator/api/shared-value.ts'
import { activeResourceController } from '../../operator/controllers/active-resource/active-resource.ts'
import { environmentController } from '../../operator/controllers/environment.ts'
import { resourceAccountController } from '../../operator/controllers/resource-account.ts'
import { resourceDefinitionController } from '../../operator/controllers/resource-definition.ts'
import { resourceDriverController } from '../../operator/controllers/resource-driver.ts'
import { OngoingStarts } from '../../operator/controllers/shared/ongoing-starts.ts'
import { sharedValueController } from '../../operator/controllers/shared-value.ts'
import { webhookController } from '../../operator/controllers/webhook/webhook.ts'
import type { Driver } from '../../operator/drivers/driver.ts'
import { keyOf } from '../../operator/kube/client/resource.ts'
import type { Controller } from '../../operator/kube/loop/controller.ts'
import { conditionsAfter, outcomeOf } from '../../operator/kube/loop/outcome.ts'
import type { Objects } from '../../operator/kube/objects/objects.ts'
import { silentLog } from '../../operator/log.ts'
import { createPlanning } from '../../operator/planning/planning.ts'
import { createFakeCluster, type FakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { activeResource, definition, driver, storedObject } from '../support/builders.ts'
import { silentContext } from './support/context.ts'
import { environmentOptions } from './support/environment-options.ts'
import type { FakeObjects } from './support/fake-objects.ts'
import { resourceTools } from './support/resource-tools.ts'
import { environment, signingSecret, webhook, withSecrets } from './support/webhooks.ts'

const fake = createFakeCluster()
const vendors = ['quartermaster']
const at = (name: string) => ({ namespace: 'acme', name, generation: 1 })
const signing = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const judging = driver('judging', { check: () => ({ problems: [], warnings: [] }) })
const echo: Driver = {
  descriptor: driver('echo'),
  provision: async () => ({ outputs: { values: {}, secrets: {} }, objects: [] }),
  async deprovision() {},
}
const own: Driver = { ...echo, descriptor: driver('acme/mine', { remote: true }) }

let cluster: FakeCluster
let objects: FakeObjects

beforeEach(() => {
  fake.reset()
  ;({ cluster, objects } = withSecrets(fake))
})

/** An object that others refer to; one in the store can begin to be deleted. */
interface Target {
  put(): void
  drop(): void
  end?(): void
}

function kept<K extends Kind>(kind: K, object: ObjectOf<K>): Target {
  const { namespace, name } = object.metadata
  return {
    put: () => void cluster.put(kind, object),
    drop: () => cluster.drop(kind, namespace, name),
    end: () => {
      const metadata = { ...object.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' }
      cluster.put(kind, { ...object, metadata })
    },
  }
}
const secret = (name: string, text = signing): Target => ({
  put: () => void objects.put(signingSecret(name, text)),
  drop: () => objects.delete('Secret', name),
})

const application = kept(Application, storedObject(Application, at('shop'), {}))
const shopStaging = kept(Environment, environment(at('shop.staging')))
const shopDev = kept(Environment, environment(at('shop.dev')))
const environmentType = kept(EnvironmentType, storedObject(EnvironmentType, at('staging'), {}))
const type = kept(ResourceType, storedObject(ResourceType, at('bucket'), { use: 'direct' }))
const account = kept(ResourceAccount, storedObject(ResourceAccount, at('cloud'), { type: 'any' }))
const mine = kept(
  ResourceDriver,
  storedObject(ResourceDriver, at('mine'), { type: 's3', target: 'https://d.test' }),
)

function definitions(): Controller<typeof ResourceDefinition> {
  const planning = createPlanning(cluster.store, {
    catalogue: [driver('echo'), judging],
    vendors,
    log: silentLog,
  })
  return resourceDefinitionController(cluster, planning, vendors, new OngoingStarts())
}
function resources(): Controller<typeof ActiveResource> {
  return activeResourceController(resourceTools(cluster, [echo], { remote: () => own, wrapping: () => own }))
}

/** A controller and an object of its kind, typed by the kind. */
function subject<K extends Kind>(make: () => Controller<K>, object: ObjectOf<K>) {
  return { make: make as unknown as () => Controller, object } // the table forgets the kind
}

const value = (spec: Partial<SharedValue['spec']>) =>
  storedObject(SharedValue, at('value'), { applicationName: 'shop', key: 'LEVEL', ...spec })
const defined = (spec: Partial<ResourceDefinition['spec']>, of = 's3') =>
  definition('main', of, spec, at('main'))
const made = (spec: Partial<ActiveResource['spec']['definition']>) => {
  const full = { definitionName: 's3', driverType: 'quartermaster/echo', ...spec }
  return activeResource({ type: 's3', resourceId: 'main' }, { definition: full }, { generation: 1 })
}

interface Row {
  readonly subject: { readonly make: () => Controller; readonly object: ObjectOf<Kind> }
  readonly target: Target
  readonly others?: readonly Target[]
  readonly reason: string
  /** An object keeps its owner and its account: they wait until it is deleted. */
  readonly untilGone?: boolean
}

const secretRefs = { token: { secret: 'hook', key: 'secret' } }
const withSecret = { key: 'secret', secret: 'hook' }
const environments = () =>
  environmentController(cluster, {} as Objects, { notifyLast: async () => {} }, environmentOptions(cluster)) // no object is made
const drivers = () =>
  resourceDriverController(
    cluster,
    createPlanning(cluster.store, { catalogue: [], vendors, log: silentLog }),
    vendors,
  )
const accounts = () => resourceAccountController(cluster, [], Date.now)

const rows: [reference: string, row: Row][] = [
  [
    'ResourceDefinition to its type',
    { subject: subject(definitions, defined({}, 'acme/bucket')), target: type, reason: 'TypeNotFound' },
  ],
  [
    'ResourceDefinition to a type that it provisions along',
    {
      subject: subject(definitions, defined({ provision: { 'acme/bucket.fast#x': {} } })),
      target: type,
      reason: 'TypeNotFound',
    },
  ],
  [
    'ResourceDefinition to its driver',
    {
      subject: subject(definitions, defined({ driverType: 'acme/mine' })),
      target: mine,
      reason: 'UnknownDriver',
    },
  ],
  [
    'ResourceDefinition to its account',
    {
      subject: subject(definitions, defined({ accountName: 'cloud' })),
      target: account,
      reason: 'AccountNotFound',
    },
  ],
  [
    'ResourceDefinition to a Secret that its driver judges',
    {
      subject: subject(
        definitions,
        defined({ driverType: 'quartermaster/judging', driverInputs: { secretRefs } }),
      ),
      target: secret('hook'),
      reason: 'SecretNotFound',
    },
  ],
  [
    'ResourceDriver to the driver that it wraps',
    {
      subject: subject(
        drivers,
        storedObject(ResourceDriver, at('wrapper'), { type: 's3', target: 'driver://acme/mine' }),
      ),
      target: mine,
      reason: 'UnknownDriver',
    },
  ],
  [
    'ResourceAccount to its Secret',
    {
      subject: subject(
        accounts,
        storedObject(ResourceAccount, at('cloud'), { type: 'any', credentialsSecretName: 'hook' }),
      ),
      target: secret('hook'),
      reason: 'SecretNotFound',
    },
  ],
  [
    'Environment to its application',
    {
      subject: subject(environments, environment(at('shop.staging'))),
      target: application,
      others: [environmentType],
      reason: 'ApplicationNotFound',
      untilGone: true,
    },
  ],
  [
    'Environment to its type',
    {
      subject: subject(environments, environment(at('shop.staging'))),
      target: environmentType,
      others: [application],
      reason: 'EnvironmentTypeNotFound',
    },
  ],
  [
    'SharedValue to its application',
    {
      subject: subject(() => sharedValueController(cluster, new OngoingStarts()), value({ value: 'x' })),
      target: application,
      reason: 'ApplicationNotFound',
      untilGone: true,
    },
  ],
  [
    'SharedValue to its environment',
    {
      subject: subject(
        () => sharedValueController(cluster, new OngoingStarts()),
        value({ value: 'x', environmentId: 'staging' }),
      ),
      target: shopStaging,
      others: [application],
      reason: 'EnvironmentNotFound',
      untilGone: true,
    },
  ],
  [
    'SharedValue to its Secret',
    {
      subject: subject(
        () => sharedValueController(cluster, new OngoingStarts()),
        value({ secret: withSecret }),
      ),
      target: secret('hook'),
      others: [application],
      reason: 'SecretNotFound',
    },
  ],
  [
    'Webhook to its application',
    {
      subject: subject(() => webhookController(cluster, Date.now), webhook('hook')),
      target: application,
      reason: 'ApplicationNotFound',
      untilGone: true,
    },
  ],
  [
    'Webhook to its Secret',
    {
      subject: subject(
        () => webhookController(cluster, Date.now),
        webhook('hook', { signingSecretName: 'named' }),
      ),
      target: secret('named'),
      others: [application],
      reason: 'SecretNotFound',
    },
  ],
  [
    'ActiveResource to its driver',
    {
      subject: subject(resources, made({ driverType: 'acme/mine' })),
      target: mine,
      others: [shopDev],
      reason: 'UnknownDriver',
    },
  ],
  [
    'ActiveResource to its account',
    {
      subject: subject(resources, made({ accountName: 'cloud' })),
      target: account,
      others: [shopDev],
      reason: 'AccountNotFound',
      untilGone: true,
    },
  ],
  [
    'ActiveResource to a Secret',
    {
      subject: subject(resources, made({ driverInputs: { secretRefs } })),
      target: secret('hook'),
      others: [shopDev],
      reason: 'SecretNotFound',
    },
  ],
]

const ready = ['Ready=True Reconciled']
const missingFor = (reason: string, before: 'False' | 'Unknown') => [
  `Ready=${before} ${reason}`,
  `Reconciling=True ${reason}`,
]

/** An object whose conditions follow each reconcile, enqueued by the watches of its controller. */
function begin({ make, object }: Row['subject']) {
  const controller = make()
  const { kind } = controller
  const stored = cluster.put(kind, object)
  const enqueued = new Set<string>()
  let conditions: Condition[] = []
  for (const watch of controller.watches ?? [])
    watch.subscribe((keys) => {
      for (const key of keys) enqueued.add(key)
    })
  return {
    async look(): Promise<string[]> {
      const error = await controller.reconcile(stored, silentContext()).then(
        () => undefined,
        (each: unknown) => each,
      )
      const outcome = outcomeOf(error)
      conditions = conditionsAfter(conditions, outcome, [], 1, '2026-01-01T00:00:00Z')
      const isPolled = typeof outcome.retry === 'number'
      if (isPolled) enqueued.add(keyOf(stored))
      return conditions.map((each) => `${each.type}=${each.status} ${each.reason}`)
    },
    /** Reconciles again, as the loop does, if the object was enqueued or asked to be polled. */
    async lookIfWoken(): Promise<string[]> {
      if (!enqueued.delete(keyOf(stored))) return ['not enqueued']
      return this.look()
    },
  }
}

describe.each(rows)(
  'the reference of a %s',
  (_, { subject: each, target, others = [], reason, untilGone = false }) => {
    beforeEach(() => {
      for (const other of others) other.put()
    })

    test('is waited for when it is missing, and followed when it arrives', async () => {
      const loop = begin(each)
      expect(await loop.look()).toEqual(missingFor(reason, 'Unknown'))
      target.put()
      expect(await loop.lookIfWoken()).toEqual(ready)
    })

    test('is waited for when it is deleted later: not ready, not stalled', async () => {
      target.put()
      const loop = begin(each)
      expect(await loop.look()).toEqual(ready)
      target.drop()
      expect(target.end ? await loop.lookIfWoken() : await loop.look()).toEqual(missingFor(reason, 'False'))
      expect(await loop.look()).toEqual(missingFor(reason, 'False'))
      target.put()
      expect(await loop.lookIfWoken()).toEqual(ready)
    })

    if (!target.end) return
    test(`counts as ${untilGone ? 'there' : 'missing'} while it is being deleted`, async () => {
      target.put()
      const loop = begin(each)
      await loop.look()
      target.end?.()
      expect(await loop.lookIfWoken()).toEqual(untilGone ? ready : missingFor(reason, 'False'))
      target.drop()
      expect(await loop.lookIfWoken()).toEqual(missingFor(reason, 'False'))
    })
  },
)
