import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { isObject, ownValue } from '../base/json.ts'
import { formatPath } from '../placeholder/template.ts'
import { sharedIdOf } from '../resource/identity.ts'
import type { ScoreDocument } from './score-schema.ts'
import { pathSteps } from './score-text.ts'

const maxDepth = 200

/** The document with overrides merged into it: maps are merged, other values replaced, null removes. */
export function withOverrides(document: unknown, overrides: FreeForm | undefined, depth = 0): unknown {
  if (!overrides) return document
  if (depth > maxDepth) throw new Problem('Invalid', `the overrides are nested more than ${maxDepth} deep`)
  const base = isObject(document) ? document : {}
  const entries = Object.entries(overrides).flatMap(([key, value]): [string, unknown][] => {
    if (value === null) return []
    return [[key, isObject(value) ? withOverrides(ownValue(base, key), value, depth + 1) : value]]
  })
  const kept = Object.entries(base).filter(([key]) => !Object.hasOwn(overrides, key))
  return Object.fromEntries([...kept, ...entries])
}

/** The annotation by which Score files named a shared resource, `shared.<id>`, before resources had an `id`. */
const idAnnotation = 'score.humanitec.io/resId'

/** The document with the ids of shared resources that annotations name. An `id` takes precedence. */
export function withAnnotatedIds(document: unknown): unknown {
  if (!isObject(document) || !isObject(document['resources'])) return document
  const resources = Object.entries(document['resources']).map(([name, each]) => [name, withAnnotatedId(each)])
  return { ...document, resources: Object.fromEntries(resources) }
}

function withAnnotatedId(resource: unknown): unknown {
  if (!isObject(resource) || resource['id'] !== undefined) return resource
  const { metadata } = resource
  const { annotations } = isObject(metadata) ? metadata : {}
  const named = isObject(annotations) ? ownValue(annotations, idAnnotation) : undefined
  const id = typeof named === 'string' ? sharedIdOf(named) : undefined
  return id === undefined ? resource : { ...resource, id }
}

/** The document with values set by path. Null or an empty text removes. Throws a Problem for a path that cannot exist. */
export function withProperties(document: unknown, properties: FreeForm | undefined): unknown {
  return Object.entries(properties ?? {}).reduce(
    (changed, [path, value]) => setAt(changed, pathSteps(path), value === '' ? null : value, []),
    document,
  )
}

function setAt(
  holder: unknown,
  [step, ...rest]: readonly string[],
  value: unknown,
  above: readonly string[],
): unknown {
  if (step === undefined) return value
  if (step === '' || above.length > maxDepth)
    throw new Problem('Invalid', `the path '${formatPath([...above, step])}' of an override is not valid`)
  const here = [...above, step]
  if (Array.isArray(holder)) return setItem(holder, step, rest, value, here)
  if (holder !== undefined && !isObject(holder))
    throw new Problem('Invalid', `the override '${formatPath(here)}' is inside a value that is no object`)
  const map = holder ?? {}
  const next = rest.length === 0 ? value : setAt(ownValue(map, step), rest, value, here)
  const kept = Object.entries(map).filter(([key]) => key !== step)
  return Object.fromEntries(next === null ? kept : [...kept, [step, next]])
}

/** The list with one item changed; `-1` and its length append. */
function setItem(
  list: readonly unknown[],
  step: string,
  rest: readonly string[],
  value: unknown,
  here: readonly string[],
): unknown[] {
  const index = step === '-1' ? list.length : /^\d{1,6}$/.test(step) ? Number(step) : Number.NaN
  if (!(index <= list.length))
    throw new Problem(
      'Invalid',
      `the override '${formatPath(here)}' names no item: the list has ${list.length}`,
    )
  const next = rest.length === 0 ? value : setAt(list[index], rest, value, here)
  return next === null ? list.toSpliced(index, 1) : list.toSpliced(index, 1, next)
}

/**
 * The document with this image in each container whose image is `.`, or else in its only container. Throws a Problem when
 * that does not say which container is meant.
 */
export function withImage(document: ScoreDocument, image: string | undefined): ScoreDocument {
  if (image === undefined || image === '') return document
  const all = Object.entries(document.containers)
  const open = all.filter(([, container]) => container.image === '.')
  const changed = open.length > 0 ? open : all
  if (open.length === 0 && all.length > 1)
    throw new Problem(
      'Invalid',
      `the image '${image}' is for no container: with several containers, write '.' as the image of those that use it`,
    )
  const images = changed.map(([name, container]) => [name, { ...container, image }] as const)
  return { ...document, containers: { ...document.containers, ...Object.fromEntries(images) } }
}
