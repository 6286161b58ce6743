import type { Reason } from '../../api/reasons/reasons.ts'
import type { ResourceDefinition } from '../../api/resource-definition.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { isObject } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import type { WorkBudget } from '../base/work-budget.ts'
import { definitionRoots, type Link, parseLink } from '../placeholder/link.ts'
import { findPlaceholders } from '../placeholder/placeholder.ts'
import { parseReference, type Reference } from '../resource/descriptor.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import { isProvidedBy } from '../resource/types.ts'
import { malformedSecret, secretPlaceholders } from '../secret/secret-inputs.ts'
import { faultsOfStores } from '../secret/secret-stores.ts'
import { driverOf, driverTypeOf, faultsOfAccount } from './definition.ts'

/** What is wrong with a definition for whatever resource it is chosen. */
export interface DefinitionFault {
  readonly reason: Reason
  readonly message: string
}

/** One entry of `provision`. */
export interface Provisioning {
  readonly reference: Reference
  readonly isDependent: boolean
  readonly matchDependents: boolean
  readonly params: FreeForm | undefined
}

/** A definition as the graph needs it, worked out once however many resources it is chosen for. */
export interface CompiledDefinition {
  readonly links: readonly Link[]
  readonly provisions: readonly Provisioning[]
  readonly driver: DriverDescriptor | undefined
  readonly faults: readonly DefinitionFault[]
}

/** What definitions may name. */
export interface Surroundings {
  readonly catalogue: readonly DriverDescriptor[]
  readonly vendors: readonly string[]
  /** Type of an account; undefined when there is none of that name. */
  accountTypeOf(name: string): string | undefined
  /** What is left of the work for hints. */
  readonly budget: WorkBudget
}

/** Works out what a definition refers to, and what of that cannot be. */
export function compileDefinition(
  definition: ResourceDefinition,
  surroundings: Surroundings,
): CompiledDefinition {
  const { metadata, spec } = definition
  const faults: DefinitionFault[] = []
  const owner = `definition '${metadata.name}'`
  const driver = driverOf(spec.driverType, surroundings.catalogue, surroundings.vendors)
  faults.push(...driverFaults(definition, driver, owner, surroundings))
  const { values = {}, secretRefs = {} } = spec.driverInputs ?? {}
  faults.push(...faultsOfStores(secretRefs, 'secretRefs', `${owner}, `))
  const links = distinct([
    ...linksIn(values, definitionRoots, `${owner}, driver inputs`, faults),
    ...linksInSecrets(secretRefs, `${owner}, secret input`, faults),
  ])
  const provisions: Provisioning[] = []
  for (const [key, entry] of Object.entries(spec.provision ?? {})) {
    const where = `${owner}, provision '${key}'`
    const params = givenParams(entry.params)
    try {
      const reference = parseReference(key)
      const { isDependent = false, matchDependents = false } = entry
      const before = faults.length
      linksIn(params ?? {}, definitionRoots, where, faults)
      const isSound = faults.length === before
      provisions.push({ reference, isDependent, matchDependents, params: isSound ? params : undefined })
    } catch (error) {
      faults.push(faultFrom(error, 'InvalidReference', owner))
    }
  }
  return { links, provisions, driver, faults }
}

function driverFaults(
  definition: ResourceDefinition,
  driver: DriverDescriptor | undefined,
  owner: string,
  surroundings: Surroundings,
): DefinitionFault[] {
  const { driverType, type } = definition.spec
  const { catalogue, vendors } = surroundings
  if (!driver) {
    const known = catalogue.map((each) => driverTypeOf(each, vendors))
    const hint = didYouMean(driverType, known, surroundings.budget) || `; known drivers: ${known.join(', ')}`
    return [{ reason: 'UnknownDriver', message: `unknown driver '${driverType}' of ${owner}${hint}` }]
  }
  const faults: DefinitionFault[] = []
  const { resourceTypes } = driver
  if (!isProvidedBy(type, resourceTypes)) {
    const message = `driver '${driverType}' of ${owner} does not provide '${type}', only ${resourceTypes?.join(', ')}`
    faults.push({ reason: 'WrongType', message })
  }
  return [...faults, ...faultsOfAccount(definition, driver, surroundings)]
}

/** The distinct things that the placeholders in a value name; those that can name nothing become faults. */
export function linksIn(
  value: unknown,
  roots: readonly string[],
  where: string,
  faults: DefinitionFault[],
  lenient = false,
): Link[] {
  const links: Link[] = []
  try {
    for (const { path, at } of findPlaceholders(value, lenient ? { roots } : {})) {
      try {
        links.push(parseLink(path, roots))
      } catch (error) {
        faults.push(faultFrom(error, 'InvalidPlaceholder', `${where} '${at}'`))
      }
    }
  } catch (error) {
    faults.push(faultFrom(error, 'InvalidPlaceholder', where))
  }
  return distinct(links)
}

/** The same for secret inputs, of which no fault tells the text. */
function linksInSecrets(refs: FreeForm, where: string, faults: DefinitionFault[]): Link[] {
  const report = (at: string) =>
    faults.push({ reason: 'InvalidPlaceholder', message: `${where} '${at}' ${malformedSecret}` })
  return secretPlaceholders(refs, report).map(({ path }) => parseLink(path, definitionRoots))
}

function distinct(links: readonly Link[]): Link[] {
  const byName = new Map<string, Link>()
  for (const link of links) {
    const name = 'text' in link ? link.text : 'path' in link ? link.path.join('\0') : ''
    byName.set(`${link.kind}\0${name}\0${'output' in link ? link.output : ''}`, link)
  }
  return [...byName.values()]
}

function faultFrom(error: unknown, reason: Reason, where: string): DefinitionFault {
  if (error instanceof Problem) return { reason, message: `${where}: ${error.message}` }
  throw error
}

/** Parameters that somebody gave; none and empty ones are the same. */
export function givenParams(params: unknown): FreeForm | undefined {
  return isObject(params) && Object.keys(params).length > 0 ? params : undefined
}
