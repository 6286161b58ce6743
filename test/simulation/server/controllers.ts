import { namespaceResource } from '../../../operator/kube/client/resource.ts'
import type { Random } from '../../support/random.ts'
import type { Clock } from '../time/clock.ts'
import type { ApiServer } from './api-server.ts'
import { allServed, type Served } from './resources.ts'

/** What the controllers of Kubernetes need. */
interface Surroundings {
  readonly clock: Clock
  readonly random: Random
  readonly server: ApiServer
}

/**
 * The controllers of Kubernetes that the operator relies on: of namespaces, and the garbage collector, each late by
 * seconds. Deployments get no pods.
 */
export function startControllers(surroundings: Surroundings): void {
  const { server } = surroundings
  server.storage.follow(({ served, before, object }) => {
    if (served.kind !== 'Namespace' || before?.metadata.deletionTimestamp) return
    if (object.metadata.deletionTimestamp) void emptyNamespace(surroundings, object.metadata.name)
  })
  void collectGarbage(surroundings)
}

async function emptyNamespace({ clock, random, server }: Surroundings, name: string): Promise<void> {
  const { storage } = server
  await clock.sleep(500 + random.below(6000))
  for (;;) {
    for (const served of allServed.filter(({ namespaced }) => namespaced)) removeAll(server, served, name)
    const isEmpty = allServed.every((each) => !each.namespaced || storage.list(each, name).length === 0)
    if (isEmpty) break
    await clock.sleep(500 + random.below(4000))
  }
  const namespace = server.current(namespaceResource, undefined, name)
  storage.commit(namespaceResource, 'DELETED', namespace, namespace)
}

function removeAll(server: ApiServer, served: Served, namespace: string): void {
  for (const { metadata } of server.storage.list(served, namespace))
    server.remove(served, namespace, metadata.name)
}

async function collectGarbage({ clock, random, server }: Surroundings): Promise<void> {
  let checked = 0
  for (;;) {
    await clock.sleep(500 + random.below(8000))
    if (checked === server.storage.version) continue
    checked = server.storage.version
    const owners = new Set(
      allServed.flatMap((served) => server.storage.list(served).map(({ metadata }) => metadata.uid)),
    )
    for (const served of allServed) {
      for (const { metadata } of server.storage.list(served)) {
        const { ownerReferences = [], deletionTimestamp, namespace, name } = metadata
        if (ownerReferences.length === 0 || deletionTimestamp !== undefined) continue
        if (!ownerReferences.some(({ uid }) => owners.has(uid))) server.remove(served, namespace, name)
      }
    }
  }
}
