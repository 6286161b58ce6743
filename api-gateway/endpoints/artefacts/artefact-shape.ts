import { type ArtefactVersion, artefactTypes, longestRef } from '../../../operator/api/artefact-version.ts'
import { annotations } from '../../../operator/api/names.ts'
import {
  boolean,
  type FreeForm,
  freeForm,
  object,
  oneOf,
  type Static,
  string,
  time,
} from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { compareText, isObject } from '../../../operator/domain/base/json.ts'
import { artefactId, imageOf } from '../../../operator/domain/image/artefact.ts'
import { isImageReference } from '../../../operator/domain/module/image-reference.ts'
import { named } from '../../response/shapes.ts'
import { changedAt, changedAtField } from '../common/changed-at.ts'
import { createdAt, createdBy, refuseTooLarge } from '../common/find.ts'
import { convertRequests, type ScoreRequest, scoreChanges } from '../score/score-shape.ts'

type Spec = ArtefactVersion['spec']

const type = oneOf(artefactTypes, '`container` for an image, `workload` for a Score document.')
const name = string(
  'Name of the artefact: for a container, the image without tag and digest, for example `registry.example.com/shop/web`.',
  { minLength: 1, maxLength: 512, pattern: '^\\S+$' },
)
const version = string('Version, which is the tag of an image.', { maxLength: 128, pattern: '^\\S*$' })
const ref = string('Reference that the version was built from, for example `refs/heads/main`.', {
  maxLength: longestRef,
})
const commit = string('Commit that the version was built from.', { pattern: '^([0-9a-f]{5,64})?$' })
const digest = string('Digest of an image, for example `sha256:<hex>`.', {
  maxLength: 255,
  pattern: '^([A-Za-z0-9_+.-]+:[A-Za-z0-9=_-]+)?$',
})

const workloadFields = {
  spec: freeForm('A Score document (score.dev/v1b1). Required for type `workload`.'),
  ...scoreChanges,
}

/** Request body for a new version. */
export const newVersionShape = object(
  { type, name },
  { version, ref, commit, digest, ...workloadFields },
  'A version of an artefact.',
)

/** Request body for a change of a version. */
export const versionChangesShape = object(
  { archived: boolean('Whether the version is archived.') },
  {},
  'Fields to change.',
)

const recordFields = {
  created_at: time('Time when it was registered.'),
  created_by: string(
    'ID of the user who registered it through the REST API. Empty if it was registered in another way.',
  ),
  updated_at: changedAtField,
  updated_by: string('ID of the user who made that change, or who registered it.'),
}

/** Version in responses. */
export const versionShape = named(
  'ArtefactVersion',
  object(
    {
      type,
      id: string('Unique identifier.', { maxLength: 253 }),
      artefact_id: string('ID of the artefact.', { maxLength: 36 }),
      name,
      archived: boolean('Whether the version is archived.'),
      ...recordFields,
    },
    { version, ref, commit, digest },
    'A version of an artefact. A version of type `container` has `ref`, `commit` and `digest`, which may be empty.',
  ),
)

/** Artefact in responses. */
export const artefactShape = named(
  'Artefact',
  object(
    { id: string('Unique identifier.', { maxLength: 36 }), name, type, ...recordFields },
    {},
    'An artefact: all versions of the same type and name.',
  ),
)

/** Returns the content of a new version. Throws Invalid if it breaks a rule. */
export function newVersionSpec(body: Static<typeof newVersionShape>, isGit: boolean): Spec {
  const { type, name: artefactName, version, ref, commit, digest, ...rest } = body
  if (isGit && ref && !ref.startsWith('refs/'))
    throw new Problem('Invalid', `'ref' must begin with 'refs/', as in 'refs/heads/main'; it is '${ref}'`)
  const optional = Object.entries({ version, ref, commit, digest }).filter(([, value]) => value)
  const content: Spec = { type, artefactName, ...Object.fromEntries(optional) }
  if (type === 'container') {
    const image = imageOf(content)
    if (isImageReference(image)) return content
    throw new Problem(
      'Invalid',
      `'${image}' is not a reference to an image; it is made of name, version and digest`,
    )
  }
  if (rest.spec === undefined) throw new Problem('Invalid', "a version of type 'workload' requires 'spec'")
  convertRequests([rest]) // throws for a document that cannot be converted
  const parts = Object.keys(workloadFields).flatMap((field) => {
    const value = (rest as Record<string, unknown>)[field] // a field of the body
    return value === undefined ? [] : [[field, value]]
  })
  const workload = { ...content, workload: Object.fromEntries(parts) }
  refuseTooLarge(workload, `version '${version ?? ''}' of artefact '${artefactName}'`)
  return workload
}

/** The Score document of a version with its changes. Throws Invalid for a version of another type. */
export function scoreOf({ metadata, spec }: ArtefactVersion): ScoreRequest & { readonly spec: FreeForm } {
  const { type, workload } = spec
  if (isObject(workload?.['spec'])) return { ...workload, spec: workload['spec'] }
  throw new Problem('Invalid', `version '${metadata.name}' of type '${type}' has no Score document`)
}

function recordOf(version: ArtefactVersion) {
  const marks = version.metadata.annotations ?? {}
  return {
    created_at: createdAt(version),
    created_by: createdBy(version),
    updated_at: changedAt(version),
    updated_by: marks[annotations.lastModifiedBy] ?? createdBy(version),
  }
}

/** Converts a version for a response. */
export function toVersion(object: ArtefactVersion) {
  const { type, artefactName, version, ref, commit, digest, archived = false } = object.spec
  const isContainer = type === 'container'
  return {
    type,
    id: object.metadata.name,
    artefact_id: artefactId(object.spec),
    name: artefactName,
    archived,
    ...recordOf(object),
    version,
    ref: isContainer ? (ref ?? '') : ref,
    commit: isContainer ? (commit ?? '') : commit,
    digest: isContainer ? (digest ?? '') : undefined,
  }
}

/** Converts the versions of one artefact to the artefact. */
export function toArtefact([first, ...others]: readonly [ArtefactVersion, ...ArtefactVersion[]]) {
  const records = [first, ...others].map(recordOf)
  const oldest = records.toSorted((left, right) => compareText(left.created_at, right.created_at))[0]
  const latest = records.toSorted((left, right) => compareText(right.updated_at, left.updated_at))[0]
  return {
    id: artefactId(first.spec),
    name: first.spec.artefactName,
    type: first.spec.type,
    created_at: oldest?.created_at,
    created_by: oldest?.created_by,
    updated_at: latest?.updated_at,
    updated_by: latest?.updated_by,
  }
}
