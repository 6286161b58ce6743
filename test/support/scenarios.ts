import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import type { ActiveResource } from '../../operator/api/active-resource.ts'
import { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import { ResourceType } from '../../operator/api/resource-type.ts'
import {
  freeForm,
  integer,
  list,
  map,
  object,
  type Static,
  string,
  type TSchema,
  unsafe,
} from '../../operator/api/schema.ts'
import { SharedValue } from '../../operator/api/shared-value.ts'
import { createOrganizationMatcher } from '../../operator/domain/definition/built-in-definitions.ts'
import { sharedValuesFor } from '../../operator/domain/graph/shared-values.ts'
import type { Plan } from '../../operator/domain/plan/plan.ts'
import { builtInTypes } from '../../operator/domain/resource/built-in-types.ts'
import type { DriverDescriptor } from '../../operator/domain/resource/driver.ts'
import { customType } from '../../operator/domain/resource/types.ts'
import { catalogue } from '../../operator/drivers/catalogue.ts'
import { definition, driver, storedObject } from './builders.ts'
import { carriedOut, planOf } from './plans.ts'

/** The spec of a definition; the driver is `quartermaster/fake` when absent, and nothing else is filled in. */
type DefinitionSpec = Pick<ResourceDefinition['spec'], 'type'> & Partial<ResourceDefinition['spec']>

const stage = {
  context: object(
    {},
    {
      org: string('Organization; acme when absent.'),
      app: string('Application; shop when absent.'),
      env: string('Environment; staging when absent.'),
      envType: string('Environment type; staging when absent.'),
    },
    'Where it is deployed.',
  ),
  types: map(ResourceType.spec, 'Custom types of the organization, by their names without it.'),
  accounts: map(string('Type of the account.'), 'Accounts by name.'),
  definitions: list(
    object(
      {
        name: string('Name.'),
        spec: unsafe<DefinitionSpec>({ ...ResourceDefinition.spec, required: ['type'] }),
      },
      { created: integer('When it was made: the lower, the older; 1 when absent.') },
      'A definition.',
    ),
    'Definitions of the organization.',
  ),
  values: list(
    object(
      { key: string('Key.') },
      {
        env: string('Environment; that of the application when absent.'),
        value: string('Plain value.'),
        secret: string('Secret that holds it under the key `value`.'),
      },
      'A shared value.',
    ),
    'Shared values of the application, each older than the next.',
  ),
  set: object({}, { modules: map(freeForm('Module.'), ''), shared: map(freeForm('Dependency.'), '') }, ''),
}
const stageSchema = object({}, stage, 'One deployment; what it does not say is as in the last one.')
const givenSchema = object(
  { rule: string('Sentence of the specification that the scenario proves.') },
  { ...stage, before: list(stageSchema, 'Deployments that were carried out before, in turn.') },
  'What there is.',
)
const nodeSchema = object(
  { definition: string('Definition that provisions it.') },
  {
    dependsOn: list(string('Descriptor.'), 'All of its dependencies; none when absent.'),
    params: freeForm('Its parameters; any when absent.'),
    values: freeForm(
      'Shared values that it is given: their texts, or the names of their Secrets; any when absent.',
    ),
    references: map(
      list(string('Descriptor.'), ''),
      'All of its references, by their text; any when absent.',
    ),
  },
  'A resource.',
)
const planSchema = object(
  {},
  {
    nodes: map(nodeSchema, 'All resources of the graph, by descriptor.'),
    steps: list(string('`<action> <descriptor>`'), 'All steps in any order, those that do nothing included.'),
    problems: list(
      object(
        { object: string('What it is about.'), reason: string('Reason.') },
        { says: list(string('Part of the message.'), 'What the message holds.') },
        'A problem.',
      ),
      'All problems; none when absent.',
    ),
  },
  'What is expected.',
)

/** The content of `given.yaml`. */
export type Given = Static<typeof givenSchema>

/** The content of `plan.yaml`. */
export type Expected = Static<typeof planSchema>

/** One folder of `test/scenarios`. */
export interface Scenario {
  readonly name: string
  readonly given: Given
  readonly expected: Expected
}

/** All scenarios; throws for a file that is missing or has an invalid key. */
export function readScenarios(folder: string): Scenario[] {
  return readdirSync(folder).map((name) => ({
    name,
    given: read<Given>(join(folder, name, 'given.yaml'), checkGiven),
    expected: read<Expected>(join(folder, name, 'plan.yaml'), checkPlan),
  }))
}

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
const checkGiven = ajv.compile(closed(givenSchema))
const checkPlan = ajv.compile(closed(planSchema))

function read<T>(path: string, check: typeof checkGiven): T {
  const content: unknown = parse(readFileSync(path, 'utf8'))
  if (!check(content)) throw new Error(`${path}: ${ajv.errorsText(check.errors)}`)
  return content as T // its schema has just been checked
}

/** The schema with every object that declares its fields closed to others. */
export function closed(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    const declares = key !== 'properties' && typeof value === 'object' && value && 'properties' in value
    return declares ? { ...value, additionalProperties: false } : value
  }) as TSchema // only closed further
}

