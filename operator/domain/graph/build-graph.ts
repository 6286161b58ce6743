import type { Reason } from '../../api/reasons/reasons.ts'
import type { ResourceDefinition } from '../../api/resource-definition.ts'
import type { FreeForm } from '../../api/schema.ts'
import { compareText } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import { sortTopologically } from '../base/topological-order.ts'
import { type CompiledDefinition, compileDefinition } from '../definition/compile-references.ts'
import type { ExplanationCache } from '../definition/near-misses.ts'
import { type Descriptor, defaultClass, formatDescriptor, inherit } from '../resource/descriptor.ts'
import { workloadOf } from '../resource/identity.ts'
import { resolveOverride } from '../resource/override.ts'
import type { ResourceTypeInfo } from '../resource/type-info.ts'
import { implicitTypes, simpleTypeName } from '../resource/types.ts'
import { checkNode, checkOutputs, reportIndirectTypes } from './checks.ts'
import { type Draft, DraftGraph } from './draft-graph.ts'
import { Guard } from './exception-guard.ts'
import type { ExtraNode, Graph, GraphInput, GraphNode } from './graph.ts'
import { LinkResolver } from './link-resolver.ts'
import { linkModules, moduleParams } from './module-links.ts'
import { emptyNeeds, type Needs, readNeeds } from './needs.ts'
import { assignIngressRules, connectSelected } from './neighbours.ts'
import { Problems } from './problems.ts'
import { RenderedWorkloads } from './rendered-workloads.ts'
import { assignSharedValues, type SharedValues } from './shared-values.ts'

const maxNodes = 10_000

/** Characters of the text that names the nodes of a cycle. */
const maxCycleLength = 262_144

/**
 * Builds the resource graph from the set, the implicit resources and what the definitions of all of them reference and
 * co-provision. Never throws: an exception becomes a problem of the resource that caused it.
 */
export function buildGraph(input: GraphInput): Graph {
  return new GraphBuilder(input).build()
}

class GraphBuilder {
  readonly #input: GraphInput
  readonly #graph: DraftGraph
  readonly #needs: Needs
  readonly #links: LinkResolver
  readonly #workloads: ReadonlySet<Draft>
  readonly #values: SharedValues
  readonly #types: ReadonlyMap<string, ResourceTypeInfo>
  readonly #compiled = new Map<ResourceDefinition, CompiledDefinition>()
  readonly #rendered: RenderedWorkloads
  readonly #problems = new Problems()
  readonly #guard: Guard
  readonly #explanations: ExplanationCache

  constructor(input: GraphInput) {
    this.#input = input
    this.#graph = new DraftGraph(input.context)
    this.#types = new Map(input.types.map((each) => [each.type, each]))
    this.#values = input.values ?? new Map()
    this.#guard = new Guard(this.#report)
    this.#needs = this.#guard.run('', () => this.#readNeeds()) ?? emptyNeeds()
    this.#explanations = { budget: this.#needs.budget, known: new Map() }
    this.#workloads = new Set(this.#needs.workloads.values())
    this.#rendered = new RenderedWorkloads(input.vendors, this.#report)
    this.#links = new LinkResolver(this.#graph, this.#needs, this.#values, this.#report)
  }

