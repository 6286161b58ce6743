import type { KubeObject } from '../../api/kind.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { isObject, parseJson } from '../../domain/base/json.ts'
import type { Provisioned } from '../driver.ts'

/** Where the parts of pods go that a driver answers among its manifests: a value of this name. */
export const partsOutput = 'manifests'

const objectLocations = ['namespace', 'cluster']
/** Parts of a workload's pod: they are for the driver of the workload. */
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
 * What a driver made, by its answer: outputs, objects for the cluster, and parts of pods (containers, volumes), which
 * become the output `manifests`, a list of `{location, data}`. Stalled when the answer is not of that form.
 */
export function readOutputData(text: string, namespace: string): Provisioned {
  const answer = objectAt(parse(text), 'the answer')
  if (isTrap(answer, maxDepth))
    throw invalid(`the answer is nested more than ${maxDepth} deep, or has a field '__proto__'`)
  const resource = objectAt(answer.resource ?? {}, `'resource'`)
  const manifests = [
    ...manifestsAt(answer.manifests, 'manifests'),
    ...manifestsAt(resource.manifests, 'resource.manifests'),
  ]
  const values = objectAt(resource.values ?? {}, `'resource.values'`)
  const secrets = objectAt(resource.secrets ?? {}, `'resource.secrets'`)
  const parts = manifests.filter(({ location }) => !objectLocations.includes(location))
  if (parts.length > 0 && Object.hasOwn(values, partsOutput))
    throw invalid(`'resource.values' has '${partsOutput}', which is the place of the containers and volumes`)
  return {
    outputs: { values: parts.length > 0 ? { ...values, [partsOutput]: parts } : values, secrets },
    objects: manifests
      .filter(({ location }) => objectLocations.includes(location))
      .map((manifest) => placed(manifest, namespace)),
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') throw invalid('the answer has no body')
  const value = parseJson(text)
  if (value === undefined) throw invalid('the answer is not JSON')
  return value
}

/** Whether a value would be the undoing of whoever walks through it. */
function isTrap(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0 || Object.hasOwn(value, '__proto__')) return true
  return Object.values(value).some((each) => isTrap(each, levels - 1))
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

/** The object where it belongs: what names no namespace is for that of the environment, unless it is of none. */
function placed({ location, data }: Manifest, namespace: string): KubeObject {
  const object = data as unknown as KubeObject // by readManifest
  // Go writes the time of an object that was never created as null.
  const { creationTimestamp: _, ...metadata } = object.metadata
  const isPlaced = location === 'cluster' || (metadata.namespace ?? '') !== ''
  return { ...object, metadata: isPlaced ? metadata : { ...metadata, namespace } }
}

function objectAt(value: unknown, where: string): FreeForm {
  if (!isObject(value)) throw invalid(`${where} is not an object`)
  return value
}

function invalid(fault: string): Stalled {
  return new Stalled('InvalidAnswer', fault)
}
