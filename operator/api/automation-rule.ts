import { defineKind, fixedFields, type ObjectOf } from './kind.ts'
import { boolean, id, list, object, oneOf, string } from './schema.ts'

/** Maximum length of a regular expression of a rule. */
export const longestPattern = 1024

const names = (description: string) =>
  list(string('A name.', { maxLength: 512 }), description, { maxItems: 1000 })
const pattern = (description: string) => string(description, { maxLength: longestPattern })

export const AutomationRule = defineKind({
  kind: 'AutomationRule',
  plural: 'automationrules',
  shortName: 'qmrule',
  description:
    'Deploys new versions of container images to an environment that runs them. A rule applies to versions that are registered after its last change.',
  spec: object(
    {
      applicationName: id('Application of the environment. Immutable.'),
      environmentId: id('Id of the environment within the application. Immutable.'),
    },
    {
      active: boolean('Whether the rule has an effect. Defaults to true.'),
      type: oneOf(['update'], 'What the rule does: `update` deploys new versions. Defaults to `update`.'),
      artefactsFilter: names('Names of the artefacts that the rule is for. All when empty or absent.'),
      excludeArtefactsFilter: boolean(
        'Whether the rule is for all artefacts except those of the filter. Defaults to false.',
      ),
      matchRef: pattern(
        'Regular expression that the reference of a version must contain, such as `^refs/heads/main$`. Runs in linear time. Any reference when empty or absent.',
      ),
      imagesFilter: names(
        'Older form of `artefactsFilter`: names of artefacts, or the last segments of their names.',
      ),
      excludeImagesFilter: boolean('Older form of `excludeArtefactsFilter`.'),
      updateTo: oneOf(['branch', 'tag'], 'Older form of `matchRef`: only versions of a branch, or of a tag.'),
      match: pattern(
        'Older form of `matchRef`: regular expression that the name of the branch or the tag must contain.',
      ),
    },
    'Environment of the rule, and the versions that it deploys.',
  ),
  status: object(
    {},
    {
      active: boolean('Whether the rule has an effect: `active` of the spec, or its default.'),
      effectiveVersion: string(
        'Resource version of the last change. The rule applies to versions after it.',
        {
          maxLength: 63,
        },
      ),
    },
    'Observed state.',
  ),
  selectableFields: ['.spec.applicationName'],
  columns: [
    { name: 'Application', jsonPath: '.spec.applicationName' },
    { name: 'Environment', jsonPath: '.spec.environmentId' },
    { name: 'Active', jsonPath: '.status.active', type: 'boolean' },
    { name: 'Ref', jsonPath: '.spec.matchRef', priority: 1 },
  ],
  rules: [fixedFields('applicationName', 'environmentId')],
})
export type AutomationRule = ObjectOf<typeof AutomationRule>
