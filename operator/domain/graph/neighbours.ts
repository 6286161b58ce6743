import type { FreeForm } from '../../api/schema.ts'
import { compareText } from '../base/json.ts'
import { parseReferenceText } from '../placeholder/link.ts'
import { inherit } from '../resource/descriptor.ts'
import type { Draft, DraftGraph } from './draft.ts'
import type { IngressRule } from './module-links.ts'
import type { Report } from './needs.ts'

/**
 * Evaluates all selectors until none finds more: what one selects may be an edge that another one looks at.
 */
export function resolveSelectors(graph: DraftGraph): void {
  const selecting = graph.nodes.filter(({ selections }) => selections.size > 0)
  let isGrowing = selecting.length > 0
  while (isGrowing) {
    isGrowing = false
    for (const draft of selecting) {
      for (const [text, selector] of draft.selections) {
        const found = graph.select(selector, draft)
        isGrowing ||= found.length > (draft.references.get(text)?.length ?? 0)
        draft.references.set(text, found)
        for (const each of found) graph.connect(draft, each)
      }
    }
    graph.connectCopies()
  }
}

/**
 * Connects resources with the neighbours that their drivers see; all are found before any of them adds an
 * edge.
 */
export function connectNeighbours(graph: DraftGraph, organizationId: string): void {
  const found: { draft: Draft; text: string; targets: readonly Draft[] }[] = []
  for (const draft of graph.nodes) {
    for (const text of Object.values(draft.compiled?.driver?.neighbours ?? {})) {
      if (draft.references.get(text)?.length) continue
      const targets = neighboursOf(draft, text, graph, organizationId)
      if (targets.length > 0) found.push({ draft, text, targets })
    }
  }
  for (const { draft, text, targets } of found) {
    draft.references.set(text, targets)
    for (const each of targets) graph.connect(draft, each)
  }
  graph.connectCopies()
}

/** A driver names types by their simple names: an override of the organization will do as well. */
function neighboursOf(
  draft: Draft,
  text: string,
  graph: DraftGraph,
  organizationId: string,
): readonly Draft[] {
  const alternatives = (type: string): string[] => [type, `${organizationId}/${type}`]
  const link = parseReferenceText(text)
  if (link.kind === 'selector') return graph.select(link.selector, draft, alternatives)
  const { reference } = link
  const target = alternatives(reference.type)
    .map((type) => graph.find(inherit({ ...reference, type }, draft.descriptor)))
    .find((each) => each !== undefined && each !== draft && !each.virtual)
  return target ? [target] : []
}

/** The `ingress` sections of workloads become the rules of the ingress of the dns resource that they name. */
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
      const message = `path '${path}' is claimed by the workloads '${String(other['name'])}' and '${workload}'`
      report(ingress.text, 'ConflictingPath', message)
      continue
    }
    byPath.set(path, { type: type ?? 'prefix', name: workload, port })
  }
  return Object.fromEntries(byPath)
}
