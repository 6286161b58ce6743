import type { Draft } from './draft.ts'
import { compareText, sameJson } from './json.ts'
import { didYouMean } from './nearest.ts'
import type { Needs, Report } from './needs.ts'
import { outputNamesOf } from './output-names.ts'
import type { ResourceTypeInfo } from './types.ts'
import { faultsAgainst } from './user-schema.ts'

type Types = ReadonlyMap<string, ResourceTypeInfo>

/** A place that reads an output of another resource. */
export interface OutputUse {
  readonly user: Draft
  readonly target: Draft
  readonly output: string
  readonly text: string
}

/** What a workload asks for by a custom type that only definitions may use. */
export function refuseIndirect({ externals, shared }: Needs, types: Types, report: Report): void {
  const asked = [...shared.values(), ...[...externals.values()].flatMap((own) => [...own.values()])]
  for (const { descriptor, text } of asked) {
    const { type } = descriptor
    if (!type.includes('/') || types.get(type)?.use !== 'indirect') continue
    const message = `type '${type}' is for definitions only: its use is 'indirect'`
    report(text, 'TypeNotDirect', message)
  }
}

/** What can be said against a node when the whole graph is known. */
export function checkNode(draft: Draft, types: Types, report: Report): void {
  checkParams(draft, types, report)
  const [first, ...rest] = draft.claims
  const other = first && rest.find(({ params }) => !sameJson(params, first.params))
  if (other) {
    const claimants = draft.claims.map(({ by }) => by).sort(compareText)
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
function checkParams({ descriptor, text, params }: Draft, types: Types, report: Report): void {
  const type = types.get(descriptor.type)
  if (!type || (params === undefined && !type.type.includes('/'))) return
  for (const { pointer, message } of faultsAgainst(type.inputsSchema, params ?? {}, { lenient: true })) {
    const where = pointer === '' ? 'the params' : `param '${pointer.slice(1).replaceAll('/', '.')}'`
    report(text, 'InvalidParams', `${where} of type '${type.type}': ${message}`)
  }
}

/** An output that will not be there is found before anything is touched, where the outputs are known. */
export function checkOutput({ user, target, output, text }: OutputUse, types: Types, report: Report): void {
  if (!target.match) return
  const { driverInputs } = target.match.definition.spec
  const names = outputNamesOf(target.compiled?.driver, driverInputs, types.get(target.descriptor.type))
  if (!names || names.has(output)) return
  const hint = didYouMean(output, names)
  const definition = target.match.definition.metadata.name
  const message = `${text}: '${target.text}' has no output '${output}' from definition '${definition}'${hint}`
  report(user.text, 'UnknownOutput', message)
}
