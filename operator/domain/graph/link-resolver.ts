import type { FreeForm } from '../../api/schema.ts'
import type { ObjectProblem } from '../base/object-problem.ts'
import { lengthOf } from '../base/size-limits.ts'
import { linksIn } from '../definition/compile-references.ts'
import { absolute, type Link, paramsRoots } from '../placeholder/link.ts'
import { inherit } from '../resource/descriptor.ts'
import type { OutputUse } from './checks.ts'
import type { Draft, DraftGraph } from './draft-graph.ts'
import { findDependency, type Needs, type Report } from './needs.ts'
import { problemOfValue, type SharedValues } from './shared-values.ts'

/** Characters of the params that definitions give to co-provisioned resources, per graph. */
const maxProvisionParamsLength = 64 * 1_048_576

/** Adds the edges and nodes that placeholders in params and definitions ask for. */
export class LinkResolver {
  readonly #graph: DraftGraph
  readonly #needs: Needs
  readonly #values: SharedValues
  readonly #report: Report
  readonly #outputUses: OutputUse[] = []
  /** The outputs that are read by selectors, whose targets are known when the graph is complete. */
  readonly #selectorUses: { readonly user: Draft; readonly selector: string; readonly output: string }[] = []
  #provisionParamsLength = 0

  constructor(graph: DraftGraph, needs: Needs, values: SharedValues, report: Report) {
    this.#graph = graph
    this.#needs = needs
    this.#values = values
    this.#report = report
  }

  /** The places that read outputs of other resources, complete when the graph is. A selector reads one resource per definition. */
  *outputUses(): Generator<OutputUse> {
    yield* this.#outputUses
    const distinct = new Map<readonly Draft[], readonly Draft[]>()
    for (const { user, selector, output } of this.#selectorUses) {
      const selected = user.references.get(selector) ?? []
      const targets = distinct.get(selected) ?? onePerDefinition(selected)
      distinct.set(selected, targets)
      for (const target of targets) yield { user, target, output, text: `'${selector}'` }
    }
  }

  recordOutputUse(user: Draft, target: Draft, output: string, text: string): void {
    this.#outputUses.push({ user, target, output, text })
  }

  /** Gives params to a resource and resolves their links; `workload` is the one whose names they use. */
  addParams(draft: Draft, params: FreeForm, by: string, workload: string | undefined): void {
    draft.paramSources.push({ by, params })
    draft.params ??= params
    const problems: ObjectProblem[] = []
    for (const link of linksIn(params, paramsRoots, `params of ${by}`, problems, true))
      this.addLink(link, draft, workload)
    for (const { reason, message } of problems) this.#report(draft.text, reason, message)
  }

  /** Gives the params of a definition to a co-provisioned resource. Every resource gets a copy, so the total is bounded. */
  addProvisionParams(target: Draft, params: FreeForm, from: Draft, definition: string): void {
    if (this.#provisionParamsLength > maxProvisionParamsLength) return
    const given = absolute(params, from.descriptor, from.guResId)
    this.#provisionParamsLength += lengthOf(given)
    if (this.#provisionParamsLength <= maxProvisionParamsLength)
      return this.addParams(target, given, from.text, undefined)
    const message = `definitions give params of more than ${maxProvisionParamsLength} characters in total to co-provisioned resources; definition '${definition}' exceeds the limit with the params for '${target.text}'`
    this.#report(from.text, 'TooLarge', message)
  }

  /** Adds the edge, and for a reference the node, that a placeholder of `draft` asks for. */
  addLink(link: Link, draft: Draft, workload: string | undefined): void {
    switch (link.kind) {
      case 'context':
        return
      case 'reference':
        return this.#addReference(link, this.#graph.node(inherit(link.reference, draft.descriptor)), draft)
      case 'selector':
        this.#graph.addSelection(draft, link.text, link.selector)
        if (link.output !== undefined)
          this.#selectorUses.push({ user: draft, selector: link.text, output: link.output })
        return
      case 'workload': {
        const message = `'modules.${link.workload}' in params names no dependency`
        return this.#report(draft.text, 'InvalidPlaceholder', message)
      }
      case 'value': {
        const problem = problemOfValue(link.path, this.#values, this.#needs.budget)
        if (problem) this.#report(draft.text, problem.reason, `in params: ${problem.message}`)
        return
      }
      case 'dependency':
        return this.#addDependency(link, draft, workload)
    }
  }

  #addDependency(
    link: Extract<Link, { kind: 'dependency' }>,
    draft: Draft,
    workload: string | undefined,
  ): void {
    const target = findDependency(this.#needs, link.path, workload)
    if (typeof target === 'string')
      return this.#report(draft.text, 'UnknownDependency', `'${link.text}' in params: ${target}`)
    this.#addReference(link, target, draft)
    const user = workload === undefined ? undefined : this.#needs.workloads.get(workload)
    if (user) this.#graph.connect(user, target)
  }

  #addReference({ text, output }: Extract<Link, { output?: string }>, target: Draft, draft: Draft): void {
    // Workloads that give a resource equal params may each mean a dependency of theirs.
    const [other] = draft.references.get(text) ?? []
    if (other && other !== target) {
      const message = `'${text}' in params means '${other.text}' to one workload and '${target.text}' to another`
      return this.#report(draft.text, 'ConflictingParams', message)
    }
    draft.references.set(text, [target])
    if (output !== undefined) this.recordOutputUse(draft, target, output, `'${text}'`)
    this.#graph.connect(draft, target)
  }
}

/** The first of the resources of each definition: all have the same outputs. */
function onePerDefinition(drafts: readonly Draft[]): Draft[] {
  const first = new Map<Draft['compiled'], Draft>()
  for (const each of drafts) if (!first.has(each.compiled)) first.set(each.compiled, each)
  return [...first.values()]
}
