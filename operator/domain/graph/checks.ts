import type { FreeForm } from '../../api/schema.ts'
import { compareText, sameJson } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import type { WorkBudget } from '../base/work-budget.ts'
import type { CompiledDefinition } from '../definition/compile-references.ts'
import type { ResourceTypeInfo } from '../resource/type-info.ts'
import { outputNamesOf } from '../schema/output-names.ts'
import { schemaProblems } from '../schema/user-schema.ts'
import type { Draft } from './draft-graph.ts'
import type { Needs, Report } from './needs.ts'

type Types = ReadonlyMap<string, ResourceTypeInfo>

/** A use of an output of another resource. */
export interface OutputUse {
  readonly user: Draft
  readonly target: Draft
  readonly output: string
  readonly text: string
}

/** Reports needs of workloads for custom types that only definitions may use. */
export function reportIndirectTypes({ externals, shared }: Needs, types: Types, report: Report): void {
  const requested = [...shared.values(), ...[...externals.values()].flatMap((own) => [...own.values()])]
  for (const { descriptor, text } of requested) {
    const { type } = descriptor
    if (!type.includes('/') || types.get(type)?.use !== 'indirect') continue
    const message = `type '${type}' is only for definitions: its use is 'indirect'`
    report(text, 'TypeNotDirect', message)
  }
}

/** Checks a node of the complete graph. */
export function checkNode(draft: Draft, types: Types, budget: WorkBudget, report: Report): void {
  checkParams(draft, types, budget, report)
  const [first, ...rest] = draft.paramSources
  const other = first && rest.find(({ params }) => !sameJson(params, first.params))
  if (other) {
    const claimants = draft.paramSources.map(({ by }) => by).sort(compareText)
    report(draft.text, 'ConflictingParams', `conflicting params from ${claimants.join(', ')}`)
  }
}

/** Checks the params against the input schema of the type. */
function checkParams(
  { descriptor, text, params }: Draft,
  types: Types,
  budget: WorkBudget,
  report: Report,
): void {
  const type = types.get(descriptor.type)
  if (!type || (params === undefined && !type.type.includes('/'))) return
  for (const message of problemsOfParams(type, params ?? {}, { lenient: true, budget }))
    report(text, 'InvalidParams', message)
}

/** What of the params does not fit the input schema of the type. With `lenient`, a placeholder fits. */
export function problemsOfParams(
  { type, inputsSchema }: ResourceTypeInfo,
  params: FreeForm,
  options: { readonly lenient?: boolean; readonly budget?: WorkBudget } = {},
): string[] {
  return schemaProblems(inputsSchema, params, options).map(({ pointer, message }) => {
    const where = pointer === '' ? 'the params' : `param '${pointer.slice(1).replaceAll('/', '.')}'`
    return `${where} of type '${type}': ${message}`
  })
}

/** Reports uses of outputs that will not exist, where the outputs are known before a provision. */
export function checkOutputs(
  uses: Iterable<OutputUse>,
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
