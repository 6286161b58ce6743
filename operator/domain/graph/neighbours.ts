import type { FreeForm } from '../../api/schema.ts'
import { compareText, ownValue } from '../base/json.ts'
import { parseReferenceText } from '../placeholder/link.ts'
import { inherit } from '../resource/descriptor.ts'
import type { Draft, DraftGraph } from './draft-graph.ts'
import type { IngressRule } from './module-links.ts'
import type { Report } from './needs.ts'

/** A reference to a neighbour of the driver of a resource. */
interface ImpliedReference {
  readonly draft: Draft
  readonly text: string
  readonly link: ReturnType<typeof parseReferenceText>
}

/**
 * Connects resources to what they select and to the neighbours of their drivers, until neither adds more: each can add
 * edges that another one follows.
 */
export function connectSelected(graph: DraftGraph, organizationId: string): void {
  resolveSelectors(graph)
  let implied = impliedReferences(graph)
  while (connectNeighbours(graph, implied, organizationId)) {
    resolveSelectors(graph)
    // No nodes are added, so only selectors can find more.
    implied = implied.filter(({ link }) => link.kind === 'selector')
  }
}

/** Evaluates all selectors until none selects more. */
function resolveSelectors(graph: DraftGraph): void {
  let isGrowing = graph.selections.size > 0
  while (isGrowing) {
    isGrowing = false
    for (const [draft, selections] of graph.selections) {
      for (const [text, selector] of selections) {
        const found = graph.select(selector, draft)
        const known = draft.references.get(text)
        if (known && found.length <= known.length) continue
        isGrowing ||= found.length > 0
        draft.references.set(text, found)
        for (const each of found) graph.connect(draft, each)
      }
    }
    graph.connectCopies()
  }
}

/** The references to neighbours of drivers, except for those that the definitions make themselves or need not make. */
function impliedReferences(graph: DraftGraph): ImpliedReference[] {
  const implied: ImpliedReference[] = []
  for (const draft of graph.nodes) {
    for (const [name, text] of Object.entries(draft.compiled?.driver?.neighbours ?? {})) {
      if (draft.references.get(text)?.length || hasInputInstead(draft, name)) continue
      implied.push({ draft, text, link: parseReferenceText(text) })
    }
  }
  return implied
}

/** Whether the definition gives the input that replaces a neighbour. A placeholder can turn out to be empty. */
function hasInputInstead({ compiled, match }: Draft, neighbour: string): boolean {
  const input = compiled?.driver?.inputsInsteadOfNeighbours?.[neighbour]
  const { values = {} } = match?.definition.spec.driverInputs ?? {}
  const given = input === undefined ? undefined : ownValue(values, input)
  return typeof given === 'string' && given !== '' && !given.includes('${')
}

/** Connects resources to neighbours. All neighbours are found before edges are added. Returns whether it found more. */
function connectNeighbours(
  graph: DraftGraph,
  implied: readonly ImpliedReference[],
  organizationId: string,
): boolean {
  const found = implied
    .map((each) => ({ ...each, targets: neighboursOf(each, graph, organizationId) }))
    .filter(({ draft, text, targets }) => targets.length > (draft.references.get(text)?.length ?? 0))
  for (const { draft, text, targets } of found) {
    draft.references.set(text, targets)
    for (const each of targets) graph.connect(draft, each)
  }
  graph.connectCopies()
  return found.length > 0
}

/** The neighbours for an implied reference. Its simple type names also match overrides of the organization. */
function neighboursOf(
  { draft, link }: ImpliedReference,
  graph: DraftGraph,
  organizationId: string,
): readonly Draft[] {
  const alternatives = (type: string): string[] => [type, `${organizationId}/${type}`]
  if (link.kind === 'selector') return graph.select(link.selector, draft, alternatives)
  const { reference } = link
  const target = alternatives(reference.type)
    .map((type) => graph.find(inherit({ ...reference, type }, draft.descriptor)))
    .find((each) => each !== undefined && each !== draft)
  return target ? [target] : []
}

/** Sets the params `rules` of each ingress from the `ingress` sections of workloads that name its dns resource. */
export function assignIngressRules(
  graph: DraftGraph,
  rules: ReadonlyMap<Draft, readonly IngressRule[]>,
  report: Report,
): void {
  for (const draft of graph.nodes) {
    const driver = draft.compiled?.driver
    if (!driver?.takesIngressRules || draft.params?.['rules'] !== undefined) continue
    const [dns] = draft.references.get(driver.neighbours['dns'] ?? '') ?? []
    const own = (dns && rules.get(dns)) ?? []
    if (own.length > 0) draft.params = { ...draft.params, rules: { http: rulesByPath(own, draft, report) } }
  }
}

function rulesByPath(rules: readonly IngressRule[], ingress: Draft, report: Report): FreeForm {
  const byPath = new Map<string, FreeForm>()
  const inPathOrder = [...rules].sort(
    (a, b) => compareText(a.path, b.path) || compareText(a.workload, b.workload),
  )
  for (const { path, type, port, workload } of inPathOrder) {
    const other = byPath.get(path)
    if (other) {
      const message = `path '${path}' is used by the workloads '${String(other['name'])}' and '${workload}'`
      report(ingress.text, 'ConflictingPath', message)
      continue
    }
    byPath.set(path, { type: type ?? 'prefix', name: workload, port })
  }
  return Object.fromEntries(byPath)
}
