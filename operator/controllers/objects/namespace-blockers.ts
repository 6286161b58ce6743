import type { CommonStatus, KubeObject } from '../../api/kind.ts'
import { conditionOf } from '../../kube/loop/outcome.ts'

/** What the namespace controller says of a namespace that does not end. */
const causes = [
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceFinalizersRemaining',
]

/** True in every deletion for a moment, so it counts only when nothing else does: pods on a node that is down, for instance. */
const content = 'NamespaceContentRemaining'

/** The finalizer that the namespace controller removes when the namespace is empty. */
const ofCluster = 'kubernetes'

/** What keeps a terminating namespace, for the end of a message; empty when nothing is known. */
export function namespaceBlockers(namespace: KubeObject): string {
  const { metadata, spec, status } = namespace as KubeObject & {
    readonly spec?: { readonly finalizers?: readonly string[] }
    readonly status?: CommonStatus
  } // a Namespace
  const messageOf = (type: string) => {
    const condition = conditionOf({ status }, type)
    return condition?.status === 'True' ? [condition.message] : []
  }
  const finalizers = [...(metadata.finalizers ?? []), ...(spec?.finalizers ?? [])]
  const foreign = finalizers.filter((each) => each !== ofCluster)
  const found = [
    ...causes.flatMap(messageOf),
    ...(foreign.length > 0 ? [`the namespace has finalizers: ${foreign.join(', ')}`] : []),
  ]
  const blockers = found.length > 0 ? found : messageOf(content)
  return blockers.length > 0 ? `: ${blockers.join('; ')}` : ''
}
