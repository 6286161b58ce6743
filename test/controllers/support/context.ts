import type { Kind } from '../../../operator/api/kind.ts'
import type { ReconcileContext } from '../../../operator/kube/loop/controller.ts'

/** A reconcile context that writes nothing, releases no worker and never stops. */
export function silentContext<K extends Kind>(
  changes: Partial<ReconcileContext<K>> = {},
): ReconcileContext<K> {
  return {
    isResync: false,
    releaseWorker: (work) => work(),
    throwIfStopping() {},
    report: async () => {},
    afterWrite: (work) => work(),
    ...changes,
  }
}