  build(): Graph {
    const graph = this.#graph
    const guard = this.#guard
    const rules = guard.run('', () => this.#linkModules()) ?? new Map()
    for (const { draft, params, by, workload } of this.#needs.params)
      guard.run(draft.text, () => this.#links.addParams(draft, params, by, workload))
    for (const each of this.#input.extra ?? [])
      guard.run(formatDescriptor(each.descriptor), () => this.#addExtra(each))
    guard.run('', () => reportIndirectTypes(this.#needs, this.#types, this.#report))
    for (const type of implicitTypes) guard.run(type, () => this.#addImplicit(type))
    for (const draft of graph.unexpanded()) guard.run(draft.text, () => this.#expand(draft))
    if (graph.size > maxNodes)
      this.#report('', 'TooManyResources', `the graph has more than ${maxNodes} resources`)
    guard.run('', () => {
      graph.connectCopies()
      this.#rendered.check()
      this.#rendered.connectInOrder(graph)
      connectSelected(graph, this.#input.context.organizationId)
      assignIngressRules(graph, rules, this.#report)
    })
    for (const draft of graph.nodes) guard.run(draft.text, () => this.#check(draft))
    guard.run('', () => checkOutputs(this.#links.outputUses(), this.#types, this.#needs.budget, this.#report))
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
      recordOutputUse: (...use) => this.#links.recordOutputUse(...use),
      recordServiceUse: (user, target, text) => this.#rendered.recordServiceUse(user, target, text),
    })
  }

  #check(draft: Draft): void {
    assignSharedValues(draft, this.#values, this.#workloads.has(draft), this.#report)
    checkNode(draft, this.#types, this.#needs.budget, this.#report)
  }

  readonly #report = (about: string, reason: Reason, text: string, most?: number): void =>
    this.#problems.add(about, reason, text, most)

  #expandType(type: string): string {
    const { context, matcher, hasDefinitionOfType = (each) => matcher.hasDefinitionOf(each) } = this.#input
    return resolveOverride(type, {
      organizationId: context.organizationId,
      isType: (each) => this.#types.has(each),
      hasDefinitionOf: hasDefinitionOfType,
    })
  }

  #addExtra({ descriptor, params }: ExtraNode): void {
    const draft = this.#graph.node(descriptor)
    if (params) this.#links.addParams(draft, params, draft.text, workloadOf(descriptor.resourceId))
  }

  #addImplicit(type: string): void {
    const { context, matcher } = this.#input
    const descriptor = { type, class: defaultClass, resourceId: type }
    if (matcher.match({ ...descriptor, context }).definition) this.#graph.node(descriptor)
  }

  /** Finds the definition of a node, and adds the resources that it references and co-provisions. */
  #expand(draft: Draft): void {
    if (this.#graph.size > maxNodes) return
    const { descriptor, text } = draft
    const { matcher, context } = this.#input
    if (!this.#types.has(descriptor.type)) return this.#reportUnknownType(descriptor, text)
    const match = matcher.match({ ...descriptor, context }, this.#explanations)
    if (!match.definition) {
      const message = `${match.explanation}${this.#overrideHint(descriptor.type)}`
      return this.#report(text, 'NoMatchingDefinition', message)
    }
    const compiled = this.#compile(match.definition)
    if (this.#workloads.has(draft)) this.#readModule(draft, compiled)
    draft.match = match
    draft.compiled = compiled
    for (const { reason, message } of compiled.problems) this.#report(text, reason, message)
    for (const link of compiled.links) this.#links.addLink(link, draft, undefined)
    for (const { reference, isDependent, matchDependents, params } of compiled.provisions) {
      const target = this.#graph.node(inherit(reference, descriptor))
      if (isDependent && target !== draft) this.#graph.connect(target, draft)
      if (matchDependents && target !== draft) this.#graph.copyDependents(draft, target)
      if (params) this.#links.addProvisionParams(target, params, draft, match.definition.metadata.name)
    }
  }

  #readModule(draft: Draft, { driver }: CompiledDefinition): void {
    draft.params = this.#moduleOf(draft)
    if (driver?.rendersModules) this.#rendered.add(draft, draft.params)
  }

  #reportUnknownType({ type }: Descriptor, text: string): void {
    const known = this.#input.types.map((each) => each.type)
    const hint = didYouMean(type, known, this.#needs.budget)
    this.#report(text, 'TypeNotFound', `resource type '${type}' is not known${hint}`)
  }

  #moduleOf({ descriptor }: Draft): FreeForm {
    const id = workloadOf(descriptor.resourceId) ?? ''
    const { modules } = this.#input.set
    return moduleParams(id, Object.hasOwn(modules, id) ? (modules[id] ?? {}) : {})
  }

  #overrideHint(type: string): string {
    const simple = simpleTypeName(type)
    if (simple === type || !this.#types.has(simple)) return ''
    return ` (a need of type '${simple}' means '${type}' while a definition of '${type}' exists)`
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

  #result(): Graph {
    const sorted = this.#guard.run('', () => sortTopologically(this.#graph.nodes))
    for (const cycle of sorted?.cycles ?? [])
      this.#report(cycle[0] ?? '', 'Cycle', cycle.join(' -> '), maxCycleLength)
    const nodes = (sorted?.order ?? []).map(toGraphNode)
    return { nodes, problems: this.#problems.listed(), errors: this.#guard.errors }
  }
}

function toGraphNode(draft: Draft): GraphNode {
  const { descriptor, guResId, match, params, values, compiled } = draft
  return {
    descriptor,
    guResId,
    match,
    driver: compiled?.driver,
    params,
    values,
    dependsOn: dependenciesOf(draft),
    references: referencesOf(draft),
  }
}

function dependenciesOf(draft: Draft): GraphNode['dependsOn'] {
  if (draft.edges.size === 0) return []
  const others = [...draft.edges].filter((each) => each !== draft)
  return others.map((each) => each.guResId).sort(compareText)
}

function referencesOf({ references }: Draft): GraphNode['references'] {
  if (references.size === 0) return {}
  const sorted = [...references].sort(([a], [b]) => compareText(a, b))
  return Object.fromEntries(sorted.map(([text, targets]) => [text, targets.map((each) => each.guResId)]))
}
