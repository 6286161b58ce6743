import type { KubeObject } from '../../api/kind.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { isObject } from '../../domain/base/json.ts'
import { partLocations } from '../../domain/rendering/pod-parts.ts'
import { objectKey } from '../object-key.ts'

/** An object of a manifest, with the manifest's name in templates. */
export interface Made {
  readonly manifest: string
  readonly object: KubeObject
}

/** A part of pods of a manifest. */
export interface Part {
  readonly manifest: string
  readonly location: string
  readonly data: FreeForm
}

const most = 100
const locations = ['namespace', 'cluster', ...partLocations]

/** The objects of rendered manifests, in order; an empty manifest has none. */
export function objectsOf(manifests: unknown, namespace: string): Made[] {
  const made = entriesOf(manifests).flatMap(([manifest, entry]) =>
    (isPart(entry) ? [] : documentsOf(manifest, entry)).map((document) => ({
      manifest,
      object: objectOf(
        manifest,
        document,
        isObject(entry) && entry.location === 'cluster' ? undefined : namespace,
      ),
    })),
  )
  if (made.length > most)
    throw new Stalled(
      'InvalidManifest',
      `the manifests make ${made.length} objects; at most ${most} are allowed`,
    )
  refuseTwins(made)
  return made
}

/** The parts of pods among the manifests: containers and volumes of the workloads that use the resource. */
export function podPartsIn(manifests: unknown): Part[] {
  return entriesOf(manifests).flatMap(([manifest, entry]) =>
    (isPart(entry) ? documentsOf(manifest, entry) : []).map((data) => {
      if (!isObject(data)) throw invalid(manifest, 'is no object')
      return { manifest, location: String((entry as FreeForm).location), data } // `isPart` read it
    }),
  )
}

function isPart(entry: unknown): boolean {
  return isObject(entry) && partLocations.includes(String(entry.location))
}

function entriesOf(manifests: unknown): [name: string, entry: unknown][] {
  if (manifests === undefined || manifests === null) return []
  if (typeof manifests !== 'object')
    throw new Stalled('InvalidManifest', "the template 'manifests' must give a map of manifests")
  return Object.entries(manifests)
}

function documentsOf(manifest: string, entry: unknown): unknown[] {
  if (entry === null || entry === undefined) return []
  if (!isObject(entry)) throw invalid(manifest, 'must be a map')
  const { location = 'namespace', data } = entry
  if (!locations.includes(String(location)))
    throw invalid(
      manifest,
      `has the location '${String(location)}', which is none of ${locations.join(', ')}`,
    )
  if (!('data' in entry) && typeof entry.kind === 'string') return [entry]
  const documents = Array.isArray(data) ? data : [data]
  return documents.filter((each) => each !== null && each !== undefined && each !== '')
}

function objectOf(manifest: string, document: unknown, namespace: string | undefined): KubeObject {
  if (!isObject(document)) throw invalid(manifest, 'is no object')
  const { apiVersion, kind, metadata } = document
  if (typeof apiVersion !== 'string' || apiVersion === '') throw invalid(manifest, "has no 'apiVersion'")
  if (typeof kind !== 'string' || kind === '') throw invalid(manifest, "has no 'kind'")
  if (!isObject(metadata)) throw invalid(manifest, "has no 'metadata.name'")
  const { name } = metadata
  if (typeof name !== 'string' || name === '') throw invalid(manifest, "has no 'metadata.name'")
  const place = metadata.namespace === '' ? namespace : (metadata.namespace ?? namespace)
  if (place !== undefined && typeof place !== 'string')
    throw invalid(manifest, "has a 'metadata.namespace' that is no text")
  return {
    ...document,
    ...textMembers(document, textFields[kind] ?? []),
    apiVersion,
    kind,
    metadata: {
      ...metadata,
      ...textMembers(metadata, ['labels', 'annotations']),
      name,
      namespace: place,
    },
  }
}

const textFields: Readonly<Record<string, readonly string[]>> = {
  Secret: ['stringData'],
  ConfigMap: ['data'],
}

/** Maps of texts, where templates often leave numbers. */
function textMembers(holder: FreeForm, fields: readonly string[]): FreeForm {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const members = holder[field]
      if (!isObject(members)) return []
      const texts = Object.entries(members).map(([key, value]) => {
        return [key, typeof value === 'number' || typeof value === 'boolean' ? String(value) : value]
      })
      return [[field, Object.fromEntries(texts)]]
    }),
  )
}

function refuseTwins(made: readonly Made[]): void {
  const seen = new Map<string, string>()
  for (const { manifest, object } of made) {
    const { kind, metadata } = object
    const key = objectKey(object)
    const other = seen.get(key)
    if (other !== undefined)
      throw invalid(manifest, `makes the ${kind} '${metadata.name}' that '${other}' makes too`)
    seen.set(key, manifest)
  }
}

function invalid(manifest: string, what: string): Stalled {
  return new Stalled('InvalidManifest', `manifest '${manifest}' ${what}`)
}
