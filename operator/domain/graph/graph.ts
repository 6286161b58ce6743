import type { ResourceContext } from '../../api/active-resource.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import type { ResourceDefinition } from '../../api/resource-definition.ts'
import type { FreeForm } from '../../api/schema.ts'
import type { ValueSource } from '../../api/shared-value.ts'
import { compareText } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import { inOrder } from '../base/order.ts'
import { lengthOf } from '../base/size.ts'
import {
  type CompiledDefinition,
  compileDefinition,
  type DefinitionFault,
  linksIn,
} from '../definition/compile.ts'
import type { Matcher, WonMatch } from '../definition/matching.ts'
import type { Misses } from '../definition/near-misses.ts'
import type { SetContent } from '../delta/delta.ts'
import { absolute, type Link, paramsRoots } from '../placeholder/link.ts'
import { type Descriptor, defaultClass, formatDescriptor, inherit } from '../resource/descriptor.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import { workloadOf } from '../resource/identity.ts'
import { overriding } from '../resource/override.ts'
import { implicitTypes, type ResourceTypeInfo, simpleTypeName } from '../resource/types.ts'
import { checkNode, checkOutputs, type OutputUse, refuseIndirect } from './checks.ts'
import { type Draft, DraftGraph } from './draft.ts'
import { Guard } from './guard.ts'
import { linkModules, moduleParams } from './module-links.ts'
import { findDependency, type Needs, noNeeds, readNeeds } from './needs.ts'
import { followSelectors, giveIngressRules, meetNeighbours } from './neighbours.ts'
import { type ListedProblem, Problems } from './problems.ts'
import { faultOfValue, giveValues, type SharedValues } from './shared-values.ts'

/** What a graph is built from. */
export interface GraphInput {
  readonly context: ResourceContext
  readonly set: SetContent
  /** Resources that are asked for beside those of the set; of the types that are given. */
  readonly extra?: readonly ExtraNode[]
  readonly matcher: Matcher
  /** All types that are known: the built-in ones and those of the organization. */
  readonly types: readonly ResourceTypeInfo[]
  readonly catalogue: readonly DriverDescriptor[]
  /** Vendor names under which our drivers go, our own first. */
  readonly vendors: readonly string[]
  /** Shared values that the environment sees; none when absent. */
  readonly values?: SharedValues
  /** Whether the organization has a definition of the type; as the matcher knows when absent. */
  hasDefinitionOfType?(type: string): boolean
  /** Type of an account of the organization; there is none of that name when absent. */
  accountTypeOf?(name: string): string | undefined
}

/** A resource that no set can hold, such as a second implicit one. */
export interface ExtraNode {
  readonly descriptor: Descriptor
  readonly params?: FreeForm
}

/** A resource that a deployment wants. */
export interface GraphNode {
  readonly descriptor: Descriptor
  readonly guResId: string
  /** The definition that provisions it, and why; absent when nothing does. */
  readonly match: WonMatch | undefined
  readonly driver: DriverDescriptor | undefined
  readonly params: FreeForm | undefined
  /** Shared values that the params name, by key. */
  readonly values: Readonly<Record<string, ValueSource>>
  /** GUResIDs, sorted; resources that are virtual are left out. */
  readonly dependsOn: readonly string[]
  /** GUResIDs by the text of the reference, for placeholders and the driver's neighbours. */
  readonly references: Readonly<Record<string, readonly string[]>>
  /** There for its edges alone: a workload that no definition provisions. */
  readonly virtual: boolean
}

/**
 * The resources of an environment, dependencies before dependents, and everything that is wrong with them.
 */
export interface Graph {
  readonly nodes: readonly GraphNode[]
  /** The first of them, and how many more there are. */
  readonly problems: readonly ListedProblem[]
  /** Errors of the program behind some of the problems, for the log. */
  readonly errors: readonly unknown[]
}

const maxNodes = 10_000

/** Characters of the way around a cycle. */
const maxCycleLength = 262_144

/** Characters of the params that definitions give to what they co-provision, in a whole graph. */
const maxGivenLength = 64 * 1_048_576

/**
 * Builds the resource graph: from the set, the implicit resources and what the definitions of all of them
 * bring in. Never throws: an exception becomes a problem of the resource that it is about.
 */
export function buildGraph(input: GraphInput): Graph {
  return new GraphBuilder(input).build()
}

class GraphBuilder {
  readonly #input: GraphInput
  readonly #graph: DraftGraph
  readonly #needs: Needs
  readonly #workloads: ReadonlySet<Draft>
  readonly #values: SharedValues
  readonly #types: ReadonlyMap<string, ResourceTypeInfo>
  readonly #compiled = new Map<ResourceDefinition, CompiledDefinition>()
  readonly #problems = new Problems()
  readonly #guard: Guard
  readonly #misses: Misses
  readonly #uses: OutputUse[] = []
  #givenLength = 0

