import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import type { Manifest } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import type { Static } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { sameJson } from '../../../operator/domain/base/json.ts'
import { type DeltaContent, deltaContent, emptyDelta } from '../../../operator/domain/delta/delta.ts'
import { refuseInvalidDependencies } from '../../../operator/domain/delta/dependency-form.ts'
import { foldDelta } from '../../../operator/domain/delta/fold.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { Missing } from '../../request/missing.ts'
import { type Modification, unlessShownAlike } from '../common/change.ts'
import { find, findApplication, refuseTooLarge } from '../common/find.ts'
import type { changesRequest } from './delta-shape.ts'

/** Returns the delta in the path; throws NotFound. */
export function findDelta(
  store: Store,
  path: { readonly org_id: string; readonly app_id: string; readonly delta_id: string },
): DeploymentDelta {
  findApplication(store, path)
  const found = find(store, DeploymentDelta, path.org_id, path.delta_id)
  if (found?.spec.applicationName === path.app_id) return found
  throw new Missing(DeploymentDelta, path.org_id, path.delta_id, `delta '${path.delta_id}' not found`)
}

/** Returns the changes of a request; throws Invalid if they can never be deployed. */
export function contentOf(request: Static<typeof changesRequest>): DeltaContent {
  const { add = {}, remove = [], update = {} } = request.modules ?? {}
  const content = { modules: { add, remove, update }, shared: request.shared ?? [] }
  refuseInvalidDependencies(content)
  return content
}

/** Returns the metadata of a request as fields of the spec. */
export function aboutDelta({ metadata: { env_id, name } = {} }: Static<typeof changesRequest>) {
  return {
    ...(env_id === undefined ? {} : { environmentId: env_id }),
    ...(name === undefined ? {} : { displayName: name }),
  }
}

/** Returns a new delta with changes. */
export function newDelta(
  draft: Manifest<typeof DeploymentDelta>,
  content: DeltaContent,
  modification: Modification,
): Manifest<typeof DeploymentDelta> {
  return recorded(draft, specPart(foldDelta(emptyDelta, [content])), modification)
}

/** Adds changes to a delta; throws Invalid if it is archived. */
export function changed(
  delta: DeploymentDelta,
  changes: readonly DeltaContent[],
  modification: Modification,
): DeploymentDelta {
  const content = foldDelta(deltaContent(delta.spec), changes)
  return rewritten(delta, specPart(content), modification)
}

/** Replaces the changes of a delta. */
export function replaced(
  delta: DeploymentDelta,
  request: Static<typeof changesRequest>,
  modification: Modification,
): DeploymentDelta {
  const content = contentOf(request)
  // A manifest can contain operations that folding rewrites.
  const isKept = sameJson(content, deltaContent(delta.spec))
  const part = isKept ? {} : specPart(foldDelta(emptyDelta, [content]))
  return rewritten(delta, { ...aboutDelta(request), ...part }, modification)
}

/** Replaces fields of the spec. Throws Invalid if the delta is archived, unless it is unarchived. */
export function rewritten(
  delta: DeploymentDelta,
  fields: Partial<DeploymentDelta['spec']>,
  modification: Modification,
): DeploymentDelta {
  if (delta.spec.archived && fields.archived === undefined)
    throw new Problem('Invalid', `delta '${delta.metadata.name}' is archived`)
  return unlessShownAlike(delta, recorded(delta, fields, modification), shown)
}

/** What responses show of a delta, except who changed it and when. */
function shown({ spec }: DeploymentDelta) {
  const { archived = false, environmentId, displayName } = spec
  return { ...deltaContent(spec), archived, environmentId, displayName }
}

/** Replaces fields of the spec, and records who did and when. */
function recorded<T extends Manifest<typeof DeploymentDelta>>(
  delta: T,
  fields: Partial<DeploymentDelta['spec']>,
  { caller, time }: Modification,
): T {
  const spec = { ...delta.spec, ...fields }
  refuseTooLarge(spec, `delta '${delta.metadata.name}'`)
  const given = delta.metadata.annotations ?? {}
  const contributors = new Set(
    [...(given[annotations.contributors]?.split(',') ?? []), caller.userName].filter(Boolean),
  )
  const record = {
    [annotations.lastModifiedAt]: time,
    [annotations.contributors]: [...contributors].join(','),
  }
  return { ...delta, metadata: { ...delta.metadata, annotations: { ...given, ...record } }, spec }
}

/** Converts changes to fields of the spec. */
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
