import { defineKind, type ObjectOf } from './kind.ts'
import { reasonField } from './reasons/reasons.ts'
import { integer, list, object, oneOf, type Static, string, time } from './schema.ts'

/** Characters that the texts of a problem have at most. */
export const longestInProblem = { object: 1024, message: 8192 }

/** One thing that keeps a deployment from going on. */
export const problemSchema = object(
  {
    object: string(
      'What it is about: a descriptor `type.class#id`, a workload, or empty for the whole environment.',
      { maxLength: longestInProblem.object },
    ),
    reason: reasonField,
    message: string('Why, for people, with the nearest miss where there is one.', {
      maxLength: longestInProblem.message,
    }),
  },
  {},
  'One problem.',
)
export type DeploymentProblem = Static<typeof problemSchema>

export const deploymentStepSchema = object(
  {
    action: oneOf(['create', 'update', 'replace', 'retain'], 'What is done.'),
    object: string('Descriptor `type.class#id` of the resource.'),
  },
  { definitionName: string('ResourceDefinition that provisions it.', { maxLength: 253 }) },
  'One step.',
)

export const planSummarySchema = object(
  {
    create: integer('How many resources are new.'),
    update: integer('How many are provisioned again with other inputs.'),
    replace: integer('How many are made anew, the old one deprovisioned afterwards.'),
    retain: integer('How many are no longer used and kept.'),
    unchanged: integer('How many stay as they are.'),
  },
  {
    steps: list(deploymentStepSchema, 'The steps, unchanged resources left out; the first hundred.', {
      maxItems: 100,
    }),
  },
  'What the deployment does.',
)
export type PlanSummary = Static<typeof planSummarySchema>

/** The step of a pipeline of somebody else's that asked for a deployment. */
export const pipelineStepSchema = object(
  {
    id: string('Pipeline.', { maxLength: 253 }),
    runId: string('Run of the pipeline.', { maxLength: 253 }),
    jobId: string('Job of the run.', { maxLength: 253 }),
    stepIndex: integer('Step of the job.'),
  },
  {},
  'The pipeline step that asked for it; only kept, for whoever looks.',
)

export const EnvironmentDeployment = defineKind({
  kind: 'EnvironmentDeployment',
  plural: 'environmentdeployments',
  shortName: 'qmdeploy',
  description:
    'One deployment to an environment, a run: `Ready` when it succeeded, `Stalled` when it failed.',
  spec: object(
    {
      environmentName: string('Environment to deploy to, as `<application>.<environment>`.', {
        maxLength: 253,
      }),
    },
    {
      deltaName: string('DeploymentDelta to apply to what is deployed.', { maxLength: 253 }),
      setName: string('DeploymentSet to deploy. With a delta: the result of applying it.', {
        maxLength: 253,
      }),
      fromDeploymentName: string('EnvironmentDeployment on whose set the delta was applied.', {
        maxLength: 253,
      }),
      comment: string('Why this deployment is made.', { maxLength: 8192 }),
      mode: oneOf(
        ['full', 'incremental'],
        'With `full`, unchanged resources are provisioned again as well. `incremental` when absent.',
      ),
      pipeline: pipelineStepSchema,
      valueSetVersionId: string(
        'Version of the shared values that was asked for; only kept: what is deployed has the newest.',
        { maxLength: 253 },
      ),
    },
    'What is deployed where.',
  ),
  status: object(
    {},
    {
      setName: string('DeploymentSet that is deployed.', { maxLength: 253 }),
      fromDeploymentName: string('EnvironmentDeployment that it started from.', { maxLength: 253 }),
      environmentFromName: string(
        'What the environment gave as `fromDeploymentName` at the time; used once.',
        { maxLength: 253 },
      ),
      plan: planSummarySchema,
      problems: list(problemSchema, 'What keeps it from going on.', { maxItems: 2000 }),
      startTime: time('When it passed planning.'),
      finishTime: time('When it succeeded or failed.'),
    },
    'What the operator saw.',
  ),
  columns: [
    { name: 'Environment', jsonPath: '.spec.environmentName' },
    { name: 'Comment', jsonPath: '.spec.comment', priority: 1 },
  ],
  rules: [{ rule: 'self.spec == oldSelf.spec', message: 'a deployment cannot be changed: make a new one' }],
})
export type EnvironmentDeployment = ObjectOf<typeof EnvironmentDeployment>
