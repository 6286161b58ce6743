import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { Webhook, WebhookCall } from '../../../operator/api/webhook.ts'
import { type Dispatcher, startDispatcher } from '../../../operator/controllers/webhook/dispatcher.ts'
import { createFirstVersions } from '../../../operator/kube/cache/history.ts'
import { silentLog } from '../../../operator/log.ts'
import { fc } from '../../support/properties.ts'
import { succeeded } from '../support/dispatcher-world.ts'
import { createLaggingServer } from '../support/lagging-cluster.ts'
import { deployment, environment, webhook } from '../support/webhooks.ts'

/** All writes have the same second: no clock shows the order. */
const second = '2026-01-01T12:00:00Z'
const started = { startTime: second }
const finished = { ...succeeded, startTime: second, finishTime: second }
const names = ['one', 'two'] as const

const step = fc.oneof(
  fc.record({
    act: fc.constantFrom(
      'make webhook',
      'change webhook',
      'drop webhook',
      'make environment',
      'change environment',
    ),
    name: fc.constantFrom(...names),
  }),
  fc.record({ act: fc.constantFrom('start', 'finish'), name: fc.constantFrom(...names) }),
  fc.record({
    act: fc.constantFrom('receive webhooks', 'receive the rest', 'work', 'restart'),
    name: fc.constant(''),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** A server, a process whose watches are late, and the expected calls, in the order of writes. */
function createModel() {
  const server = createLaggingServer()
  const events: { readonly text: string; readonly version: number }[] = []
  const webhooks = new Map<string, { readonly uid: string; readonly version: number }>()
  let made = 0
  let { cluster, deliver } = server.connect()
  let firstVersionOf = createFirstVersions(cluster.store.cacheOf(Webhook))
  let announcements: Dispatcher = begin()

  function begin() {
    return startDispatcher(cluster, { log: silentLog, isActive: () => true })
  }
  const versionOf = (object: { metadata: { resourceVersion?: string } } | undefined) =>
    Number(object?.metadata.resourceVersion)
  const happened = (text: string, object: Parameters<typeof versionOf>[0]) =>
    events.push({ text, version: versionOf(object) })

  /** As the controller of webhooks does in its first reconcile. */
  function recordCreation(): void {
    deliver(Webhook)
    for (const each of cluster.store.list(Webhook, 'acme')) {
      const current = server.get(Webhook, each.metadata.name)
      if (!current || current.metadata.uid !== each.metadata.uid || current.status?.createdVersion) continue
      const status = { createdVersion: String(firstVersionOf(each)) }
      server.write(Webhook, each.metadata.name, { ...current, status })
    }
  }

  const acts: Record<string, (name: string) => Promise<void> | void> = {
    'make webhook': (name) => {
      if (server.get(Webhook, name)) return
      const uid = `${name}-${(made += 1)}`
      const written = server.write(Webhook, name, webhook(name, {}, { uid, creationTimestamp: second }))
      webhooks.set(name, { uid, version: versionOf(written) })
    },
    'change webhook': (name) => {
      const current = server.get(Webhook, name)
      if (!current?.status?.createdVersion) return
      server.write(Webhook, name, { ...current, spec: { ...current.spec, payload: { n: String(made) } } })
    },
    'drop webhook': (name) => {
      if (server.get(Webhook, name)) server.write(Webhook, name, undefined)
      webhooks.delete(name)
    },
    'make environment': (name) => {
      if (server.get(Environment, `shop.${name}`)) return
      const metadata = { name: `shop.${name}`, uid: `env-${name}`, creationTimestamp: second }
      happened(`environment.created ${name}`, server.write(Environment, metadata.name, environment(metadata)))
    },
    'change environment': (name) => {
      const current = server.get(Environment, `shop.${name}`)
      if (current)
        server.write(Environment, `shop.${name}`, { ...current, spec: { ...current.spec, displayName: 'x' } })
    },
    start: (name) => {
      if (server.get(EnvironmentDeployment, name)) return
      const run = deployment(started, { name, uid: `run-${name}`, creationTimestamp: second })
      happened(`deployment.started ${name}`, server.write(EnvironmentDeployment, name, run))
    },
    finish: (name) => {
      const current = server.get(EnvironmentDeployment, name)
      if (!current || current.status?.finishTime) return
      const status = finished as typeof current.status // as a status holds it
      happened(
        `deployment.finished ${name}`,
        server.write(EnvironmentDeployment, name, { ...current, status }),
      )
    },
    'receive webhooks': recordCreation,
    'receive the rest': () => {
      deliver(Environment)
      deliver(EnvironmentDeployment)
    },
    work: async () => {
      await sleep(1)
    },
    restart: async () => {
      await announcements.stop()
      ;({ cluster, deliver } = server.connect())
      firstVersionOf = createFirstVersions(cluster.store.cacheOf(Webhook))
      announcements = begin()
    },
  }

  const reported = () =>
    server
      .list(WebhookCall)
      .filter(
        ({ metadata, spec }) => metadata.ownerReferences?.[0]?.uid === webhooks.get(spec.webhookName)?.uid,
      )
      .map(({ spec }) => {
        const about =
          spec.event === 'environment.created' ? spec.variables['env_id'] : spec.variables['deploy_id']
        return `${spec.webhookName} ${spec.event} ${about}`
      })
      .sort()
  const expected = () =>
    [...webhooks]
      .flatMap(([name, { version }]) =>
        events.filter((each) => each.version > version).map(({ text }) => `${name} ${text}`),
      )
      .sort()
  return {
    act: async ({ act, name }: Step) => acts[act]?.(name),
    async end() {
      recordCreation()
      await acts['receive the rest']?.('')
      await eventually('all expected calls', 10_000, async () => {
        const missing = expected().filter((each) => !reported().includes(each))
        if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`)
        return true
      })
      await announcements.stop()
    },
    reported,
    expected,
  }
}

test('a webhook receives each later write once, and nothing else, in any order of watches and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 40 }), async (steps) => {
      const model = createModel()
      for (const each of steps) await model.act(each)
      await model.end()
      expect(model.reported()).toEqual(model.expected())
    }),
    { numRuns: process.env.QUARTERMASTER_SOAK ? 5000 : 50 },
  )
})
