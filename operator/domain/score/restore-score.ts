import type { FreeForm } from '../../api/schema.ts'
import { isObject, ownValue, sameJson } from '../base/json.ts'
import { moduleRoots, paramsRoots } from '../placeholder/link.ts'
import { findPlaceholders, mapTextsAndKeys } from '../placeholder/placeholder.ts'
import { formatTemplate } from '../placeholder/template.ts'
import { schemaProblems } from '../schema/user-schema.ts'
import { withoutAbsent } from './convert-container.ts'
import { type ConvertedScore, convertScore, defaultProfile } from './convert-score.ts'
import { extensionVersions } from './parse-score.ts'
import { fromInside } from './references.ts'
import { restoreContainer, restoreMembers } from './restore-container.ts'
import { objectsIn, partsOf, TextRestorer } from './restore-text.ts'
import { scoreFieldsSchema, scoreVersion } from './score-schema.ts'
import { escapeScoreText } from './score-text.ts'

const schema: FreeForm = { ...scoreFieldsSchema }

/** A module as a Score document, for display. */
export interface RestoredScore {
  readonly document: FreeForm
  /** What the document has no field for. */
  readonly extension?: FreeForm
  /** Dependencies, or their params, that Score cannot express. */
  readonly omitted: readonly string[]
}

/**
 * The Score document of a module, with an extension for the rest. Converting both gives the same module, except for what
 * is omitted and the ids of containers, which are their keys. Undefined for a module that Score cannot express, such as one without containers.
 */
export function restoreScore({ id, module, shared }: ConvertedScore): RestoredScore | undefined {
  try {
    const restored = restore({ id, module, shared })
    return isProven(restored, { id, module, shared }) ? restored : undefined
  } catch {
    return undefined // a malformed module
  }
}

function restore({ id, module, shared }: ConvertedScore): RestoredScore {
  const externals = objectsIn(module['externals'])
  const texts = new TextRestorer(externals, shared)
  const { containers, service, annotations, ...others } = isObject(module['spec']) ? module['spec'] : {}
  const restored = Object.entries(objectsIn(containers)).map(
    ([name, each]) => [name, restoreContainer(name, each, texts)] as const,
  )
  const rest = restored.filter(([, each]) => Object.keys(each.rest).length > 0)
  const ports = restorePorts(service)
  const metadata = { name: id, annotations: restoreAnnotations(annotations, texts) }
  const added = withoutAbsent({
    annotations: metadata.annotations ? undefined : annotations,
    containers:
      rest.length === 0 ? undefined : Object.fromEntries(rest.map(([name, each]) => [name, each.rest])),
    service: ports ? undefined : service,
    ...others,
  })
  const omitted = nameShared(module, texts)
  const resources = restoreParams(id, texts, externals, shared, omitted)
  for (const name of Object.keys(externals)) if (!texts.resources.has(name)) omitted.push(`externals.${name}`)
  const document = withoutAbsent({
    apiVersion: scoreVersion,
    metadata: withoutAbsent(metadata),
    service: ports && { ports },
    containers: Object.fromEntries(restored.map(([name, each]) => [name, each.container])),
    resources: Object.keys(resources).length === 0 ? undefined : resources,
  })
  const extension = restoreExtension(module, added)
  return { document, ...(extension ? { extension } : {}), omitted }
}

/** Gives all shared dependencies of the module a name; returns those that cannot have one. */
function nameShared(module: FreeForm, texts: TextRestorer): string[] {
  const paths = findPlaceholders(module, { keys: true, roots: moduleRoots }).map(({ path }) => path)
  const shared = new Set(paths.filter(([root]) => root === 'shared').map(([, key = '']) => key))
  return [...shared]
    .filter((key) => texts.nameOf(['shared', key]) === undefined)
    .map((key) => `shared.${key}`)
}

/** The resources of the document. Names those whose params Score cannot express in `omitted`. */
function restoreParams(
  id: string,
  texts: TextRestorer,
  externals: FreeForm,
  shared: Readonly<Record<string, FreeForm>>,
  omitted: string[],
): FreeForm {
  const resources: FreeForm = {}
  // Params can name further resources, which are visited too.
  for (const [name, entry] of texts.resources) {
    const key = texts.sharedKeyOf(name)
    const source = key === undefined ? ownValue(externals, name) : insideOf(id, ownValue(shared, key))
    const given = isObject(source) ? source['params'] : undefined
    const params = given === undefined ? undefined : texts.restoreAll(given)
    if (given !== undefined && params === undefined) omitted.push(`resources.${name}.params`)
    resources[name] = withoutAbsent({ ...entry, params })
  }
  return resources
}

/** The shared dependency with names of private ones as their own workload has them. */
function insideOf(id: string, entry: FreeForm | undefined): unknown {
  return mapTextsAndKeys(entry, (text) => {
    const parts = text.includes('$') ? partsOf(text) : undefined
    if (!parts || formatTemplate(parts, paramsRoots) !== text) return text
    return formatTemplate(
      parts.map((part) => (typeof part === 'string' ? part : { path: fromInside(id, part.path) })),
      paramsRoots,
    )
  })
}

/** Whether a Score document has such a field. */
function isField(field: FreeForm): boolean {
  return schemaProblems(schema, field).length === 0
}

function restoreAnnotations(annotations: unknown, texts: TextRestorer): unknown {
  const restored = annotations && texts.restoreAll(annotations)
  return isField({ metadata: { name: 'any', annotations: restored } }) ? restored : undefined
}

/** The ports of the document; undefined for a Service with more fields, or fewer, than a document gives it. */
function restorePorts(service: unknown): FreeForm | undefined {
  if (!isObject(service) || Object.keys(service).length > 1) return undefined
  const ports = restoreMembers(
    service['ports'],
    ({ service_port: port, protocol, container_port: targetPort, ...rest }) => {
      const isWhole = protocol !== undefined && targetPort !== undefined
      return isWhole && Object.keys(rest).length === 0 ? { port, protocol, targetPort } : undefined
    },
  )
  return ports && Object.keys(ports).length > 0 && isField({ service: { ports } }) ? ports : undefined
}

function restoreExtension(module: FreeForm, added: FreeForm): FreeForm | undefined {
  const { profile, deploy } = module
  const spec = Object.keys(added).length === 0 ? undefined : mapTextsAndKeys(added, escapeScoreText)
  const own = withoutAbsent({ profile: profile === defaultProfile ? undefined : profile, spec, deploy })
  return Object.keys(own).length === 0 ? undefined : { apiVersion: extensionVersions[0], ...own }
}

/** Whether the document says what the module says, except for what is omitted. */
function isProven({ document, extension, omitted }: RestoredScore, { id, module }: ConvertedScore): boolean {
  const again = convertScore({ document, ...(extension ? { extension } : {}) })
  const { externals = {}, ...rest } = module
  const { externals: restoredExternals, ...restored } = again.module
  const whole = { profile: defaultProfile, ...rest, spec: withContainerIds(rest['spec']) }
  const isSame = again.id === id && sameJson(restored, whole)
  return isSame && (omitted.length > 0 || sameJson(restoredExternals, externals))
}

function withContainerIds(spec: unknown = {}): unknown {
  if (!isObject(spec) || !isObject(spec['containers'])) return spec
  const containers = Object.entries(spec['containers']).map(([id, each]) => [
    id,
    isObject(each) ? { id, ...each } : each,
  ])
  return { ...spec, containers: Object.fromEntries(containers) }
}
