import { apiCall, eventually } from '../../../dev/control-plane/kubernetes.ts'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { labels } from '../../../operator/api/names.ts'
import { type Cluster, openCluster } from '../../../operator/kube/cache/cluster.ts'
import { stored } from '../../../operator/kube/cache/store.ts'
import { createClient } from '../../../operator/kube/client/client.ts'
import { pathOf, resourceOf } from '../../../operator/kube/client/resource.ts'
import type { Controller } from '../../../operator/kube/loop/controller.ts'
import { type Loop, startController } from '../../../operator/kube/loop/controller-loop.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import type { Observed } from '../../../operator/kube/loop/status.ts'
import { silentLog } from '../../../operator/log.ts'
import { activeResourceSample } from '../support/samples.ts'
import { createNamespace, type OwnControlPlane, uniqueName } from './support.ts'

type Seen = Observed<typeof ActiveResource>

/** The input of a reconcile; `count` is 1 for the first one. */
export type Look = (object: ActiveResource, count: number) => Seen | Promise<Seen>

/** The other methods of the controller, and whether this process leads. */
type SetUp = Partial<Controller<typeof ActiveResource>> & { readonly isActive?: () => boolean }

/** How long a loop waits after its first failure. */
export const firstBackoffMs = 100

const merge = 'application/merge-patch+json'
const name = 'f'.repeat(40)

/** Path of the one object of an organization. */
export function pathIn(namespace: string): string {
  return pathOf(resourceOf(ActiveResource), namespace, name)
}

/** Loops over active resources, one at a time, on a control plane where no operator runs. */
export async function openLoops({ controlPlane, connection, proxy }: OwnControlPlane) {
  const client = createClient(connection)
  const cluster: Cluster = openCluster({ client, log: silentLog, kinds: [stored(ActiveResource)] })
  const cache = cluster.store.cacheOf(ActiveResource)
  let running: { readonly loop: Loop; readonly namespace: string } | undefined
  await cluster.ready

  /** Makes the namespace an organization, or no longer one. */
  async function label(namespace: string, isWanted: boolean): Promise<void> {
    const body = { metadata: { labels: { [labels.organization]: isWanted ? namespace : null } } }
    await apiCall(controlPlane, 'PATCH', `/api/v1/namespaces/${namespace}`, body, merge)
    const isKnown = async () => cluster.store.isOrganization(namespace) === isWanted || undefined
    await eventually('the store knows', 30_000, isKnown)
  }

  /** An organization with one object in it, and a loop that runs the given reconcile. */
  async function start(look: Look, { isActive = () => true, ...controller }: SetUp = {}) {
    const namespace = uniqueName('loop')
    const looks: number[] = []
    const versions: ActiveResource[] = []
    await createNamespace(controlPlane, namespace)
    await label(namespace, true)
    cache.subscribe(({ after }) => {
      if (after?.metadata.namespace === namespace) versions.push(after)
    })
    await cluster.create(ActiveResource, activeResourceSample(namespace))
    const reconcile = async (object: ActiveResource) => {
      looks.push(performance.now())
      return look(object, looks.length)
    }
    const options = { log: silentLog, isActive, backoffMs: { first: firstBackoffMs, most: 2000 } }
    const loop = startController(cluster, { kind: ActiveResource, reconcile, ...controller }, options)
    running = { loop, namespace }
    const current = () => cache.get(namespace, name)
    const isWrite = (request: string) => /^(?:PATCH|PUT) /.test(request) && request.includes(`/${namespace}/`)

    return {
      namespace,
      /** The start of each reconcile. */
      looks,
      /** The object after each change. */
      versions,
      current,
      label: (isWanted: boolean) => label(namespace, isWanted),
      lookAgain: () => loop.queue.add(`${namespace}/${name}`),
      idle: () => loop.queue.idle(),
      /** How many writes were sent to the object, or to a part of it. */
      writes: (part = '') => proxy.requests.filter((each) => isWrite(each) && each.includes(part)).length,
      change: (body: object) => apiCall(controlPlane, 'PATCH', pathIn(namespace), body, merge),
      until: (type: string, status: string) =>
        eventually(`${type}=${status}`, 30_000, async () => {
          const object = current()
          return object && conditionOf(object, type)?.status === status ? object : undefined
        }),
    }
  }

  return {
    cluster,
    start,
    /** Ends the loop, and removes its objects so that the next one starts empty. */
    async end() {
      if (!running) return
      await running.loop.stop()
      await label(running.namespace, false)
      running = undefined
    },
    close: () => cluster.close(),
  }
}
