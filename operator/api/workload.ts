import { defineKind, fixedFields, type ObjectOf } from './kind.ts'
import { boolean, freeForm, id, list, map, object, oneOf, type Static, string } from './schema.ts'

/** A selector of environments by their labels. */
export const environmentSelectorSchema = object(
  {},
  {
    matchLabels: map(
      string('Value of the label.', { maxLength: 63 }),
      'Labels that an environment must have.',
      {
        maxProperties: 100,
      },
    ),
    matchExpressions: list(
      object(
        {
          key: string('Key of the label.', { maxLength: 317 }),
          operator: oneOf(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'How the label is compared.'),
        },
        {
          values: list(string('A value.', { maxLength: 63 }), 'Values for `In` and `NotIn`.', {
            maxItems: 100,
          }),
        },
        'A condition on a label.',
      ),
      'Conditions that the labels of an environment must fulfil.',
      { maxItems: 100 },
    ),
  },
  'Selects environments of the application by their labels. An empty selector selects all.',
)
export type EnvironmentSelector = Static<typeof environmentSelectorSchema>

/** Resources of a workload that its status lists for an environment, and outputs of each. */
export const mostListed = 100

/** A resource of a workload in an environment. */
export const workloadResourceSchema = object(
  {
    object: string('Descriptor `type.class#id` of the resource.', { maxLength: 1024 }),
    state: oneOf(['ready', 'waiting', 'stalled'], 'State of the resource.'),
  },
  {
    outputs: list(
      string('Name of an output.', { maxLength: 253 }),
      'Names of the outputs that placeholders of the workload read, the first 100.',
      { maxItems: mostListed },
    ),
  },
  'A resource of the workload. Values of outputs are never listed.',
)
export type WorkloadResource = Static<typeof workloadResourceSchema>

/** Environments in which a workload can run. */
export const mostEnvironments = 1000

/** What is deployed in one environment. */
export const workloadEnvironmentSchema = object(
  {
    environmentId: id('Id of the environment, within the application.'),
    state: oneOf(
      ['pending', 'succeeded', 'failed'],
      'State of the deployment that brought the content of the workload to the environment.',
    ),
  },
  {
    contentHash: string('Hash of the module and the shared dependencies.', { maxLength: 64 }),
    sharedIds: list(
      string('Key of a shared dependency.', { maxLength: 253 }),
      'Shared dependencies in the deployment set that exist only because of Workloads.',
    ),
    deploymentName: string('EnvironmentDeployment that deployed the content.', { maxLength: 253 }),
    message: string('Why the deployment failed.', { maxLength: 2048 }),
    url: string('Address of the workload: that of its `dns` resource.', { maxLength: 1024 }),
    resources: list(workloadResourceSchema, 'Resources of the workload, the first 100.', {
      maxItems: mostListed,
    }),
  },
  'The workload in one environment. It owns the module of its name there.',
)
export type WorkloadEnvironment = Static<typeof workloadEnvironmentSchema>

export const Workload = defineKind({
  kind: 'Workload',
  plural: 'workloads',
  shortName: 'qmworkload',
  description:
    'A workload as a Score document, and the environments that it runs in. The object name is `<application>.<workload>`. Deleting it removes its module from the environments; its resources are kept.',
  spec: object(
    {
      applicationName: id('Application of the workload. Immutable.'),
      score: freeForm(
        'The Score document (score.dev/v1b1), unchanged. Its `metadata.name` is the workload id.',
      ),
    },
    {
      environmentIds: list(
        id('Id of an environment, within the application.'),
        'Environments that the workload runs in.',
        {
          maxItems: mostEnvironments,
        },
      ),
      environmentSelector: environmentSelectorSchema,
      extension: freeForm(
        'The extension document of the Score document: `profile`, `deploy`, and `spec`, which is merged under the spec of the module.',
      ),
      images: list(
        object(
          {
            environmentId: id('Id of the environment.'),
            image: string('Image of the containers with the image `.`, or of the only container.', {
              maxLength: 4096,
            }),
          },
          {},
          'The image in one environment.',
        ),
        'Images by environment.',
        { key: 'environmentId', maxItems: 1000 },
      ),
      adopt: boolean(
        'Whether the workload takes over a module of its name that a delta deployed. Otherwise it waits until the module is removed. Defaults to false.',
      ),
    },
    'The Score document and its environments.',
  ),
  status: object(
    {},
    {
      environments: list(workloadEnvironmentSchema, 'What is deployed, by environment.', {
        key: 'environmentId',
        maxItems: mostEnvironments,
      }),
      summary: object(
        {
          environments: string('Ids of the environments.', { maxLength: 2048 }),
          states: string(
            'Environments with the state of the content there, or the reason why it cannot be deployed; those that did not succeed come first.',
            { maxLength: 2048 },
          ),
        },
        { urls: string('Addresses of the workload.', { maxLength: 2048 }) },
        'The first environments as text, for the columns of `kubectl get`.',
      ),
    },
    'Observed state.',
  ),
  selectableFields: ['.spec.applicationName'],
  columns: [
    { name: 'Application', jsonPath: '.spec.applicationName' },
    { name: 'Environments', jsonPath: '.status.summary.environments' },
    { name: 'States', jsonPath: '.status.summary.states', priority: 1 },
    { name: 'URLs', jsonPath: '.status.summary.urls', priority: 1 },
  ],
  rules: [
    {
      rule: "self.metadata.name.startsWith(self.spec.applicationName + '.') && size(self.metadata.name) >= size(self.spec.applicationName) + 3",
      message: 'the name must be <application>.<workload>',
    },
    fixedFields('applicationName'),
    {
      rule: 'has(self.spec.environmentIds) || has(self.spec.environmentSelector)',
      message: 'one of environmentIds and environmentSelector is required',
    },
  ],
})
export type Workload = ObjectOf<typeof Workload>
