import { defineKind, type ObjectOf } from './kind.ts'
import { freeForm, id, map, object } from './schema.ts'

export const DeploymentSet = defineKind({
  kind: 'DeploymentSet',
  plural: 'deploymentsets',
  shortName: 'qmset',
  inCategory: false,
  description:
    'All workloads and shared dependencies of a deployment. The object name is `<application>.<hash of the content>`. Immutable.',
  spec: object(
    {
      applicationName: id('Application of the set.'),
      modules: map(freeForm('A module: `profile`, `spec` and `externals`.'), 'Workloads by id.'),
      shared: map(
        freeForm('A dependency: `type` and optionally `class`, `id` and `params`.'),
        'Shared dependencies by id.',
      ),
    },
    {},
    'Content of the set.',
  ),
  selectableFields: ['.spec.applicationName'],
  columns: [{ name: 'Application', jsonPath: '.spec.applicationName' }],
  rules: [{ rule: 'self.spec == oldSelf.spec', message: 'a deployment set cannot be changed' }],
})
export type DeploymentSet = ObjectOf<typeof DeploymentSet>
