import { Ajv, type ErrorObject } from 'ajv'
import type { ResourceDefinition } from '../../api/resource-definition.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { isObject, ownValue, pointerSteps } from '../base/json.ts'
import { nearestOrKnown } from '../base/nearest.ts'
import { type ObjectProblem, problemsFor } from '../base/object-problem.ts'
import { findPlaceholders } from '../placeholder/placeholder.ts'
import { parseReference, problemOfDescriptor } from '../resource/descriptor.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import type { ResourceTypeInfo } from '../resource/type-info.ts'
import { isProvidedBy } from '../resource/types.ts'
import { partedProblems } from '../schema/user-schema.ts'
import { unreadLeaves } from '../secret/secret-inputs.ts'
import { problemsOfStores } from '../secret/secret-stores.ts'
import { formatCriterion } from './criterion.ts'
import { malformedTexts } from './malformed-texts.ts'
import { duplicateCriteria } from './matching.ts'

/** The driver of a driver type: a built-in one under any vendor name, or a custom driver. */
export function driverOf(
  driverType: string,
  catalogue: readonly DriverDescriptor[],
  vendors: readonly string[],
): DriverDescriptor | undefined {
  const known = driverName(driverType, vendors)
  return catalogue.find((each) => each.name === known)
}

/** Earlier names of built-in drivers, which existing definitions have. */
const formerNames: Readonly<Record<string, string>> = { static: 'echo' }

/** The name of a driver in the catalogue: without the vendor for a built-in driver, else the driver type itself. */
export function driverName(driverType: string, vendors: readonly string[]): string {
  const [vendor = '', name, ...rest] = driverType.split('/')
  if (rest.length === 0 && name !== undefined && vendors.includes(vendor))
    return ownValue(formerNames, name) ?? name
  // A name without a vendor matches no driver.
  return name === undefined ? `/${driverType}` : driverType
}

/** Whether two driver types are names of one driver. */
export function areSameDriver(left: string, right: string, vendors: readonly string[]): boolean {
  return driverName(left, vendors) === driverName(right, vendors)
}

/** The form of a driver type: `<vendor>/<driver>`. */
export const driverTypePattern = '^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9][A-Za-z0-9_.-]*$'
const driverTypeForm = new RegExp(driverTypePattern)

/** The driver type that definitions use for a driver. */
export function driverTypeOf({ name }: DriverDescriptor, vendors: readonly string[]): string {
  return name.includes('/') ? name : `${vendors[0] ?? ''}/${name}`
}

/** The problems of a definition; `rivals` are the definitions that may have equal criteria. */
export function problemsOfDefinition(
  definition: ResourceDefinition,
  context: {
    readonly catalogue: readonly DriverDescriptor[]
    readonly vendors: readonly string[]
    readonly rivals: readonly ResourceDefinition[]
    /** Built-in types and the types of the organization. */
    readonly types: readonly ResourceTypeInfo[]
    accountTypeOf(name: string): string | undefined
  },
): ObjectProblem[] {
  const { spec, metadata } = definition
  const descriptor = driverOf(spec.driverType, context.catalogue, context.vendors)
  return [
    ...malformedTexts(spec),
    ...problemsOfCriteria(metadata.name, context.rivals),
    ...typesNamedBy(definition).flatMap((type) => problemsOfType(type, metadata.namespace, context.types)),
    ...problemsOfDriver(definition, descriptor, context),
    ...problemsOfStores(spec.driverInputs?.secretRefs ?? {}, 'secretRefs', ''),
    ...(descriptor ? problemsOfAccount(definition, descriptor, context) : []),
  ]
}

function problemsOfCriteria(name: string, rivals: readonly ResourceDefinition[]): ObjectProblem[] {
  const messages = duplicateCriteria(rivals)
    .filter(({ definitionName }) => definitionName === name)
    .map(
      ({ criterion, holder }) =>
        `definition '${holder}' already has the criterion ${formatCriterion(criterion)}`,
    )
  return [...new Set(messages)].map((message) => ({ reason: 'DuplicateCriterion', message }))
}

/** The type of a definition, and the types of its co-provisioned resources. */
export function typesNamedBy({ spec }: Pick<ResourceDefinition, 'spec'>): string[] {
  const coProvisioned = Object.keys(spec.provision ?? {}).flatMap((text) => {
    try {
      return [parseReference(text).type]
    } catch (error) {
      // `malformedTexts` reports malformed references.
      if (error instanceof Problem) return []
      throw error
    }
  })
  return [...new Set([spec.type, ...coProvisioned])]
}

