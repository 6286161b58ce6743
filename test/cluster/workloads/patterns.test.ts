import { beforeAll, expect, test } from '@jest/globals'
import { createAuditLog } from '../support/audit-log.ts'
import { conditionStatus } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { canary, makeStage, type Stage } from './stage.ts'

// The graph patterns of test/scenarios, up to the variables of containers.

interface Definition {
  readonly type: string
  readonly criteria: readonly object[]
  readonly values?: object
  readonly secretRefs?: object
  readonly provision?: object
  readonly driverType?: string
}

interface Pattern {
  readonly definitions: Readonly<Record<string, Definition>>
  readonly modules: Readonly<Record<string, { readonly externals?: object; readonly variables: object }>>
  readonly shared?: object
  /** The variables of the containers, as they are inside. */
  readonly expected: Readonly<Record<string, object>>
}

const environmentName = '${context.env.id}'
const password = { secret: 'login', key: 'password' }

const patterns: Readonly<Record<string, Pattern>> = {
  'broken-loop': {
    definitions: {
      files: {
        type: 's3',
        criteria: [{}],
        values: { bucket: '${resources.config.outputs.bucket}', notify: '${resources.config.outputs.queue}' },
        provision: { sqs: {} },
      },
      queue: { type: 'sqs', criteria: [{}], values: { allow: '${resources.config.outputs.bucket}' } },
      names: {
        type: 'config',
        criteria: [{}],
        values: { bucket: `b-${environmentName}`, queue: `q-${environmentName}` },
      },
    },
    shared: { files: { type: 's3' } },
    modules: { api: { variables: { TARGET: '${shared.files.bucket}/${shared.files.notify}' } } },
    expected: { api: { TARGET: 'b-broken-loop/q-broken-loop' } },
  },
  'config-with-overrides': {
    definitions: {
      files: {
        type: 's3',
        criteria: [{}],
        values: { tags: "${resources['config.s3#s3-config'].outputs.tags}" },
      },
      platform: {
        type: 'config',
        criteria: [{ class: 's3' }],
        values: {
          tags: {
            owner: 'platform',
            overrides: "${resources['config.developer-overrides'].outputs.tags}",
          },
        },
      },
      none: { type: 'config', criteria: [{ class: 'developer-overrides' }], values: { tags: {} } },
      shop: {
        type: 'config',
        criteria: [{ class: 'developer-overrides', appId: 'shop' }],
        values: { tags: { owner: 'shop' } },
      },
    },
    modules: {
      api: {
        externals: { files: { type: 's3' } },
        variables: { OWNER: '${externals.files.tags.overrides.owner} of ${externals.files.tags.owner}' },
      },
    },
    expected: { api: { OWNER: 'shop of platform' } },
  },
  delegator: {
    definitions: {
      bucket: { type: 's3', criteria: [{ class: 'concrete' }], values: { bucket: 'one', arn: 'arn:one' } },
      admin: {
        type: 's3',
        criteria: [{ class: 'admin' }],
        values: { bucket: "${resources['s3.concrete'].outputs.bucket}" },
        provision: { 'aws-policy.s3-admin': { matchDependents: true } },
      },
      'read-only': {
        type: 's3',
        criteria: [{ class: 'read-only' }],
        values: { bucket: "${resources['s3.concrete'].outputs.bucket}" },
        provision: { 'aws-policy.s3-read-only': { matchDependents: true } },
      },
      policies: {
        type: 'aws-policy',
        criteria: [{ class: 's3-admin' }, { class: 's3-read-only' }],
        values: { arn: "${context.res.class} on ${resources['s3.concrete'].outputs.arn}" },
      },
      role: {
        type: 'aws-role',
        criteria: [{}],
        values: { policies: "${resources['workload>aws-policy'].outputs.arn}" },
      },
      // The built-in driver renders the module with this patch.
      workload: {
        type: 'workload',
        criteria: [{}],
        driverType: 'quartermaster/template',
        values: {
          policies: '${resources.aws-role.outputs.policies}',
          templates: {
            outputs:
              'update:\n- op: add\n  path: /spec/containers/main/variables/POLICIES\n  value: {{ index .driver.values.policies 0 | toJson }}\n',
          },
        },
      },
    },
    modules: {
      writer: {
        externals: { bucket: { type: 's3', class: 'admin', id: 'main-s3' } },
        variables: { BUCKET: '${externals.bucket.bucket}' },
      },
      reader: {
        externals: { bucket: { type: 's3', class: 'read-only', id: 'main-s3' } },
        variables: { BUCKET: '${externals.bucket.bucket}' },
      },
    },
    expected: {
      writer: { BUCKET: 'one', POLICIES: 's3-admin on arn:one' },
      reader: { BUCKET: 'one', POLICIES: 's3-read-only on arn:one' },
    },
  },
  'propagate-class': {
    definitions: {
      files: {
        type: 's3',
        criteria: [{ class: 'one' }, { class: 'two' }],
        values: { region: "${resources['config#example'].outputs.region}" },
      },
      first: { type: 'config', criteria: [{ class: 'one', resId: 'example' }], values: { region: 'north' } },
      second: { type: 'config', criteria: [{ class: 'two', resId: 'example' }], values: { region: 'south' } },
    },
    modules: {
      api: {
        externals: { a: { type: 's3', class: 'one' }, b: { type: 's3', class: 'two' } },
        variables: { REGIONS: '${externals.a.region} ${externals.b.region}' },
      },
    },
    expected: { api: { REGIONS: 'north south' } },
  },
  'propagate-id': {
    definitions: {
      files: {
        type: 's3',
        criteria: [{}],
        values: { policy: '${resources.aws-policy.outputs.arn}' },
        secretRefs: { key: { value: 'key-${resources.aws-policy.outputs.password}' } },
      },
      policy: {
        type: 'aws-policy',
        criteria: [{}],
        values: { arn: 'of ${context.res.id}' },
        secretRefs: { password },
      },
    },
    modules: Object.fromEntries(
      ['one', 'two'].map((name) => [
        name,
        {
          externals: { files: { type: 's3' } },
          variables: { POLICY: '${externals.files.policy}', KEY: '${externals.files.key}' },
        },
      ]),
    ),
    expected: Object.fromEntries(
      ['one', 'two'].map((name) => [
        name,
        { POLICY: `of modules.${name}.externals.files`, KEY: `key-${canary}` },
      ]),
    ),
  },
}

