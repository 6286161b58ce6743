import type { Store } from '../../kube/cache/store.ts'
import { createQueue, type WorkQueue } from '../../kube/loop/queue.ts'
import type { Log } from '../../log.ts'

interface Options {
  readonly log: Log
  readonly isActive: () => boolean
  /** What is logged when the work fails. */
  readonly failure: string
  readonly retryMs?: number
}

const workers = 4

/** A queue of names of namespaces. Work that fails is logged and repeated after a pause. */
export function createOrganizationQueue(options: Options, work: (name: string) => Promise<void>): WorkQueue {
  const { log, isActive, failure, retryMs = 5000 } = options
  const queue = createQueue(workers, async (name) => {
    if (!isActive()) return
    try {
      await work(name)
    } catch (error) {
      log.warn(failure, { organization: name, error })
      queue.addAfter(name, retryMs)
    }
  })
  return queue
}

/** Whether a namespace is being deleted. */
export function isTerminating({ namespaces }: Pick<Store, 'namespaces'>, name: string): boolean {
  return namespaces.get('', name)?.metadata.deletionTimestamp !== undefined
}
