import type { ResourceDefinition } from '../../api/resource-definition.ts'
import type { FreeForm } from '../../api/schema.ts'
import { isObject } from '../base/json.ts'
import { nearestOrKnown } from '../base/nearest.ts'
import type { ObjectProblem } from '../base/object-problem.ts'
import type { WorkBudget } from '../base/work-budget.ts'
import { definitionRoots, type Link, parseLink } from '../placeholder/link.ts'
import type { Reference } from '../resource/descriptor.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import { isProvidedBy } from '../resource/types.ts'
import { malformedSecret, secretPlaceholders } from '../secret/secret-inputs.ts'
import { problemsOfStores } from '../secret/secret-stores.ts'
import { driverOf, driverTypeOf, problemsOfAccount } from './definition.ts'
import { namelessSecrets, placeholdersIn, problemFrom, referenceIn } from './malformed-texts.ts'

/** One entry of `provision` in a definition. */
export interface Provisioning {
  readonly reference: Reference
  readonly isDependent: boolean
  readonly matchDependents: boolean
  readonly params: FreeForm | undefined
}

/** What the graph needs of a definition, computed once for all resources that it is chosen for. */
export interface CompiledDefinition {
  readonly links: readonly Link[]
  readonly provisions: readonly Provisioning[]
  readonly driver: DriverDescriptor | undefined
  readonly problems: readonly ObjectProblem[]
}

/** Everything that a definition can refer to. */
export interface DefinitionContext {
  readonly catalogue: readonly DriverDescriptor[]
  readonly vendors: readonly string[]
  /** Type of an account; undefined when the account does not exist. */
  accountTypeOf(name: string): string | undefined
  /** Remaining work for hints. */
  readonly budget: WorkBudget
}

/** Finds the references of a definition, and its problems. */
export function compileDefinition(
  definition: ResourceDefinition,
  context: DefinitionContext,
): CompiledDefinition {
  const { metadata, spec } = definition
  const problems: ObjectProblem[] = []
  const owner = `definition '${metadata.name}'`
  const driver = driverOf(spec.driverType, context.catalogue, context.vendors)
  problems.push(...driverProblems(definition, driver, owner, context))
  const { values = {}, secretRefs = {} } = spec.driverInputs ?? {}
  problems.push(...problemsOfStores(secretRefs, 'secretRefs', `${owner}, `))
  problems.push(...namelessSecrets(secretRefs, `${owner}, `))
  const links = distinct([
    ...linksIn(values, definitionRoots, `${owner}, driver inputs`, problems),
    ...linksInSecrets(secretRefs, `${owner}, secret input`, problems),
  ])
  const provisions: Provisioning[] = []
  for (const [key, entry] of Object.entries(spec.provision ?? {})) {
    const reference = referenceIn(key, owner, problems)
    if (!reference) continue
    const params = givenParams(entry.params)
    const { isDependent = false, matchDependents = false } = entry
    const before = problems.length
    linksIn(params ?? {}, definitionRoots, `${owner}, provision '${key}'`, problems)
    const isSound = problems.length === before
    provisions.push({ reference, isDependent, matchDependents, params: isSound ? params : undefined })
  }
  return { links, provisions, driver, problems }
}

function driverProblems(
  definition: ResourceDefinition,
  driver: DriverDescriptor | undefined,
  owner: string,
  context: DefinitionContext,
): ObjectProblem[] {
  const { driverType, type } = definition.spec
  const { catalogue, vendors } = context
  if (!driver) {
    const known = catalogue.map((each) => driverTypeOf(each, vendors))
    const hint = nearestOrKnown(driverType, { what: 'drivers', names: known }, context.budget)
    return [{ reason: 'UnknownDriver', message: `unknown driver '${driverType}' of ${owner}${hint}` }]
  }
  const problems: ObjectProblem[] = []
  const { resourceTypes } = driver
  if (!isProvidedBy(type, resourceTypes)) {
    const message = `driver '${driverType}' of ${owner} does not provide '${type}', only ${resourceTypes?.join(', ')}`
    problems.push({ reason: 'WrongType', message })
  }
  return [...problems, ...problemsOfAccount(definition, driver, context)]
}

/** The distinct targets of the placeholders in a value. Invalid placeholders become problems. */
export function linksIn(
  value: unknown,
  roots: readonly string[],
  where: string,
  problems: ObjectProblem[],
  lenient = false,
): Link[] {
  const links: Link[] = []
  for (const { path, at } of placeholdersIn(value, where, problems, lenient ? roots : undefined)) {
    try {
      links.push(parseLink(path, roots))
    } catch (error) {
      problems.push(problemFrom(error, 'InvalidPlaceholder', `${where} '${at}'`))
    }
  }
  return distinct(links)
}

/** The same for secret inputs. The problems never contain the text. */
function linksInSecrets(refs: FreeForm, where: string, problems: ObjectProblem[]): Link[] {
  const report = (at: string) =>
    problems.push({ reason: 'InvalidPlaceholder', message: `${where} '${at}' ${malformedSecret}` })
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

/** Params, or undefined when they are empty. */
export function givenParams(params: unknown): FreeForm | undefined {
  return isObject(params) && Object.keys(params).length > 0 ? params : undefined
}
