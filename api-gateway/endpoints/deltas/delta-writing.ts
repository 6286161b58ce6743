import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { annotations } from '../../../operator/api/names.ts'
import type { Static } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { type DeltaContent, deltaContent, emptyDelta } from '../../../operator/domain/delta/delta.ts'
import { refuseInvalidDependencies } from '../../../operator/domain/delta/dependency-form.ts'
import { foldDelta } from '../../../operator/domain/delta/fold.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import type { Contribution } from '../common/change.ts'
import { find, findApplication, refuseTooLarge } from '../common/find.ts'
import type { changesRequest } from './delta-shape.ts'

/** The delta in the path. */
export function findDelta(
  store: Store,
  path: { readonly org_id: string; readonly app_id: string; readonly delta_id: string },
): DeploymentDelta {
  findApplication(store, path)
  const found = find(store, DeploymentDelta, path.org_id, path.delta_id)
  if (found?.spec.applicationName === path.app_id) return found
  throw new Problem('NotFound', `delta '${path.delta_id}' not found`)
}

/** The changes that a request spells, refused where they can never be deployed. */
export function contentOf(request: Static<typeof changesRequest>): DeltaContent {
  const { add = {}, remove = [], update = {} } = request.modules ?? {}
  const content = { modules: { add, remove, update }, shared: request.shared ?? [] }
  refuseInvalidDependencies(content)
  return content
}

/** What a request says about a delta, as the object keeps it. */
export function aboutDelta({ metadata: { env_id, name } = {} }: Static<typeof changesRequest>) {
  return {
    ...(env_id === undefined ? {} : { environmentId: env_id }),
    ...(name === undefined ? {} : { displayName: name }),
  }
}

/** The delta with more changes folded in, which an archived one refuses. */
export function changed(
  delta: DeploymentDelta,
  changes: readonly DeltaContent[],
  contribution: Contribution,
): DeploymentDelta {
  const content = foldDelta(deltaContent(delta.spec), changes)
  return rewritten(delta, specPart(content), contribution)
}

/** The delta with other changes in place of its own. */
export function replaced(
  delta: DeploymentDelta,
  request: Static<typeof changesRequest>,
  contribution: Contribution,
): DeploymentDelta {
  const content = foldDelta(emptyDelta, [contentOf(request)])
  return rewritten(delta, { ...aboutDelta(request), ...specPart(content) }, contribution)
}

/** The delta with some fields of its spec written anew; an archived one only comes back. */
export function rewritten(
  delta: DeploymentDelta,
  fields: Partial<DeploymentDelta['spec']>,
  { caller, time }: Contribution,
): DeploymentDelta {
  if (delta.spec.archived && fields.archived === undefined)
    throw new Problem('Invalid', `delta '${delta.metadata.name}' is archived`)
  const spec = { ...delta.spec, ...fields }
  refuseTooLarge(spec, `delta '${delta.metadata.name}'`)
  const given = delta.metadata.annotations ?? {}
  const contributors = new Set(
    [...(given[annotations.contributors]?.split(',') ?? []), caller.userName].filter(Boolean),
  )
  const marks = {
    [annotations.lastModifiedAt]: time,
    [annotations.contributors]: [...contributors].join(','),
  }
  return { ...delta, metadata: { ...delta.metadata, annotations: { ...given, ...marks } }, spec }
}

/** The changes as the object keeps them. */
function specPart({ modules, shared }: DeltaContent): Pick<DeploymentDelta['spec'], 'modules' | 'shared'> {
  const add = Object.entries(modules.add).flatMap(([id, module]) =>
    module === null ? [] : [[id, module] as const],
  )
  const update = Object.entries(modules.update).map(
    ([id, operations]) => [id, [...operations]] satisfies [string, unknown],
  )
  return {
    modules: {
      add: Object.fromEntries(add),
      remove: [...modules.remove],
      update: Object.fromEntries(update),
    },
    shared: [...shared],
  }
}
