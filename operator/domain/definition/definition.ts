import { Ajv, type ErrorObject } from 'ajv'
import type { ResourceDefinition } from '../../api/resource-definition.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { type Fault, faultsFor } from '../base/fault.ts'
import { isObject, pointerSteps } from '../base/json.ts'
import { findPlaceholders } from '../placeholder/placeholder.ts'
import { parseReference } from '../resource/descriptor.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import { isProvidedBy, type ResourceTypeInfo } from '../resource/types.ts'
import { faultsAgainst, partsOf } from '../schema/user-schema.ts'
import { unreadLeaves } from '../secret/secret-inputs.ts'
import { faultsOfStores } from '../secret/secret-stores.ts'
import { duplicateCriteria, formatCriterion } from './matching.ts'

/** The driver that a driver type names: a built-in one under any of the vendor's names, or one of the organization. */
export function driverOf(
  driverType: string,
  catalogue: readonly DriverDescriptor[],
  vendors: readonly string[],
): DriverDescriptor | undefined {
  const known = driverName(driverType, vendors)
  return catalogue.find((each) => each.name === known)
}

/** A built-in driver by its name alone, whatever vendor's name a driver type gives it; any other as it is written. */
export function driverName(driverType: string, vendors: readonly string[]): string {
  const [vendor = '', name, ...rest] = driverType.split('/')
  if (rest.length === 0 && name !== undefined && vendors.includes(vendor)) return name
  // A name without a vendor is nobody's.
  return name === undefined ? `/${driverType}` : driverType
}

/** The driver type by which a definition names a driver. */
export function driverTypeOf({ name }: DriverDescriptor, vendors: readonly string[]): string {
  return name.includes('/') ? name : `${vendors[0] ?? ''}/${name}`
}

/** All that can be said of a definition by looking at the things around it; `rivals` may have equal criteria. */
export function faultsOfDefinition(
  definition: ResourceDefinition,
  around: {
    readonly catalogue: readonly DriverDescriptor[]
    readonly vendors: readonly string[]
    readonly rivals: readonly ResourceDefinition[]
    /** Types that the organization knows, its own and the built-in ones. */
    readonly types: readonly ResourceTypeInfo[]
    accountTypeOf(name: string): string | undefined
  },
): Fault[] {
  const { spec, metadata } = definition
  const descriptor = driverOf(spec.driverType, around.catalogue, around.vendors)
  return [
    ...faultsOfCriteria(metadata.name, around.rivals),
    ...typesNamedBy(definition).flatMap((type) => faultsOfType(type, metadata.namespace ?? '', around.types)),
    ...faultsOfDriver(definition, descriptor, around),
    ...faultsOfStores(spec.driverInputs?.secretRefs ?? {}, 'secretRefs', ''),
    ...(descriptor ? faultsOfAccount(definition, descriptor, around) : []),
  ]
}

function faultsOfCriteria(name: string, rivals: readonly ResourceDefinition[]): Fault[] {
  return duplicateCriteria(rivals)
    .filter(({ definitionName }) => definitionName === name)
    .map(({ criterion, holder }) => ({
      reason: 'DuplicateCriterion',
      message: `criterion ${formatCriterion(criterion)} is held by the definition '${holder}'`,
    }))
}

/** Types that a definition refers to: its own, and those of the resources that it provisions along. */
export function typesNamedBy({ spec }: Pick<ResourceDefinition, 'spec'>): string[] {
  const along = Object.keys(spec.provision ?? {}).flatMap((text) => {
    try {
      return [parseReference(text).type]
    } catch (error) {
      // What cannot be read names no type; the deployment says so.
      if (error instanceof Problem) return []
      throw error
    }
  })
  return [...new Set([spec.type, ...along])]
}

function faultsOfType(type: string, organization: string, types: readonly ResourceTypeInfo[]): Fault[] {
  if (types.some((known) => known.type === type)) return []
  const hint = type.includes('/') ? `'${organization}' has no such type` : 'it is not built in'
  return [{ reason: 'TypeNotFound', message: `resource type '${type}' does not exist: ${hint}` }]
}

