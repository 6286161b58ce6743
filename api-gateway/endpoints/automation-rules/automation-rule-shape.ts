import { type AutomationRule, longestPattern } from '../../../operator/api/automation-rule.ts'
import { boolean, list, object, oneOf, type Static, string, time } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { problemsOfRule } from '../../../operator/domain/image/automation-rule.ts'
import { snakeCase } from '../../request/wire.ts'
import { named } from '../../response/shapes.ts'
import { changedAt, changedAtField } from '../common/changed-at.ts'
import { createdAt } from '../common/find.ts'

type Spec = AutomationRule['spec']

const type = oneOf(['update'], 'What the rule does: `update` deploys new versions.')
const fields = {
  active: boolean('Whether the rule has an effect. True when absent.'),
  artefacts_filter: list(
    string('Name of an artefact.', { maxLength: 512 }),
    'Names of the artefacts that the rule is for. All when empty.',
    { maxItems: 1000 },
  ),
  exclude_artefacts_filter: boolean('Whether the rule is for all artefacts except those of the filter.'),
  match_ref: string(
    'Regular expression that the reference of a version must contain. Any reference when empty.',
    { maxLength: longestPattern },
  ),
  images_filter: list(
    string('ID of an image.', { maxLength: 512 }),
    'Deprecated: IDs of images, which are the last segments of the names of artefacts.',
    { maxItems: 1000 },
  ),
  exclude_images_filter: boolean(
    'Deprecated: whether the rule is for all images except those of the filter.',
  ),
  match: string('Deprecated: regular expression that the name of the branch or the tag must contain.', {
    maxLength: longestPattern,
  }),
}
const updateTo = 'Deprecated: whether the rule is for versions of a branch or of a tag.'

/** Request body for a rule. */
export const ruleRequestShape = object(
  { type },
  { ...fields, update_to: oneOf(['', 'branch', 'tag'], updateTo) },
  'A rule that deploys new versions of images.',
)

/** Rule in responses. */
export const ruleShape = named(
  'AutomationRule',
  object(
    {
      id: string('Unique identifier.', { maxLength: 253 }),
      type,
      ...fields,
      update_to: oneOf(['', 'branch', 'tag'], updateTo),
      created_at: time('Time when it was created.'),
      updated_at: changedAtField,
    },
    {},
    'A rule that deploys new versions of images.',
  ),
)

/** Returns the spec that a request describes. Throws Invalid if it cannot be used. */
export function ruleSpec(
  environment: Pick<Spec, 'applicationName' | 'environmentId'>,
  body: Static<typeof ruleRequestShape>,
): Spec {
  const spec = {
    ...environment,
    type: body.type,
    active: body.active,
    artefactsFilter: body.artefacts_filter,
    excludeArtefactsFilter: body.exclude_artefacts_filter,
    matchRef: body.match_ref,
    imagesFilter: body.images_filter,
    excludeImagesFilter: body.exclude_images_filter,
    match: body.match,
    updateTo: body.update_to || undefined,
  }
  const given = Object.entries(spec).filter(([, value]) => value !== undefined)
  const wanted = Object.fromEntries(given) as Spec // without the fields that are absent
  const problems = problemsOfRule(wanted, snakeCase)
  if (problems.length > 0) throw new Problem('Invalid', problems.join('; '))
  return wanted
}

/** Converts a rule for a response. */
export function toRule(rule: AutomationRule) {
  const { metadata, spec } = rule
  return {
    id: metadata.name,
    type: spec.type ?? 'update',
    active: spec.active ?? true,
    artefacts_filter: spec.artefactsFilter ?? [],
    exclude_artefacts_filter: spec.excludeArtefactsFilter ?? false,
    match_ref: spec.matchRef ?? '',
    images_filter: spec.imagesFilter ?? [],
    exclude_images_filter: spec.excludeImagesFilter ?? false,
    match: spec.match ?? '',
    update_to: spec.updateTo ?? '',
    created_at: createdAt(rule),
    updated_at: changedAt(rule),
  }
}
