import type { KubeObject } from '../../api/kind.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { isObject, parseJson, pathOfChangedInteger, sameJson } from '../../domain/base/json.ts'
import { partsOutput } from '../../domain/rendering/pod-parts.ts'
import type { Provisioned } from '../driver.ts'
import { objectKey } from '../object-key.ts'

const objectLocations = ['namespace', 'cluster']
/** Locations in a workload's pod, which the workload driver handles. */
const partLocations: Readonly<Record<string, string>> = {
  container: 'containers',
  containers: 'containers',
  volume: 'volumes',
  volumes: 'volumes',
}

const maxDepth = 64

interface Manifest {
  readonly location: string
  readonly data: FreeForm
}

/**
 * Reads the response of a driver: outputs, objects for the cluster, and parts of pods (containers, volumes), which become
 * the output `manifests`, a list of `{location, data}`. Stalled when the response has another form.
 */
export function readOutputData(text: string, namespace: string): Provisioned {
  const answer = objectAt(parse(text), 'the answer')
  if (isUnsafe(answer, maxDepth))
    throw invalid(`the answer is nested more than ${maxDepth} deep, or has a field '__proto__'`)
  refuseChangedIntegers(text)
  const resource = objectAt(answer.resource ?? {}, `'resource'`)
  const manifests = [
    ...manifestsAt(answer.manifests, 'manifests'),
    ...manifestsAt(resource.manifests, 'resource.manifests'),
  ]
  const values = objectAt(resource.values ?? {}, `'resource.values'`)
  const secrets = objectAt(resource.secrets ?? {}, `'resource.secrets'`)
  const misplaced = misplacedOutputs(answer, resource)
  if (misplaced !== undefined)
    throw invalid(
      `'${misplaced}' is not read: the outputs belong into 'resource.values' and 'resource.secrets'`,
    )
  const parts = manifests.filter(({ location }) => !objectLocations.includes(location))
  if (parts.length > 0 && Object.hasOwn(values, partsOutput))
    throw invalid(`'resource.values' has '${partsOutput}', which is the place of the containers and volumes`)
  return {
    outputs: { values: parts.length > 0 ? { ...values, [partsOutput]: parts } : values, secrets },
    objects: once(
      manifests
        .filter(({ location }) => objectLocations.includes(location))
        .map((manifest) => placed(manifest, namespace)),
    ),
  }
}

/** Where an answer has outputs that nothing reads, and none where they belong: the resource would be ready without them. */
export function misplacedOutputs(answer: FreeForm, resource: FreeForm): string | undefined {
  if (isPresent(resource.values) || isPresent(resource.secrets)) return undefined
  const places = {
    values: answer.values,
    secrets: answer.secrets,
    outputs: answer.outputs,
    'resource.outputs': resource.outputs,
  }
  const isGiven = (value: unknown) => isObject(value) && Object.keys(value).length > 0
  return Object.entries(places).find(([, value]) => isGiven(value))?.[0]
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** The objects, each once; of two manifests of one object, each would undo the other. */
function once(objects: readonly KubeObject[]): KubeObject[] {
  const byKey = new Map<string, KubeObject>()
  for (const each of objects) {
    const { kind, metadata } = each
    if (!sameJson(byKey.get(objectKey(each)) ?? each, each))
      throw invalid(`two manifests make the ${kind} '${metadata.name}', with different content`)
    byKey.set(objectKey(each), each)
  }
  return [...byKey.values()]
}

function parse(text: string): unknown {
  if (text.trim() === '') throw invalid('the answer has no body')
  const value = parseJson(text)
  if (value === undefined) throw invalid('the answer is not JSON')
  return value
}

/** Throws for an integer that JavaScript would change. */
function refuseChangedIntegers(text: string): void {
  const path = pathOfChangedInteger(text)
  if (path === undefined) return
  const where = `the integer in '${path.join('.')}'`
  throw invalid(`${where} has too many digits: up to 15 are always exact; give it as text`)
}

/** Whether a value is nested too deeply or has a `__proto__` key. */
function isUnsafe(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0 || Object.hasOwn(value, '__proto__')) return true
  return Object.values(value).some((each) => isUnsafe(each, levels - 1))
}

function manifestsAt(value: unknown, path: string): Manifest[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw invalid(`'${path}' is not a list`)
  return value.map((each, i) => readManifest(objectAt(each, `'${path}[${i}]'`), `${path}[${i}]`))
}

function readManifest(fields: FreeForm, path: string): Manifest {
  const { location = 'namespace' } = fields
  const known = typeof location === 'string' ? location.toLowerCase() || 'namespace' : ''
  const data = objectAt(fields.data ?? fields.manifest, `'${path}.data'`)
  const part = Object.hasOwn(partLocations, known) ? partLocations[known] : undefined
  if (part !== undefined) return { location: part, data }
  if (!objectLocations.includes(known))
    throw invalid(
      `'${path}.location' is none of ${[...objectLocations, 'containers', 'volumes'].map((each) => `'${each}'`).join(', ')}`,
    )
  const metadata = objectAt(data.metadata, `'${path}.data.metadata'`)
  const texts = { apiVersion: data.apiVersion, kind: data.kind, 'metadata.name': metadata.name }
  for (const [name, text] of Object.entries(texts))
    if (typeof text !== 'string' || text === '') throw invalid(`'${path}.data.${name}' is missing`)
  if (metadata.namespace !== undefined && typeof metadata.namespace !== 'string')
    throw invalid(`'${path}.data.metadata.namespace' is not a text`)
  return { location: known, data }
}

/** The object, in the namespace of the environment unless it names one or is cluster-scoped. */
function placed({ location, data }: Manifest, namespace: string): KubeObject {
  const object = data as unknown as KubeObject // readManifest checked it
  // Go writes the creation time of a new object as null.
  const { creationTimestamp: _, ...metadata } = object.metadata
  const isPlaced = location === 'cluster' || (metadata.namespace ?? '') !== ''
  return { ...object, metadata: isPlaced ? metadata : { ...metadata, namespace } }
}

function objectAt(value: unknown, where: string): FreeForm {
  if (!isObject(value)) throw invalid(`${where} is not an object`)
  return value
}

function invalid(message: string): Stalled {
  return new Stalled('InvalidAnswer', message)
}
