import { apiCall, apiRequest, eventually } from '../../../dev/control-plane/kubernetes.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import {
  namespaceResource,
  pathOf,
  resourceOf,
  secretResource,
} from '../../../operator/kube/client/resource.ts'
import { healthOf } from '../../gitops/kstatus.ts'
import type { SharedCluster } from '../support/shared-cluster.ts'

/** A tool that makes a cluster match Git, as Flux does: one source, one inventory. */
export interface GitOpsTool {
  /**
   * One pass: applies the objects, stage by stage, deletes objects that only the pass before applied, and waits until all
   * are ready. An object that failed ends the pass at once.
   */
  sync(stages: readonly (readonly KubeObject[])[]): Promise<void>
}

const manager = 'gitops-tool'
const readyWithinMs = 60_000
const resources = [namespaceResource, secretResource, ...kinds.map(resourceOf)]

/** The path of an object of a kind that these tests apply. */
export function pathOfObject({ kind, metadata }: KubeObject): string {
  const resource = resources.find((each) => each.kind === kind)
  if (!resource) throw new Error(`no kind '${kind}'`)
  return pathOf(resource, metadata.namespace, metadata.name)
}

/** A tool that has applied nothing yet. */
export function createGitOpsTool(access: SharedCluster['access']): GitOpsTool {
  let inventory = new Map<string, KubeObject>()

  async function apply(object: KubeObject): Promise<void> {
    const path = `${pathOfObject(object)}?fieldManager=${manager}&force=true`
    await apiCall(access, 'PATCH', path, object, 'application/apply-patch+yaml')
  }

  async function prune(path: string): Promise<void> {
    await apiRequest(access, 'DELETE', path)
    await eventually(`the end of '${path}'`, readyWithinMs, async () => {
      const { status } = await apiRequest(access, 'GET', path)
      return status === 404 || undefined
    })
  }

  async function untilCurrent(object: KubeObject): Promise<void> {
    const path = pathOfObject(object)
    const failed = await eventually(`'${path}' to be ready`, readyWithinMs, async () => {
      const current = await apiCall<KubeObject>(access, 'GET', path)
      const health = healthOf(current)
      if (health === 'Failed') return { current }
      if (health === 'Current') return { current: undefined }
      throw new Error(`${health}: ${JSON.stringify(current.status)}`)
    })
    if (failed.current) throw new Error(`'${path}' failed: ${JSON.stringify(failed.current.status)}`)
  }

  return {
    async sync(stages) {
      const wanted = new Map(stages.flat().map((each) => [pathOfObject(each), each]))
      const surplus = [...inventory.keys()].filter((path) => !wanted.has(path))
      inventory = wanted
      for (const [i, stage] of stages.entries()) {
        for (const object of stage) await apply(object)
        if (i === stages.length - 1) await Promise.all(surplus.map(prune))
        await Promise.all(stage.map(untilCurrent))
      }
    },
  }
}
