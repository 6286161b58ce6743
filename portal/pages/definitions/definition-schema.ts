import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import type { Driver, ResourceAccount, ResourceDefinition, ResourceType } from '../../api/types.ts'
import { changed } from '../../managing/changed.ts'
import { mergeSecrets } from './inputs.ts'

type Criteria = NonNullable<ResourceDefinition['criteria']>

/** What the choices of the form are made of. */
export interface Catalogue {
  readonly types: readonly ResourceType[]
  readonly drivers: readonly Driver[]
  readonly accounts: readonly ResourceAccount[]
}

/** Fields of a definition beyond its inputs and criteria. */
interface Settings {
  readonly id?: string
  readonly name?: string
  readonly type?: string
  readonly driver_type?: string
  readonly driver_account?: string
  readonly provision?: ResourceDefinition['provision']
}

interface Option {
  readonly const: string
  readonly title: string
}

/** Reads the settings from the value of their form. */
export function settingsOf(value: unknown): Settings {
  return isObject(value) ? value : {} // the form has the fields of its schema
}

/** The schema of the form for the settings. What is in use can be chosen, even if it is not known any more. */
export function settingsSchema(
  { types, drivers, accounts }: Catalogue,
  { type, driver_type, driver_account }: Settings,
  isNew: boolean,
): FreeForm {
  const order = isNew
    ? ['id', 'name', 'type', 'driver_type', 'driver_account', 'provision']
    : ['name', 'driver_type', 'driver_account', 'provision']
  const properties: FreeForm = {
    id: {
      type: 'string',
      title: 'ID',
      description: 'Lowercase letters, digits and hyphens. It cannot be changed later.',
    },
    name: { type: 'string', title: 'Name', description: isNew ? 'The ID when empty.' : undefined },
    type: {
      type: 'string',
      title: 'Type',
      oneOf: withUsed(
        types.filter(({ use }) => use !== 'implicit').map((each) => option(each.type, each.name)),
        type,
      ),
    },
    driver_type: {
      type: 'string',
      title: 'Driver',
      description: 'The driver echo makes a static definition: you enter the outputs.',
      oneOf: withUsed(driversFor(type, drivers), driver_type),
    },
    driver_account: {
      type: 'string',
      title: 'Account',
      ...accountPart(accounts, accountTypesOf(drivers, driver_type), driver_account),
    },
    provision: {
      type: 'object',
      title: 'Co-provisioned resources',
      description: 'For example {"dns": {"is_dependent": true}}.',
    },
  }
  return {
    type: 'object',
    properties: Object.fromEntries(order.map((key) => [key, properties[key]])),
    required: isNew ? ['id', 'type', 'driver_type'] : ['name', 'driver_type'],
    additionalProperties: false,
  }
}

function option(value: string, name: string): Option {
  return { const: value, title: name === value ? value : `${name} (${value})` }
}

function withUsed(options: readonly Option[], used: string | undefined): readonly Option[] {
  if (used === undefined || options.some((each) => each.const === used)) return options
  return [...options, { const: used, title: used }]
}

/** Drivers for a type come first; a driver of another type can be right for an override of its type. */
function driversFor(type: string | undefined, drivers: readonly Driver[]): Option[] {
  const fits = (driver: Driver) => driver.type === '*' || driver.type === type
  const sorted = [...drivers.filter(fits), ...drivers.filter((each) => !fits(each))]
  return sorted.map((driver) => {
    const name = `${driver.org_id}/${driver.id}`
    return { const: name, title: fits(driver) ? name : `${name} (for ${driver.type})` }
  })
}

function accountTypesOf(drivers: readonly Driver[], driverType: string | undefined): readonly string[] {
  return drivers.find(({ org_id, id }) => `${org_id}/${id}` === driverType)?.account_types ?? []
}

/** Without an account to choose, the field is a text. */
function accountPart(
  accounts: readonly ResourceAccount[],
  accepted: readonly string[],
  used: string | undefined,
): FreeForm {
  const fitting = accounts.filter(({ type }) => accepted.length === 0 || accepted.includes(type))
  const options = withUsed(
    fitting.map(({ id, name }) => option(id, name)),
    used,
  )
  const description =
    accepted.length === 0 ? 'The driver uses any account.' : `The driver uses: ${accepted.join(', ')}.`
  return options.length > 0 ? { description, oneOf: options } : { description }
}

/** The schema of the form for criteria; the given names are suggestions. */
export function criteriaSchema(
  applications: readonly string[],
  environmentTypes: readonly string[],
): FreeForm {
  const field = (title: string, description: string, suggestions: readonly string[] = []) => ({
    type: 'string',
    title,
    description,
    suggestions,
    uiHints: { group: 'row' },
  })
  return {
    type: 'object',
    properties: {
      criteria: {
        type: 'array',
        title: 'Criteria',
        description: 'The definition is chosen where one of them fits best. An empty field fits everything.',
        maxItems: 256,
        items: {
          type: 'object',
          properties: {
            app_id: field('Application', 'ID', applications),
            env_type: field('Environment type', 'ID', environmentTypes),
            env_id: field('Environment', 'ID'),
            res_id: field('Resource ID', 'For example modules.web.externals.files'),
            class: field('Class', 'default when empty'),
          },
          uiGroups: { row: { type: 'row' } },
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
  }
}

/** The value of the form for criteria. */
export function criteriaValue(criteria: Criteria = []): { readonly criteria: readonly FreeForm[] } {
  return {
    criteria: criteria.map(({ id: _, class: resourceClass, ...others }) => ({
      ...others,
      ...(resourceClass === 'default' ? {} : { class: resourceClass }),
    })),
  }
}

/** The criteria for a request. */
export function criteriaOf(value: unknown): readonly FreeForm[] {
  const { criteria } = isObject(value) ? value : ({} as FreeForm)
  return Array.isArray(criteria) ? criteria.filter(isObject) : []
}

/** Body of a request for a new definition. */
export function newDefinitionBody(settings: unknown, inputs: unknown, criteria: unknown) {
  const { id = '', name = id, type = '', driver_type = '', driver_account, provision } = settingsOf(settings)
  const { values, secrets } = isObject(inputs) ? inputs : ({} as FreeForm)
  return {
    id,
    name,
    type,
    driver_type,
    driver_account,
    provision,
    driver_inputs: {
      values: isObject(values) ? values : {},
      secrets: isObject(secrets) ? secrets : undefined,
    },
    criteria: criteriaOf(criteria),
  }
}

/**
 * Body of a request that changes a definition: only what was changed, so that a change of another user is kept. Secrets
 * that were not entered keep their references.
 */
export function changedDefinitionBody(
  settings: unknown,
  inputs: unknown,
  before: Pick<ResourceDefinition, 'name' | 'driver_type' | 'driver_account' | 'driver_inputs' | 'provision'>,
) {
  const { name, driver_type, driver_account, provision } = settingsOf(settings)
  const { values = {}, secrets } = isObject(inputs) ? inputs : ({} as FreeForm)
  const { driver_inputs: stored = {} } = before
  const driver_inputs = {
    values: isObject(values) ? changed(values, stored.values ?? {}) : undefined,
    secret_refs: secrets === undefined ? undefined : mergeSecrets(stored.secret_refs, secrets),
  }
  const hasInputs = Object.values(driver_inputs).some((each) => each !== undefined)
  return {
    name: changed(name, before.name),
    driver_type: changed(driver_type, before.driver_type),
    driver_account: changed(driver_account ?? null, before.driver_account ?? null),
    provision: changed(provision ?? null, before.provision ?? null),
    driver_inputs: hasInputs ? driver_inputs : undefined,
  }
}
