import { lengthOf, storedBytes, storedPerLength } from '../base/size-limits.ts'
import type { ListedProblem } from '../graph/problems.ts'
import { type Descriptor, formatDescriptor } from '../resource/descriptor.ts'
import type { WantedSpec } from './wanted-spec.ts'

/** etcd accepts 1.5 MiB per object; the rest is for the status. */
const maxSpecBytes = 1_400_000

/** Bytes of all specs that one deployment writes; outputs and old revisions take several times as much. */
const maxPlanBytes = 64 * 1_048_576

/** A spec that a deployment writes. */
interface WrittenSpec {
  readonly descriptor: Descriptor
  readonly wanted: WantedSpec
}

/** The specs that are too large for one object, or too large in total, found before any of them is written. */
export function problemsOfSize(written: readonly WrittenSpec[]): ListedProblem[] {
  // Lengths are cheap to count and rule out nearly all deployments; bytes are counted only near the limits.
  const lengths: number[] = []
  let most = 0
  for (const { wanted } of written) {
    const length = lengthOf(wanted)
    lengths.push(length)
    most += length * storedPerLength
    if (most > maxPlanBytes) break
  }
  const problems: ListedProblem[] = []
  let total = 0
  for (const [i, { descriptor, wanted }] of written.entries()) {
    if (most <= maxPlanBytes && (lengths[i] ?? 0) * storedPerLength <= maxSpecBytes) continue
    const bytes = storedBytes(wanted)
    total += bytes
    const object = formatDescriptor(descriptor)
    if (total > maxPlanBytes) {
      const message = `the deployment writes more than ${maxPlanBytes} bytes in total, the most allowed; the limit is reached with '${object}' of ${bytes} bytes`
      return [...problems, { object: '', reason: 'DeploymentTooLarge', message }]
    }
    if (bytes > maxSpecBytes)
      problems.push({ object, reason: 'ResourceTooLarge', message: tooLargeMessage(wanted, bytes) })
  }
  return problems
}

function tooLargeMessage({ definition, params, values, references }: WantedSpec, bytes: number): string {
  const [largest] = [
    { what: `definition '${definition.definitionName}'`, size: storedBytes(definition) },
    { what: 'params', size: storedBytes(params ?? {}) },
    { what: 'shared values that the params name', size: storedBytes(values ?? {}) },
    { what: 'references', size: storedBytes(references ?? {}) },
  ].sort((left, right) => right.size - left.size)
  return `the spec would be ${bytes} bytes, more than the ${maxSpecBytes} allowed for one resource; the largest part: ${largest?.what}, ${largest?.size} bytes`
}
