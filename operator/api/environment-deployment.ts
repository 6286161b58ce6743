import { defineKind, type ObjectOf } from './kind.ts'
import { reasonField } from './reasons/reasons.ts'
import { boolean, integer, list, object, oneOf, type Static, string, time } from './schema.ts'

/** Maximum lengths of the texts of a problem, in characters. */
export const longestInProblem = { object: 1024, message: 8192 }

/** A problem that prevents a deployment. */
export const problemSchema = object(
  {
    object: string(
      'Subject of the problem: a descriptor `type.class#id`, a workload, or empty for the whole environment.',
      { maxLength: longestInProblem.object },
    ),
    reason: reasonField,
    message: string('Human-readable message, with the nearest match if there is one.', {
      maxLength: longestInProblem.message,
    }),
  },
  {},
  'A problem that prevents the deployment.',
)
export type DeploymentProblem = Static<typeof problemSchema>

export const deploymentStepSchema = object(
  {
    action: oneOf(['create', 'update', 'replace', 'retain'], 'Action on the resource.'),
    object: string('Descriptor `type.class#id` of the resource.'),
  },
  { definitionName: string('ResourceDefinition that provisions the resource.', { maxLength: 253 }) },
  'Action on one resource.',
)

export const planSummarySchema = object(
  {
    create: integer('Number of new resources.'),
    update: integer('Number of resources that are provisioned again with changed inputs.'),
    replace: integer(
      'Number of resources that get a new instance. The old instance is deprovisioned afterwards.',
    ),
    retain: integer('Number of resources that are no longer used. They are kept.'),
    unchanged: integer('Number of resources that do not change.'),
  },
  {
    steps: list(deploymentStepSchema, 'The first 100 steps, without unchanged resources.', {
      maxItems: 100,
    }),
  },
  'Plan of the deployment: number of resources by action.',
)
export type PlanSummary = Static<typeof planSummarySchema>

/** The step of an external pipeline that requested a deployment. */
export const pipelineStepSchema = object(
  {
    id: string('Pipeline id.', { maxLength: 253 }),
    runId: string('Run id.', { maxLength: 253 }),
    jobId: string('Job id.', { maxLength: 253 }),
    stepIndex: integer('Index of the step in the job.', { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  },
  {},
  'Pipeline step that requested the deployment. Informational: it has no effect.',
)

export const EnvironmentDeployment = defineKind({
  kind: 'EnvironmentDeployment',
  plural: 'environmentdeployments',
  shortName: 'qmdeploy',
  description:
    'One deployment to an environment. Runs once: `Ready` is true when it succeeds, `Stalled` is true when it fails.',
  spec: object(
    {
      environmentName: string('Environment to deploy to, in the form `<application>.<environment>`.', {
        maxLength: 253,
      }),
    },
    {
      deltaName: string('DeploymentDelta to apply to the deployed set.', { maxLength: 253 }),
      setName: string('DeploymentSet to deploy. With `deltaName`, the result of applying the delta.', {
        maxLength: 253,
      }),
      fromDeploymentName: string('EnvironmentDeployment whose set the delta is applied to.', {
        maxLength: 253,
      }),
      failIfBaseChanged: boolean(
        'Whether the deployment fails if another one than `fromDeploymentName` was planned since `setName` was computed, which would be undone. Defaults to false.',
      ),
      workloads: string(
        'Deploys the Workloads of the environment as they are when the deployment starts, on top of the deployed set. The value is any text; the operator writes the hash of what it wants to deploy.',
        { minLength: 1, maxLength: 64 },
      ),
      comment: string('Purpose of the deployment.', { maxLength: 8192 }),
      mode: oneOf(
        ['full', 'incremental'],
        '`full` provisions all resources again, `incremental` only new and changed ones. Defaults to `incremental`.',
      ),
      pipeline: pipelineStepSchema,
      valueSetVersionId: string(
        'Requested version of the shared values. Informational: a deployment always uses the newest values.',
        { maxLength: 253 },
      ),
    },
    'Environment and content of the deployment. Immutable.',
  ),
  status: object(
    {},
    {
      setName: string('DeploymentSet that the deployment deploys.', { maxLength: 253 }),
      fromDeploymentName: string('EnvironmentDeployment whose set the delta was applied to.', {
        maxLength: 253,
      }),
      environmentFromName: string(
        'Value of `fromDeploymentName` of the environment when the deployment was planned. Each value is used once.',
        { maxLength: 253 },
      ),
      environmentFromTime: time(
        'Time of the `fromRequest` for that value when the deployment was planned. Each request is used once.',
      ),
      plan: planSummarySchema,
      problems: list(problemSchema, 'Problems that prevent the deployment.', { maxItems: 2000 }),
      startTime: time('Time at which planning succeeded.'),
      finishTime: time('Time at which the deployment succeeded or failed.'),
    },
    'Observed state.',
  ),
  selectableFields: ['.spec.environmentName'],
  columns: [
    { name: 'Environment', jsonPath: '.spec.environmentName' },
    { name: 'Comment', jsonPath: '.spec.comment', priority: 1 },
  ],
  rules: [
    { rule: 'self.spec == oldSelf.spec', message: 'a deployment cannot be changed: create a new one' },
    {
      rule: '!has(self.spec.workloads) || !has(self.spec.setName)',
      message: 'workloads cannot be combined with setName',
    },
  ],
})
export type EnvironmentDeployment = ObjectOf<typeof EnvironmentDeployment>
