import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { escapeToken, isObject } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import type { SetContent } from '../delta/delta.ts'
import { modulePlaceholderRoots, moduleRoots, parseLink } from '../placeholder/link.ts'
import {
  type FoundPlaceholder,
  findPlaceholders,
  mapTextsAndKeys,
  refuseSameKeys,
} from '../placeholder/placeholder.ts'
import { formatPath, formatTemplate, parseTemplate } from '../placeholder/template.ts'
import type { Draft, DraftGraph } from './draft-graph.ts'
import type { Guard } from './exception-guard.ts'
import { findDependency, type Needs, type Report } from './needs.ts'
import { problemOfValue, type SharedValues } from './shared-values.ts'

/** A dependency outside a placeholder, such as `externals.data` or `shared['a.b']`. */
const dependencyName = /^(?:externals|shared|modules)[.[]/

/** One path of the `ingress` section of a workload. */
export interface IngressRule {
  readonly workload: string
  readonly path: string
  readonly type: unknown
  readonly port: unknown
}

interface LinkContext {
  readonly graph: DraftGraph
  readonly needs: Needs
  readonly values: SharedValues
  readonly report: Report
  readonly guard: Guard
  /** Records the use of an output, for the check that it will exist. */
  recordOutputUse(user: Draft, target: Draft, output: string, text: string): void
  /** Records that a workload names the Service of another one; `text` says where. */
  recordServiceUse(user: Draft, target: Draft, text: string): void
}

/** Connects each workload to the dependencies that its module names. Returns the ingress rules by dependency. */
export function linkModules(set: SetContent, tools: LinkContext): Map<Draft, IngressRule[]> {
  const rules = new Map<Draft, IngressRule[]>()
  for (const [id, workload] of tools.needs.workloads) {
    const spec = Object.hasOwn(set.modules, id) ? set.modules[id]?.['spec'] : undefined
    if (isObject(spec)) tools.guard.run(workload.text, () => linkModule(id, spec, workload, tools, rules))
  }
  return rules
}

function linkModule(
  id: string,
  spec: FreeForm,
  workload: Draft,
  tools: LinkContext,
  rules: Map<Draft, IngressRule[]>,
): void {
  for (const { path, at } of placeholdersIn(spec, workload, tools.report))
    connectTo(() => path, at, id, workload, tools)
  for (const { name, at } of namedVolumes(spec)) connectTo(() => bareReference(name), at, id, workload, tools)
  for (const { name, at, paths } of ingressSections(spec)) {
    const dns = connectTo(() => bareReference(name), at, id, workload, tools)
    if (!dns) continue
    const known = rules.get(dns) ?? []
    for (const [path, { type, port }] of paths) known.push({ workload: id, path, type, port })
    rules.set(dns, known)
  }
}

function placeholdersIn(spec: unknown, workload: Draft, report: Report): FoundPlaceholder[] {
  try {
    const found = findPlaceholders(spec, { keys: true, roots: modulePlaceholderRoots })
    refuseSameKeys(spec, withServiceNames)
    return found
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    report(workload.text, 'InvalidPlaceholder', error.message)
    return []
  }
}

/** Connects a workload to the target of the path at `at`. An invalid path becomes a problem of the workload. */
function connectTo(
  readPath: () => readonly string[],
  at: string,
  id: string,
  workload: Draft,
  tools: LinkContext,
): Draft | undefined {
  const { graph, needs, values, report, recordOutputUse } = tools
  try {
    const path = readPath()
    const link = parseLink(path, modulePlaceholderRoots)
    if (link.kind === 'workload') {
      connectToService(link.workload, { path, at }, workload, tools)
      return undefined
    }
    if (link.kind === 'context' && link.name.startsWith('res.'))
      report(workload.text, 'InvalidPlaceholder', `'${formatPath(path)}' at '${at}' is only for definitions`)
    if (link.kind === 'value') {
      const problem = problemOfValue(link.path, values, needs.budget)
      if (problem) report(workload.text, problem.reason, `at '${at}': ${problem.message}`)
    }
    if (link.kind !== 'dependency') return undefined
    const target = findDependency(needs, link.path, id)
    if (typeof target !== 'string') {
      graph.connect(workload, target)
      workload.references.set(link.text, [target])
      if (link.output !== undefined)
        recordOutputUse(workload, target, link.output, `'${formatPath(path)}' at '${at}'`)
      return target
    }
    report(workload.text, 'UnknownDependency', `'${formatPath(path)}' at '${at}': ${target}`)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    report(workload.text, 'InvalidPlaceholder', `at '${at}': ${error.message}`)
  }
  return undefined
}

/** Records that a workload names the Service of another one, whose name is all that a module can read of it. */
function connectToService(
  name: string,
  { path, at }: FoundPlaceholder,
  workload: Draft,
  { needs, report, recordServiceUse }: LinkContext,
): void {
  const place = `'${formatPath(path)}' at '${at}'`
  const target = needs.workloads.get(name)
  if (!target) {
    const hint = didYouMean(name, needs.workloads.keys(), needs.budget)
    return report(workload.text, 'UnknownWorkload', `${place}: workload '${name}' does not exist${hint}`)
  }
  if (serviceName(path) !== undefined) return recordServiceUse(workload, target, place)
  const message = `${place}: a workload has only 'service.name' and 'externals.<name>'`
  return report(workload.text, 'InvalidPlaceholder', message)
}

/** The params of a `workload` resource: its module, with the names of Services filled in and other placeholders kept. */
export function moduleParams(id: string, module: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { profile, spec, deploy } = module
  return {
    id,
    ...(typeof profile === 'string' ? { profile } : {}),
    spec: mapTextsAndKeys(isObject(spec) ? spec : {}, withServiceNames),
    ...(isObject(deploy) ? { deploy } : {}),
  }
}

/** The text with the names of Services filled in. A malformed text is kept: `linkModules` reports it. */
function withServiceNames(text: string): string {
  if (!text.includes('${')) return text
  try {
    const parts = parseTemplate(text, modulePlaceholderRoots)
    return formatTemplate(
      parts.map((part) => (typeof part === 'string' ? part : (serviceName(part.path) ?? part))),
    )
  } catch (error) {
    if (error instanceof Problem) return text
    throw error
  }
}

/** The Service of a workload has the name of the workload. */
function serviceName(path: readonly string[]): string | undefined {
  const [root, workload, part, field] = path
  const isName = root === 'modules' && part === 'service' && field === 'name' && path.length === 4
  return isName ? workload : undefined
}

/** The path of a dependency outside a placeholder, such as `externals.dns`. */
function bareReference(name: string): readonly string[] {
  const [part] = parseTemplate(`\${${name}}`, moduleRoots)
  return typeof part === 'object' ? part.path : [name]
}

function namedVolumes(spec: Record<string, unknown>): { name: string; at: string }[] {
  const named: { name: string; at: string }[] = []
  for (const [container, { volume_mounts: mounts }] of objectsIn(spec['containers'])) {
    for (const [path, { id }] of objectsIn(mounts)) {
      const at = `/containers/${escapeToken(container)}/volume_mounts/${escapeToken(path)}/id`
      if (typeof id === 'string' && dependencyName.test(id)) named.push({ name: id, at })
    }
  }
  return named
}

function ingressSections(
  spec: Record<string, unknown>,
): { name: string; at: string; paths: [string, Record<string, unknown>][] }[] {
  const ingress = spec['ingress']
  if (!isObject(ingress)) return []
  return objectsIn(ingress['rules']).map(([name, { http }]) => ({
    name,
    at: `/ingress/rules/${escapeToken(name)}`,
    paths: objectsIn(http),
  }))
}

function objectsIn(value: unknown): [string, Record<string, unknown>][] {
  if (!isObject(value)) return []
  return Object.entries(value).map(([key, member]) => [key, isObject(member) ? member : {}])
}
