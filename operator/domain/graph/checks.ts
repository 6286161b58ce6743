import { compareText, sameJson } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import type { WorkBudget } from '../base/work-budget.ts'
import type { CompiledDefinition } from '../definition/compile.ts'
import type { ResourceTypeInfo } from '../resource/type-info.ts'
import { outputNamesOf } from '../schema/output-names.ts'
import { schemaProblems } from '../schema/user-schema.ts'
import type { Draft } from './draft.ts'
import type { Needs, Report } from './needs.ts'

type Types = ReadonlyMap<string, ResourceTypeInfo>

/** A place that reads an output of another resource. */
export interface OutputUse {
  readonly user: Draft
  readonly target: Draft
  readonly output: string
  readonly text: string
}

/** What a workload asks for by a custom type that only definitions may use. */
export function reportIndirectTypes({ externals, shared }: Needs, types: Types, report: Report): void {
  const asked = [...shared.values(), ...[...externals.values()].flatMap((own) => [...own.values()])]
  for (const { descriptor, text } of asked) {
    const { type } = descriptor
    if (!type.includes('/') || types.get(type)?.use !== 'indirect') continue
    const message = `type '${type}' is for definitions only: its use is 'indirect'`
    report(text, 'TypeNotDirect', message)
  }
}

/** What can be said against a node when the whole graph is known. */
export function checkNode(draft: Draft, types: Types, budget: WorkBudget, report: Report): void {
  checkParams(draft, types, budget, report)
  const [first, ...rest] = draft.paramSources
  const other = first && rest.find(({ params }) => !sameJson(params, first.params))
  if (other) {
    const claimants = draft.paramSources.map(({ by }) => by).sort(compareText)
    report(draft.text, 'ConflictingParams', `different params are given by ${claimants.join(', ')}`)
  }
  for (const [text, targets] of draft.references) {
    const virtual = targets.find((each) => each.virtual)
    if (virtual) {
      const message = `'${text}' names '${virtual.text}', but no definition of type '${virtual.descriptor.type}' matches it`
      report(draft.text, 'NoMatchingDefinition', message)
    }
  }
}

/** What is given to a resource must be what its type takes. */
function checkParams(
  { descriptor, text, params }: Draft,
  types: Types,
  budget: WorkBudget,
  report: Report,
): void {
  const type = types.get(descriptor.type)
  if (!type || (params === undefined && !type.type.includes('/'))) return
  for (const { pointer, message } of schemaProblems(type.inputsSchema, params ?? {}, {
    lenient: true,
    budget,
  })) {
    const where = pointer === '' ? 'the params' : `param '${pointer.slice(1).replaceAll('/', '.')}'`
    report(text, 'InvalidParams', `${where} of type '${type.type}': ${message}`)
  }
}

/** Outputs that will not be there are found before anything is touched, where the outputs are known. */
export function checkOutputs(
  uses: readonly OutputUse[],
  types: Types,
  budget: WorkBudget,
  report: Report,
): void {
  const known = new Map<CompiledDefinition, ReadonlySet<string> | undefined>()
  for (const { user, target, output, text } of uses) {
    const { match, compiled, descriptor } = target
    if (!match || !compiled) continue
    const { metadata, spec } = match.definition
    if (!known.has(compiled))
      known.set(compiled, outputNamesOf(compiled.driver, spec.driverInputs, types.get(descriptor.type)))
    const names = known.get(compiled)
    if (!names || names.has(output)) continue
    const hint = didYouMean(output, names, budget)
    const message = `${text}: '${target.text}' has no output '${output}' from definition '${metadata.name}'${hint}`
    report(user.text, 'UnknownOutput', message)
  }
}
