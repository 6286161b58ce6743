import { defineKind, type ObjectOf } from './kind.ts'
import { id, object, string } from './schema.ts'

export const Environment = defineKind({
  kind: 'Environment',
  plural: 'environments',
  shortName: 'qmenv',
  description:
    'An environment of an application, named `<application>.<environment>`. Deleting it deprovisions its resources, dependents first.',
  spec: object(
    {
      applicationName: id('Application that the environment belongs to. Cannot be changed.'),
      typeName: id('EnvironmentType of the environment. Cannot be changed.'),
    },
    {
      displayName: string('Name for people. The id when absent.'),
      fromDeploymentName: string(
        'EnvironmentDeployment, of this or another environment of the application, from which the next deployment starts.',
        { maxLength: 253 },
      ),
    },
    'What the environment is.',
  ),
  status: object(
    {},
    {
      lastDeploymentName: string('The newest EnvironmentDeployment that passed planning.', {
        maxLength: 253,
      }),
    },
    'What the operator saw.',
  ),
  columns: [
    { name: 'Application', jsonPath: '.spec.applicationName' },
    { name: 'Type', jsonPath: '.spec.typeName' },
    { name: 'Deployment', jsonPath: '.status.lastDeploymentName' },
  ],
  rules: [
    {
      rule: "self.metadata.name.startsWith(self.spec.applicationName + '.') && self.metadata.name.substring(size(self.spec.applicationName) + 1).matches('^[a-z0-9]+(-[a-z0-9]+)*$') && size(self.metadata.name) >= size(self.spec.applicationName) + 3",
      message: 'the name must be <application>.<environment>, both of them ids of two characters or more',
    },
    {
      rule: 'self.spec.applicationName == oldSelf.spec.applicationName && self.spec.typeName == oldSelf.spec.typeName',
      message: 'applicationName and typeName cannot be changed',
    },
  ],
})
export type Environment = ObjectOf<typeof Environment>
