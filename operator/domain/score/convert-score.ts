import type { FreeForm } from '../../api/schema.ts'
import { isObject, ownValue, sameJson } from '../base/json.ts'
import { defaultClass } from '../resource/descriptor.ts'
import { sharedResourceId } from '../resource/identity.ts'
import { convertContainer, withoutAbsent } from './convert-container.ts'
import { withAnnotatedIds, withImage, withOverrides, withProperties } from './overrides.ts'
import { extensionVersions } from './parse-score.ts'
import { checkScore, type Locate, problemAt, scoreError } from './problems.ts'
import { environmentType, serviceType, sharedKey, TextConverter } from './references.ts'
import type { ScoreDocument, ScoreResource } from './score-schema.ts'

/** Profile of a module whose extension names none. */
export const defaultProfile = 'quartermaster/default-module'

/** A Score document and what changes it. */
export interface ScoreInput {
  readonly document: unknown
  /** Image of the containers with the image `.`, or of the only container. */
  readonly image?: string
  /** Merged into the document: maps are merged, other values replaced, null removes. */
  readonly overrides?: FreeForm
  /** Values by path, such as `containers.web.variables.LOG`. Null or an empty text removes. */
  readonly propertyOverrides?: FreeForm
  /** Resource types to use instead of those of the document. */
  readonly typeAliases?: Readonly<Record<string, string>>
  /** Extension document: profile, and what is merged under the spec of the module. */
  readonly extension?: FreeForm
  readonly locate?: Locate
  /** Name of the document in messages. */
  readonly what?: string
}

/** A workload of a Score document, as a deployment set holds it. */
export interface ConvertedScore {
  readonly id: string
  readonly module: FreeForm
  /** Shared dependencies that it needs, by key. */
  readonly shared: Readonly<Record<string, FreeForm>>
}

/** Converts a Score document to a module and its shared dependencies. Throws a Problem that lists what is wrong, and where. */
export function convertScore(input: ScoreInput): ConvertedScore {
  const { locate, what = 'the Score document', extension } = input
  const changed = withProperties(withOverrides(input.document, input.overrides), input.propertyOverrides)
  const document = withImage(checkScore(withAnnotatedIds(changed), what, locate), input.image)
  const texts = new TextConverter(document, locate)
  const { name } = document.metadata
  const { externals, shared } = convertResources(document, input.typeAliases ?? {}, texts)
  const spec = convertSpec(document, texts)
  const extended = extension ? extend(spec, extension, texts) : { spec }
  if (texts.problems.length > 0) throw scoreError(what, texts.problems)
  return { id: name, module: { profile: defaultProfile, ...extended, externals }, shared }
}

function convertSpec(document: ScoreDocument, texts: TextConverter): FreeForm {
  const { metadata, containers, service } = document
  const ports = Object.entries(service?.ports ?? {})
  return withoutAbsent({
    annotations: metadata.annotations && texts.convertAll(metadata.annotations, ['metadata', 'annotations']),
    containers: Object.fromEntries(
      Object.entries(containers).map(([name, each]) => [name, convertContainer(name, each, texts)]),
    ),
    // A module needs a port for its Service.
    service:
      ports.length > 0
        ? {
            ports: Object.fromEntries(
              ports.map(([name, { port, protocol = 'TCP', targetPort = port }]) => [
                name,
                { protocol, service_port: port, container_port: targetPort },
              ]),
            ),
          }
        : undefined,
  })
}

function convertResources(
  { resources = {} }: ScoreDocument,
  aliases: Readonly<Record<string, string>>,
  texts: TextConverter,
): { externals: FreeForm; shared: Record<string, FreeForm> } {
  const externals: [string, FreeForm][] = []
  const shared = new Map<string, FreeForm>()
  for (const [name, resource] of Object.entries(resources)) {
    const { type, class: resourceClass, id } = resource
    if (type === environmentType || type === serviceType) continue
    const entry = convertResource(name, resource, aliases, texts)
    if (id === undefined) {
      externals.push([name, entry])
      continue
    }
    const key = sharedKey(id, resourceClass)
    const wanted = key === id ? entry : { ...entry, id: sharedResourceId(id) }
    const merged = mergeShared(shared.get(key), wanted)
    if (!merged) texts.report(['resources', name], `differs from another resource with the id '${id}'`)
    shared.set(key, merged ?? wanted)
  }
  return { externals: Object.fromEntries(externals), shared: Object.fromEntries(shared) }
}

