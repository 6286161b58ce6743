import type { GrantedRight } from '../support/rights.ts'

/** Rights that no test on a cluster uses, and why the identity needs them. */
export const exceptions: readonly {
  readonly reason: string
  covers(right: GrantedRight, granted: readonly GrantedRight[]): boolean
}[] = [
  {
    reason: 'a watch begins with a list where the API server does not stream lists',
    covers: (right, granted) => right.verb === 'list' && hasBeside(right, granted, 'watch'),
  },
  {
    reason:
      'the operator reads an object that has changed before its status is written: it may have been replaced',
    covers: (right, granted) =>
      right.verb === 'get' &&
      hasBeside({ ...right, resource: `${right.resource}/status` }, granted, 'update'),
  },
  {
    reason: 'an object is read when its name is taken: the request may have been answered before',
    covers: (right, granted) => right.verb === 'get' && hasBeside(right, granted, 'create'),
  },
  {
    reason: 'the default quota of organizations is a setting that the cluster of the tests does not have',
    covers: ({ identity, verb, resource }) =>
      identity === 'operator' && verb === 'create' && resource === 'resourcequotas',
  },
  {
    reason:
      'a StatefulSet is deleted when the profile of its workload changes, which no test on a cluster does',
    covers: ({ identity, verb, resource }) =>
      identity === 'operator' && verb === 'delete' && resource === 'statefulsets',
  },
  {
    reason: 'a delta is deleted when its application ends while it is created',
    covers: ({ identity, verb, resource }) =>
      identity === 'gateway' && verb === 'delete' && resource === 'deploymentdeltas',
  },
  {
    reason: 'calls of webhooks are deleted three days after they end',
    covers: ({ identity, verb, resource }) =>
      identity === 'operator' && verb === 'delete' && resource === 'webhookcalls',
  },
]

function hasBeside(right: GrantedRight, granted: readonly GrantedRight[], verb: string): boolean {
  return granted.some(
    (each) =>
      each.verb === verb &&
      (['identity', 'group', 'resource', 'isClusterWide', 'name'] as const).every(
        (key) => each[key] === right[key],
      ),
  )
}