/** The real catalogue; a driver with unknown outputs; and one that needs an account and replaces on some changes. */
const drivers: readonly DriverDescriptor[] = [
  ...catalogue,
  driver('fake'),
  driver('fake-dns', {
    resourceTypes: ['dns'],
    account: { types: ['fake'], required: true },
    replaceOnChangeOf: ['zone_id', 'record.name'],
  }),
]

/** The plan of the last deployment of a scenario, those before it carried out. */
export function playedOut(given: Given): { plan: Plan; active: readonly ActiveResource[] } {
  const { before = [], rule: _, ...last } = given
  let active: readonly ActiveResource[] = []
  for (const stage of before) {
    const earlier = planOfStage({ ...last, ...stage }, active)
    if (earlier.problems.length > 0) throw new Error(`not carried out: ${JSON.stringify(earlier.problems)}`)
    active = carriedOut(earlier, active)
  }
  return { plan: planOfStage(last, active), active }
}

/** The plan of one deployment over the existing resources. */
export function planOfStage(
  {
    context = {},
    types = {},
    accounts = {},
    definitions = [],
    values = [],
    set = {},
  }: Omit<Given, 'rule' | 'before'>,
  active: readonly ActiveResource[],
): Plan {
  const { org = 'acme', app = 'shop', env = 'staging', envType = 'staging' } = context
  const manifests = definitions.map(({ name, created = 1, spec }) =>
    definition(
      name,
      spec.type,
      { driverType: 'quartermaster/fake', criteria: [], ...spec },
      { creationTimestamp: `2026-01-01T00:00:0${created}Z` },
    ),
  )
  const custom = Object.entries(types).map(([name, spec]) =>
    customType(storedObject(ResourceType, { name, namespace: org }, spec)),
  )
  return planOf({ modules: set.modules ?? {}, shared: set.shared ?? {} }, manifests, active, {
    context: { organizationId: org, applicationId: app, environmentId: env, environmentType: envType },
    matcher: createOrganizationMatcher(manifests),
    types: [...builtInTypes, ...custom],
    values: sharedValuesFor(
      values.map((each, i) => sharedValueOf(each, app, i)),
      env,
    ),
    catalogue: drivers,
    accountTypeOf: (name) => (Object.hasOwn(accounts, name) ? accounts[name] : undefined),
  })
}

type GivenValue = NonNullable<Given['values']>[number]

function sharedValueOf(
  { key, env, value, secret }: GivenValue,
  applicationName: string,
  i: number,
): SharedValue {
  return storedObject(
    SharedValue,
    { name: `value-${i}`, creationTimestamp: `2026-01-01T00:00:0${i}Z` },
    {
      applicationName,
      key,
      ...(env === undefined ? {} : { environmentId: env }),
      ...(value === undefined ? {} : { value }),
      ...(secret === undefined ? {} : { secret: { secret, key: 'value' } }),
    },
  )
}