function problemsOfType(
  type: string,
  organization: string,
  types: readonly ResourceTypeInfo[],
): ObjectProblem[] {
  if (types.some((known) => known.type === type)) return []
  const malformed = problemOfDescriptor({ type })
  if (malformed !== undefined) return [{ reason: 'InvalidReference', message: malformed }]
  const hint = type.includes('/') ? `'${organization}' has no such type` : 'it is not built in'
  return [{ reason: 'TypeNotFound', message: `resource type '${type}' does not exist: ${hint}` }]
}

function problemsOfDriver(
  { spec }: ResourceDefinition,
  descriptor: DriverDescriptor | undefined,
  {
    catalogue,
    vendors,
  }: { readonly catalogue: readonly DriverDescriptor[]; readonly vendors: readonly string[] },
): ObjectProblem[] {
  if (!descriptor) {
    const names = catalogue.map((each) => driverTypeOf(each, vendors))
    const hint = nearestOrKnown(spec.driverType, { what: 'drivers', names })
    return driverTypeForm.test(spec.driverType)
      ? [{ reason: 'UnknownDriver', message: `driver '${spec.driverType}' is not known${hint}` }]
      : [{ reason: 'InvalidReference', message: `'${spec.driverType}' is not '<vendor>/<driver>'${hint}` }]
  }
  const wrongType = isProvidedBy(spec.type, descriptor.resourceTypes)
    ? []
    : [`driver '${spec.driverType}' does not provision resources of type '${spec.type}'`]
  const { values = {}, secretRefs = {} } = spec.driverInputs ?? {}
  const inputs = problemsOfInputs(descriptor, { values, secrets: unreadLeaves(secretRefs) })
  return [...problemsFor('WrongType', wrongType), ...problemsFor('InvalidInputs', inputs)]
}

/** The problems with the account of a definition. */
export function problemsOfAccount(
  { metadata, spec: { accountName, driverType } }: Pick<ResourceDefinition, 'metadata' | 'spec'>,
  { account }: Pick<DriverDescriptor, 'account'>,
  { accountTypeOf }: { accountTypeOf(name: string): string | undefined },
): ObjectProblem[] {
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
  const message = `account '${accountName}' of ${owner} has type '${type}', but driver '${driverType}' accepts ${types}`
  return [{ reason: 'WrongAccountType', message }]
}

/** The violations of the driver's input schemas, without values, which may be secret. Placeholders pass. */
export function problemsOfInputs(
  descriptor: DriverDescriptor,
  inputs: { readonly values: FreeForm; readonly secrets: FreeForm },
): string[] {
  if (descriptor.inputsSchema)
    return partedProblems(descriptor.inputsSchema, inputs, { lenient: true }).map(({ place, message }) =>
      place === '' ? `driver inputs: ${message}` : `driver input '${place}' ${message}`,
    )
  const checks = checksOf(descriptor)
  return (['values', 'secrets'] as const).flatMap((part) => {
    const check = checks[part]
    if (check(inputs[part])) return []
    return (check.errors ?? [])
      .filter((error) => !isPlaceholder(inputs[part], error.instancePath))
      .map((error) => messageOf(part, error))
  })
}

const compiled = new WeakMap<DriverDescriptor, ReturnType<typeof compile>>()

function checksOf(descriptor: DriverDescriptor) {
  const known = compiled.get(descriptor) ?? compile(descriptor)
  compiled.set(descriptor, known)
  return known
}

function compile(descriptor: DriverDescriptor) {
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    ownProperties: true,
    validateFormats: false,
    // Tests check the schemas of the drivers.
    meta: false,
    validateSchema: false,
  })
  return { values: ajv.compile(descriptor.values), secrets: ajv.compile(descriptor.secrets) }
}

function isPlaceholder(value: unknown, pointer: string): boolean {
  const at = pointerSteps(pointer).reduce<unknown>(
    (inner, key) => (isObject(inner) || Array.isArray(inner) ? (inner as FreeForm)[key] : undefined),
    value,
  ) // arrays have text keys too
  if (typeof at !== 'string') return false
  let isMalformed = false // `malformedTexts` reports it
  const report = () => {
    isMalformed = true
  }
  return findPlaceholders(at, { report }).length > 0 || isMalformed
}

function messageOf(part: string, { instancePath, message = 'is not valid', params }: ErrorObject): string {
  const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : ''
  return `driver input '${part}${instancePath.replaceAll('/', '.')}' ${message}${allowed}`
}
