import { defineKind, type ObjectOf } from './kind.ts'
import { boolean, freeForm, list, object, oneOf, string } from './schema.ts'

/** Maximum length of a reference such as `refs/heads/main`, which patterns of rules are applied to. */
export const longestRef = 255

export const artefactTypes = ['container', 'workload'] as const

/** What became of a version in an environment whose automation rules it fits. */
export const automationOutcomes = [
  'Deployed',
  'Unchanged',
  'OwnedByWorkload',
  'Superseded',
  'RuleInactive',
  'Archived',
  'EnvironmentGone',
] as const

const fixedFields = ['type', 'artefactName', 'version', 'ref', 'commit', 'digest', 'workload']
const isFixed = (field: string) =>
  `has(self.spec.${field}) == has(oldSelf.spec.${field}) && (!has(self.spec.${field}) || self.spec.${field} == oldSelf.spec.${field})`

export const ArtefactVersion = defineKind({
  kind: 'ArtefactVersion',
  plural: 'artefactversions',
  shortName: 'qmartefact',
  inCategory: false,
  description:
    'A version of an artefact, such as a container image that a build has pushed. Automation rules deploy it. Versions of the same type and name are one artefact.',
  spec: object(
    {
      type: oneOf(
        artefactTypes,
        '`container` for an image, `workload` for a specification of a workload. Rules deploy containers.',
      ),
      artefactName: string(
        'Name of the artefact: for a container, the image without tag and digest, such as `registry.example.com/shop/web`.',
        { minLength: 1, maxLength: 512, pattern: '^\\S+$' },
      ),
    },
    {
      version: string('Version, which is the tag of an image.', { maxLength: 128, pattern: '^\\S*$' }),
      ref: string('Reference that the version was built from, such as `refs/heads/main`.', {
        maxLength: longestRef,
      }),
      commit: string('Commit that the version was built from.', { pattern: '^([0-9a-f]{5,64})?$' }),
      digest: string('Digest of an image, such as `sha256:<hex>`.', {
        maxLength: 255,
        pattern: '^([A-Za-z0-9_+.-]+:[A-Za-z0-9=_-]+)?$',
      }),
      workload: freeForm(
        'For type `workload`: the Score document `spec`, and `image`, `overrides` and `extensions` as they were registered.',
      ),
      archived: boolean(
        'Whether the version is archived. Lists omit archived versions, and no rule deploys them. Defaults to false.',
      ),
    },
    'The artefact and what distinguishes the version. Only `archived` can be changed.',
  ),
  status: object(
    {},
    {
      createdVersion: string(
        'Resource version at which the operator first saw the version; orders versions.',
        {
          maxLength: 63,
        },
      ),
      environments: list(
        object(
          {
            environmentName: string('Environment, in the form `<application>.<environment>`.', {
              maxLength: 253,
            }),
            ruleNames: list(
              string('Name of an AutomationRule.', { maxLength: 253 }),
              'Rules that the version fits.',
            ),
          },
          {
            ruleUids: list(
              string('UID of a rule.', { maxLength: 64 }),
              'UIDs of these rules; a later rule of the same name has another UID.',
            ),
            outcome: oneOf(
              automationOutcomes,
              '`Deployed`, or why not: no container has another version of the image (`Unchanged`), only modules of Workloads have one (`OwnedByWorkload`), a newer version came (`Superseded`), or the rules, the version or the environment changed first. Absent until it is decided.',
            ),
            deploymentName: string('EnvironmentDeployment that deploys the version.', { maxLength: 253 }),
            message: string(
              'What to do about modules of Workloads that have another version of the image, which are left out: the Workloads to change.',
              { maxLength: 2048 },
            ),
          },
          'An environment with rules that the version fits.',
        ),
        'Environments whose rules the version fits, decided when it is registered.',
        { key: 'environmentName' },
      ),
    },
    'Observed state.',
  ),
  columns: [
    { name: 'Artefact', jsonPath: '.spec.artefactName' },
    { name: 'Version', jsonPath: '.spec.version' },
    { name: 'Ref', jsonPath: '.spec.ref' },
    { name: 'Commit', jsonPath: '.spec.commit', priority: 1 },
    { name: 'Archived', jsonPath: '.spec.archived', type: 'boolean', priority: 1 },
  ],
  rules: [
    {
      rule: fixedFields.map(isFixed).join(' && '),
      message: 'only archived can be changed',
    },
    {
      rule: "self.spec.type == 'workload' || !has(self.spec.workload)",
      message: 'only a version of type workload can have a workload',
    },
  ],
})
export type ArtefactVersion = ObjectOf<typeof ArtefactVersion>
