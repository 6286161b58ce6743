import { hash } from 'node:crypto'
import type { ArtefactVersion } from '../../api/artefact-version.ts'
import { canonicalJson } from '../base/json.ts'
import { formatImage } from './image-reference.ts'

type VersionSpec = ArtefactVersion['spec']

/** A UUID of version 8 (RFC 9562), from a hash of the parts. */
function uuidOf(...parts: readonly string[]): string {
  const hex = hash('sha256', JSON.stringify(parts))
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Id of an artefact: the same for all its versions. */
export function artefactId({ type, artefactName }: Pick<VersionSpec, 'type' | 'artefactName'>): string {
  return uuidOf('artefact', type, artefactName)
}

/** Id of a version that is registered over REST: the same for the same content, so that a repeated request adds nothing. */
export function artefactVersionId({ archived: _, ...content }: VersionSpec): string {
  return uuidOf('version', canonicalJson(content))
}

/** The image of a version of type `container`. */
export function imageOf({ artefactName, version, digest }: VersionSpec): string {
  return formatImage({
    name: artefactName.replace(/^https?:\/\//, ''),
    ...(version ? { tag: version } : {}),
    ...(digest ? { digest } : {}),
  })
}

/** Whether a version is the one of a reference: `name`, `name:version`, `name@digest` or `name:version@digest`. */
export function isReferredBy(spec: VersionSpec, reference: string): boolean {
  const { artefactName: name, version = '', digest = '' } = spec
  const known = [
    formatImage({ name, tag: version }),
    formatImage({ name, digest }),
    formatImage({ name, tag: version, digest }),
  ]
  return known.includes(reference)
}
