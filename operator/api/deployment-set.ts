import { defineKind, type ObjectOf } from './kind.ts'
import { freeForm, id, map, object } from './schema.ts'

export const DeploymentSet = defineKind({
  kind: 'DeploymentSet',
  plural: 'deploymentsets',
  shortName: 'qmset',
  inCategory: false,
  description:
    'All workloads and shared dependencies of a deployment, named `<application>.<hash of the content>`. Cannot be changed.',
  spec: object(
    {
      applicationName: id('Application that the set is of.'),
      modules: map(freeForm('A module: `profile`, `spec` and `externals`.'), 'Workloads by id.'),
      shared: map(
        freeForm('A dependency: `type`, and optionally `class`, `id`, `params`.'),
        'Shared dependencies by id.',
      ),
    },
    {},
    'The content.',
  ),
  columns: [{ name: 'Application', jsonPath: '.spec.applicationName' }],
  rules: [{ rule: 'self.spec == oldSelf.spec', message: 'a deployment set cannot be changed' }],
})
export type DeploymentSet = ObjectOf<typeof DeploymentSet>