function faultsOfDriver(
  { spec }: ResourceDefinition,
  descriptor: DriverDescriptor | undefined,
  {
    catalogue,
    vendors,
  }: { readonly catalogue: readonly DriverDescriptor[]; readonly vendors: readonly string[] },
): Fault[] {
  if (!descriptor) {
    const known = catalogue.map((each) => `'${driverTypeOf(each, vendors)}'`).join(', ')
    return [
      {
        reason: 'UnknownDriver',
        message: `no driver is named '${spec.driverType}'; known drivers: ${known}`,
      },
    ]
  }
  const wrongType = isProvidedBy(spec.type, descriptor.resourceTypes)
    ? []
    : [`driver '${spec.driverType}' does not provision resources of type '${spec.type}'`]
  const { values = {}, secretRefs = {} } = spec.driverInputs ?? {}
  const inputs = faultsOfInputs(descriptor, { values, secrets: unreadLeaves(secretRefs) })
  return [...faultsFor('WrongType', wrongType), ...faultsFor('InvalidInputs', inputs)]
}

/** What is wrong with the account that a definition names, or does not name. */
export function faultsOfAccount(
  { metadata, spec: { accountName, driverType } }: Pick<ResourceDefinition, 'metadata' | 'spec'>,
  { account }: Pick<DriverDescriptor, 'account'>,
  { accountTypeOf }: { accountTypeOf(name: string): string | undefined },
): Fault[] {
  const owner = `definition '${metadata.name}'`
  const types = account.types.join(' or ')
  if (accountName === undefined) {
    if (!account.required) return []
    const message = `driver '${driverType}' of ${owner} needs an account of type ${types}`
    return [{ reason: 'AccountRequired', message }]
  }
  const type = accountTypeOf(accountName)
  if (type === undefined)
    return [{ reason: 'AccountNotFound', message: `account '${accountName}' of ${owner} does not exist` }]
  if (account.types.length === 0 || account.types.includes(type)) return []
  const message = `account '${accountName}' of ${owner} is of type '${type}', but driver '${driverType}' takes ${types}`
  return [{ reason: 'WrongAccountType', message }]
}

/** What of the inputs the driver would not take, each without the value, which may be secret; placeholders pass. */
export function faultsOfInputs(
  descriptor: DriverDescriptor,
  inputs: { readonly values: FreeForm; readonly secrets: FreeForm },
): string[] {
  if (descriptor.inputsSchema) return faultsOfForeignInputs(descriptor.inputsSchema, inputs)
  const checks = checksOf(descriptor)
  return (['values', 'secrets'] as const).flatMap((part) => {
    const check = checks[part]
    if (check(inputs[part])) return []
    return (check.errors ?? [])
      .filter((error) => !isPlaceholder(inputs[part], error.instancePath))
      .map((error) => messageOf(part, error))
  })
}

function faultsOfForeignInputs(
  schema: FreeForm,
  inputs: { readonly values: FreeForm; readonly secrets: FreeForm },
): string[] {
  const parts = partsOf(schema)
  return (['values', 'secrets'] as const).flatMap((part) => {
    const ofPart = parts[part]
    const faults = ofPart ? faultsAgainst(ofPart, inputs[part], { lenient: true }) : []
    return faults.map(
      ({ pointer, message }) => `driver input '${part}${pointer.replaceAll('/', '.')}' ${message}`,
    )
  })
}

const compiled = new WeakMap<DriverDescriptor, ReturnType<typeof compile>>()

function checksOf(descriptor: DriverDescriptor) {
  const known = compiled.get(descriptor) ?? compile(descriptor)
  compiled.set(descriptor, known)
  return known
}

function compile(descriptor: DriverDescriptor) {
  const ajv = new Ajv({ strict: false, allErrors: true, ownProperties: true, validateFormats: false })
  return { values: ajv.compile(descriptor.values), secrets: ajv.compile(descriptor.secrets) }
}

function isPlaceholder(value: unknown, pointer: string): boolean {
  const at = pointerSteps(pointer).reduce<unknown>(
    (inner, key) => (isObject(inner) || Array.isArray(inner) ? (inner as FreeForm)[key] : undefined),
    value,
  ) // both are indexed by text
  return typeof at === 'string' && at.includes('${') && findPlaceholders(at).length > 0
}

function messageOf(part: string, { instancePath, message = 'is not valid', params }: ErrorObject): string {
  const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : ''
  return `driver input '${part}${instancePath.replaceAll('/', '.')}' ${message}${allowed}`
}