  constructor(input: GraphInput) {
    this.#input = input
    this.#graph = new DraftGraph(input.context)
    this.#types = new Map(input.types.map((each) => [each.type, each]))
    this.#guard = new Guard(this.#report)
    this.#needs = this.#guard.run('', () => this.#readNeeds()) ?? noNeeds()
    this.#misses = { budget: this.#needs.budget, known: new Map() }
    this.#workloads = new Set(this.#needs.workloads.values())
    this.#values = input.values ?? new Map()
  }

  build(): Graph {
    const graph = this.#graph
    const guard = this.#guard
    const rules = guard.run('', () => this.#linkModules()) ?? new Map()
    for (const each of this.#needs.params)
      guard.run(each.draft.text, () => this.#takeParams(each.draft, each.params, each.by, each.workload))
    for (const each of this.#input.extra ?? [])
      guard.run(formatDescriptor(each.descriptor), () => this.#addExtra(each))
    guard.run('', () => refuseIndirect(this.#needs, this.#types, this.#report))
    for (const type of implicitTypes) guard.run(type, () => this.#addImplicit(type))
    for (const draft of graph.unexpanded()) guard.run(draft.text, () => this.#expand(draft))
    if (graph.size > maxNodes)
      this.#report('', 'TooManyResources', `the graph has more than ${maxNodes} resources`)
    guard.run('', () => {
      graph.settle()
      followSelectors(graph)
      meetNeighbours(graph, this.#input.context.organizationId)
      giveIngressRules(graph, rules, this.#report)
    })
    for (const draft of graph.nodes) guard.run(draft.text, () => this.#check(draft))
    guard.run('', () => checkOutputs(this.#uses, this.#types, this.#needs.budget, this.#report))
    return this.#result()
  }

  #readNeeds(): Needs {
    return readNeeds({
      context: this.#input.context,
      set: this.#input.set,
      graph: this.#graph,
      expandType: (type) => this.#expandType(type),
      report: this.#report,
    })
  }

  #linkModules() {
    return linkModules(this.#input.set, {
      graph: this.#graph,
      needs: this.#needs,
      values: this.#values,
      report: this.#report,
      guard: this.#guard,
      readUse: (user, target, output, text) => this.#uses.push({ user, target, output, text }),
    })
  }

  #check(draft: Draft): void {
    giveValues(draft, this.#values, this.#workloads.has(draft), this.#report)
    checkNode(draft, this.#types, this.#needs.budget, this.#report)
  }

  readonly #report = (about: string, reason: Reason, text: string, most?: number): void =>
    this.#problems.add(about, reason, text, most)

  /**
   * Endpoint rule 11: a simple name stands for the override as long as the organization has a definition of
   * it.
   */
  #expandType(type: string): string {
    const { context, matcher, hasDefinitionOfType = (each) => matcher.hasDefinitionOf(each) } = this.#input
    return overriding(type, {
      organizationId: context.organizationId,
      isType: (each) => this.#types.has(each),
      hasDefinitionOf: hasDefinitionOfType,
    })
  }

  #addExtra({ descriptor, params }: ExtraNode): void {
    const draft = this.#graph.node(descriptor)
    if (params) this.#takeParams(draft, params, draft.text, workloadOf(descriptor.resourceId))
  }

  #addImplicit(type: string): void {
    const { context, matcher } = this.#input
    const descriptor = { type, class: defaultClass, resourceId: type }
    if (matcher.match({ ...descriptor, context }).definition) this.#graph.node(descriptor)
  }

  /** Finds the definition of a node, and brings in what that refers to and co-provisions. */
  #expand(draft: Draft): void {
    if (this.#graph.size > maxNodes) return
    const { descriptor, text } = draft
    const { matcher, context, types } = this.#input
    if (!this.#types.has(descriptor.type)) {
      const hint = didYouMean(
        descriptor.type,
        types.map(({ type }) => type),
        this.#needs.budget,
      )
      return this.#report(text, 'TypeNotFound', `resource type '${descriptor.type}' is not known${hint}`)
    }
    const match = matcher.match({ ...descriptor, context }, this.#misses)
    if (!match.definition) {
      draft.virtual = this.#workloads.has(draft)
      if (!draft.virtual)
        this.#report(
          text,
          'NoMatchingDefinition',
          `${match.explanation}${this.#overrideHint(descriptor.type)}`,
        )
      return
    }
    const compiled = this.#compile(match.definition)
    draft.match = match
    draft.compiled = compiled
    for (const { reason, message } of compiled.faults) this.#report(text, reason, message)
    for (const link of compiled.links) this.#follow(link, draft, undefined)
    if (this.#workloads.has(draft)) draft.params = this.#moduleOf(draft)
    for (const { reference, isDependent, matchDependents, params } of compiled.provisions) {
      const target = this.#graph.node(inherit(reference, descriptor))
      if (isDependent && target !== draft) this.#graph.connect(target, draft)
      if (matchDependents && target !== draft) this.#graph.copyDependents(draft, target)
      if (params) this.#giveParams(target, params, draft, match.definition.metadata.name)
    }
  }

  /** Each resource of the definition gets params of its own, so that few definitions may make much of them. */
  #giveParams(
    target: Draft,
    params: FreeForm,
    { descriptor, guResId, text }: Draft,
    definition: string,
  ): void {
    if (this.#givenLength > maxGivenLength) return
    const given = absolute(params, descriptor, guResId)
    this.#givenLength += lengthOf(given)
    if (this.#givenLength <= maxGivenLength) return this.#takeParams(target, given, text, undefined)
    const message = `definitions give params of more than ${maxGivenLength} characters in all to what they provision besides; those of '${definition}' to '${target.text}' are too much`
    this.#report(text, 'TooLarge', message)
  }

  #moduleOf({ descriptor }: Draft): FreeForm | undefined {
    const id = workloadOf(descriptor.resourceId) ?? ''
    const { modules } = this.#input.set
    return moduleParams(id, Object.hasOwn(modules, id) ? (modules[id] ?? {}) : {})
  }

  #overrideHint(type: string): string {
    const simple = simpleTypeName(type)
    if (simple === type || !this.#types.has(simple)) return ''
    return ` (needs of type '${simple}' mean '${type}' as long as there is a definition of it)`
  }

  #compile(definition: ResourceDefinition): CompiledDefinition {
    const known = this.#compiled.get(definition)
    if (known) return known
    const { catalogue, vendors, accountTypeOf = () => undefined } = this.#input
    const compiled = compileDefinition(definition, {
      catalogue,
      vendors,
      accountTypeOf,
      budget: this.#needs.budget,
    })
    this.#compiled.set(definition, compiled)
    return compiled
  }

  #takeParams(draft: Draft, params: FreeForm, by: string, workload: string | undefined): void {
    draft.paramSources.push({ by, params })
    draft.params ??= params
    const faults: DefinitionFault[] = []
    for (const link of linksIn(params, paramsRoots, `params of ${by}`, faults, true))
      this.#follow(link, draft, workload)
    for (const { reason, message } of faults) this.#report(draft.text, reason, message)
  }

  /** Adds the edge, and for a reference the node, that a placeholder of `draft` asks for. */
  #follow(link: Link, draft: Draft, workload: string | undefined): void {
    if (link.kind === 'reference')
      return this.#refer(link, this.#graph.node(inherit(link.reference, draft.descriptor)), draft)
    if (link.kind === 'selector') return void draft.selections.set(link.text, link.selector)
    if (link.kind === 'workload')
      return this.#report(
        draft.text,
        'InvalidPlaceholder',
        `'modules.${link.workload}' in params names no dependency`,
      )
    if (link.kind === 'context') return
    if (link.kind === 'value') {
      const fault = faultOfValue(link.path, this.#values, this.#needs.budget)
      if (fault) this.#report(draft.text, fault.reason, `in params: ${fault.message}`)
      return
    }
    const target = findDependency(this.#needs, link.path, workload)
    if (typeof target === 'string')
      return this.#report(draft.text, 'UnknownDependency', `'${link.text}' in params: ${target}`)
    this.#refer(link, target, draft)
    const user = workload === undefined ? undefined : this.#needs.workloads.get(workload)
    if (user) this.#graph.connect(user, target)
  }

  #refer({ text, output }: Extract<Link, { output?: string }>, target: Draft, draft: Draft): void {
    draft.references.set(text, [target])
    if (output !== undefined) this.#uses.push({ user: draft, target, output, text: `'${text}'` })
    this.#graph.connect(draft, target)
  }

  #result(): Graph {
    const ordered = this.#guard.run('', () => inOrder(this.#graph.nodes))
    for (const cycle of ordered?.cycles ?? [])
      this.#report(cycle[0] ?? '', 'Cycle', cycle.join(' -> '), maxCycleLength)
    const nodes = (ordered?.order ?? []).map(finished)
    return { nodes, problems: this.#problems.listed(), errors: this.#guard.errors }
  }
}

function finished(draft: Draft): GraphNode {
  const { descriptor, guResId, match, params, values, virtual, compiled } = draft
  const dependsOn = [...draft.edges]
    .filter((each) => !each.virtual && each !== draft)
    .map((each) => each.guResId)
  const references = [...draft.references].sort(([a], [b]) => compareText(a, b))
  return {
    descriptor,
    guResId,
    match,
    driver: compiled?.driver,
    params,
    values,
    dependsOn: dependsOn.sort(compareText),
    references: Object.fromEntries(
      references.map(([text, targets]) => [text, targets.map((each) => each.guResId)]),
    ),
    virtual,
  }
}