function convertResource(
  name: string,
  { type, class: resourceClass, id, params }: ScoreResource,
  aliases: Readonly<Record<string, string>>,
  texts: TextConverter,
): FreeForm {
  return withoutAbsent({
    type: ownValue(aliases, type) ?? type,
    class: resourceClass,
    params:
      params &&
      texts.convertMap(params, ['resources', name, 'params'], id === undefined ? 'score' : 'shared'),
  })
}

/**
 * One entry for two requests of a shared dependency; undefined when they differ. Absent and empty params agree with any, and
 * types agree that `expandType` expands to the same one. The result has the known type.
 */
export function mergeShared(
  known: FreeForm | undefined,
  wanted: FreeForm,
  expandType: (type: string) => string = (type) => type,
): FreeForm | undefined {
  if (!known) return wanted
  const typeOf = ({ type }: FreeForm) => (typeof type === 'string' ? expandType(type) : type)
  const isSame = (field: string, fallback?: string) =>
    sameJson(known[field] ?? fallback, wanted[field] ?? fallback)
  if (!sameJson(typeOf(known), typeOf(wanted)) || !isSame('class', defaultClass) || !isSame('id'))
    return undefined
  const hasNone = sameJson(known['params'] ?? {}, {})
  if (hasNone) return { ...known, ...wanted, type: known['type'] }
  return hasParams(known, wanted) ? known : undefined
}

/** Whether two entries request the same shared dependency; absent entries are the same. */
export function sameShared(
  one: FreeForm | undefined,
  other: FreeForm | undefined,
  expandType: (type: string) => string,
): boolean {
  if (!one || !other) return one === other
  const complete = ({ type, ...rest }: FreeForm) => ({
    class: defaultClass,
    params: {},
    ...rest,
    type: typeof type === 'string' ? expandType(type) : type,
  })
  return sameJson(complete(one), complete(other))
}

/** Whether an entry has the params that another one wants. Absent and empty params want none. */
export function hasParams({ params = {} }: FreeForm, { params: wanted = {} }: FreeForm): boolean {
  return sameJson(wanted, {}) || sameJson(params, wanted)
}

/** The parts of a module that an extension changes. Values of the Score document win. */
function extend(spec: FreeForm, extension: FreeForm, texts: TextConverter): FreeForm {
  const { apiVersion, profile, spec: added, deploy, ...unknown } = extension
  const report = (path: readonly string[], message: string) =>
    texts.problems.push(problemAt(['extension', ...path], message))
  for (const key of Object.keys(unknown)) report([key], 'is not a field of an extension')
  if (apiVersion !== undefined && !extensionVersions.includes(String(apiVersion)))
    report(['apiVersion'], `must be one of ${extensionVersions.map((each) => `'${each}'`).join(', ')}`)
  if (profile !== undefined && typeof profile !== 'string') report(['profile'], 'must be a text')
  if (added !== undefined && !isObject(added)) report(['spec'], 'must be an object')
  if (deploy !== undefined && !isObject(deploy)) report(['deploy'], 'must be an object')
  const converted = isObject(added) ? texts.convertMap(added, ['extension', 'spec'], 'extension') : {}
  return withoutAbsent({ profile: profile || undefined, spec: mergeUnder(converted, spec), deploy })
}

/** The map with `added` below it: maps are merged, and other values of `map` win. */
function mergeUnder(added: FreeForm, map: FreeForm): FreeForm {
  const entries = Object.entries(map).map(([key, value]): [string, unknown] => {
    const below = ownValue(added, key)
    return [key, isObject(value) && isObject(below) ? mergeUnder(below, value) : value]
  })
  return Object.fromEntries([...Object.entries(added), ...entries])
}
