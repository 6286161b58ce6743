import { hash } from 'node:crypto'
import type { Workload } from '../../api/workload.ts'
import { Problem } from '../base/errors.ts'
import { canonicalJson, ownValue, sameJson } from '../base/json.ts'
import type { SetContent } from '../delta/delta.ts'
import { type ConvertedScore, convertScore, mergeShared, sameShared } from '../score/convert-score.ts'

/** Id of the module of a Workload, by its object name. */
export function moduleIdOf({ metadata, spec }: Pick<Workload, 'metadata' | 'spec'>): string {
  return metadata.name.slice(spec.applicationName.length + 1)
}

/** The module and shared dependencies of a Workload in an environment. Throws a Problem for a bad document. */
export function contentOf(
  workload: Pick<Workload, 'metadata' | 'spec'>,
  environmentId: string,
): ConvertedScore {
  const { score, extension, images = [] } = workload.spec
  const image = images.find((each) => each.environmentId === environmentId)?.image
  const content = convertScore({
    document: score,
    ...(extension ? { extension } : {}),
    ...(image ? { image } : {}),
  })
  const id = moduleIdOf(workload)
  if (content.id === id) return content
  throw new Problem(
    'Invalid',
    `'metadata.name' of the Score document is '${content.id}'; for the name of this object it must be '${id}'`,
  )
}

/** Hash of the content of a Workload. */
export function hashOfContent({ module, shared }: ConvertedScore): string {
  return hash('sha256', canonicalJson({ module, shared }))
}

/**
 * Whether a set holds the content of a Workload. A shared dependency that only this Workload needs must be equal; another one may
 * have params that only its other users need.
 */
export function holdsContent(
  set: SetContent,
  { id, module, shared }: ConvertedScore,
  isExclusive: (key: string) => boolean,
  expandType: (type: string) => string,
): boolean {
  return (
    sameJson(ownValue(set.modules, id), module) &&
    Object.entries(shared).every(([key, entry]) => {
      const known = ownValue(set.shared, key)
      if (known === undefined) return false
      if (isExclusive(key)) return sameShared(known, entry, expandType)
      return mergeShared(known, entry, expandType) !== undefined
    })
  )
}
