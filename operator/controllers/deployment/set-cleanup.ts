import { DeploymentSet } from '../../api/deployment-set.ts'
import { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { newObject } from '../../api/kind.ts'
import { fieldManager } from '../../api/names.ts'
import { type Cluster, isGone } from '../../kube/cache/cluster.ts'
import { isAlreadyExists, isNamespaceTerminating } from '../../kube/client/client.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { createQueue } from '../../kube/loop/queue.ts'
import type { Log } from '../../log.ts'

const retryMs = 5000

/**
 * Deletes deployment sets that nothing refers to any more, and restores those that an environment still builds on. Sets
 * that another client created or applied belong to that client and stay.
 */
export function startSetCleanup(
  cluster: Cluster,
  options: {
    readonly log: Log
    readonly isActive: () => boolean
    /** How long a set that nothing refers to stays: the deployment that refers to it may be on its way. */
    readonly settleMs: number
    readonly resyncMs: number
  },
): { stop(): Promise<void> } {
  const { log, isActive, settleMs, resyncMs } = options
  const { store } = cluster
  const deleted = new Map<string, DeploymentSet>()
  const queue = createQueue(4, async (key) => {
    const [namespace = '', name = ''] = key.split('/')
    if (!isActive() || !store.isOrganization(namespace)) return
    try {
      await (store.get(DeploymentSet, namespace, name) ? removeUnused(namespace, name) : restore(key))
    } catch (error) {
      if (isGone(error) || isNamespaceTerminating(error)) return
      log.warn('could not clean up a deployment set', { key, error })
      queue.addAfter(key, retryMs)
    }
  })

  async function removeUnused(namespace: string, name: string): Promise<void> {
    if (isReferredTo(namespace, name)) return
    const current = await cluster.read(DeploymentSet, namespace, name)
    if (current && isOnlyOurs(current)) await cluster.removeUnchanged(DeploymentSet, current)
  }

  async function restore(key: string): Promise<void> {
    const set = deleted.get(key)
    deleted.delete(key)
    if (!set) return
    const { namespace = '', name } = set.metadata
    if (!isRemembered(namespace, name)) return
    try {
      await cluster.create(DeploymentSet, newObject(DeploymentSet, { namespace, name }, set.spec))
    } catch (error) {
      if (isAlreadyExists(error)) return
      deleted.set(key, set)
      throw error
    }
  }

  function isReferredTo(namespace: string, name: string): boolean {
    const isOf = (each: EnvironmentDeployment) => setNamesOf(each).includes(name)
    return isRemembered(namespace, name) || store.list(EnvironmentDeployment, namespace).some(isOf)
  }

  function isRemembered(namespace: string, name: string): boolean {
    return store.list(Environment, namespace).some((each) => rememberedBy(each).includes(name))
  }

  function lookLater(namespace: string | undefined, names: readonly string[]): void {
    for (const name of names) queue.addAfter(`${namespace}/${name}`, settleMs)
  }

  store.cacheOf(DeploymentSet).subscribe(({ before, after }) => {
    const key = keyOf((after ?? before) as DeploymentSet) // a change is of something
    if (after) {
      if (!before) queue.addAfter(key, settleMs)
    } else if (before && isRemembered(before.metadata.namespace ?? '', before.metadata.name)) {
      deleted.set(key, before)
      queue.add(key)
    }
  })
  store.cacheOf(EnvironmentDeployment).subscribe(({ before, after }) => {
    if (before && !after) lookLater(before.metadata.namespace, setNamesOf(before))
  })
  store.cacheOf(Environment).subscribe(({ before, after }) => {
    if (!before || before.status === after?.status) return
    const still = after ? rememberedBy(after) : []
    lookLater(
      before.metadata.namespace,
      rememberedBy(before).filter((name) => !still.includes(name)),
    )
  })
  const lookAtAll = () => {
    for (const each of store.cacheOf(DeploymentSet).all()) queue.addAfter(keyOf(each), settleMs)
  }
  lookAtAll()
  const resync = setInterval(lookAtAll, resyncMs)
  return {
    async stop() {
      clearInterval(resync)
      await queue.stop()
    },
  }
}

function setNamesOf({ spec, status }: EnvironmentDeployment): string[] {
  return [spec.setName, status?.setName].filter((name) => name !== undefined)
}

function rememberedBy({ status }: Environment): string[] {
  return [status?.lastPlanned?.setName, status?.start?.setName].filter((name) => name !== undefined)
}

/** Whether no other client has written to the object: the API server records who did, and copies do not carry it. */
function isOnlyOurs({ metadata }: DeploymentSet): boolean {
  const { managedFields = [] } = metadata
  return managedFields.length > 0 && managedFields.every(({ manager }) => manager === fieldManager)
}