let stage: Stage
beforeAll(async () => {
  stage = await makeStage()
})

/** Defines what only the environment of the pattern uses. */
async function define(pattern: string, definitions: Pattern['definitions']): Promise<void> {
  for (const [name, each] of Object.entries(definitions)) {
    const {
      type,
      criteria,
      values = {},
      secretRefs = {},
      provision,
      driverType = 'quartermaster/echo',
    } = each
    await stage.organization.define(`${pattern}-${name}`, {
      type,
      driverType,
      driverInputs: { values, secretRefs },
      criteria: criteria.map((criterion) => ({ ...criterion, envId: pattern })),
      ...(provision ? { provision } : {}),
    })
  }
}

interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } }
}

/** The variables of the container of a workload, as the kubelet resolves them. */
async function variablesOf(pattern: string, workload: string): Promise<object> {
  const deployment = await stage.object(pattern, 'apis/apps/v1 deployments', workload)
  type Spec = { template: { spec: { containers: { env: Variable[] }[] } } } // of a Deployment
  const [container] = (deployment?.spec as Spec | undefined)?.template.spec.containers ?? []
  const entries = (container?.env ?? []).map(
    async ({ name, value, valueFrom }): Promise<[string, unknown]> => {
      if (!valueFrom) return [name, value]
      const { name: secretName, key } = valueFrom.secretKeyRef
      const secret = await stage.object(pattern, 'api/v1 secrets', secretName)
      const data = (secret?.data ?? {}) as Record<string, string> // of a Secret
      return [name, Buffer.from(data[key] ?? '', 'base64').toString()]
    },
  )
  return Object.fromEntries(await Promise.all(entries))
}

test.each(Object.entries(patterns))('%s: containers get what the graph says', async (pattern, given) => {
  const { organization } = stage
  await define(pattern, given.definitions)
  await organization.environment('shop', pattern)
  const modules = Object.fromEntries(
    Object.entries(given.modules).map(([name, { externals = {}, variables }]) => [
      name,
      {
        profile: 'quartermaster/default-module',
        spec: { containers: { main: { image: 'images.example.test/api:1.0', variables } } },
        externals,
      },
    ]),
  )
  const content = { modules, shared: given.shared ?? {} }
  const deployment = await organization.deploy(`shop.${pattern}`, content)
  expect(stage.problems(deployment)).toEqual([])
  expect(conditionStatus(deployment, 'Ready')).toBe('True')
  for (const [workload, variables] of Object.entries(given.expected))
    expect(await variablesOf(pattern, workload)).toEqual(variables)

  const audit = createAuditLog(sharedCluster().auditLogPath, organization.id)
  await audit.calm()
  const position = await audit.end()
  const again = await organization.deploy(`shop.${pattern}`, content)
  expect(conditionStatus(again, 'Ready')).toBe('True')
  const writes = (await audit.writesSince(position)).filter(
    (each) => !/environmentdeployments|environments|deploymentsets/.test(each),
  )
  expect(writes).toEqual([])
})
