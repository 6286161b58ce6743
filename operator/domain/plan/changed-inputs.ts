import type { ActiveResource } from '../../api/active-resource.ts'
import { compareText, isObject, ownValue, sameJson } from '../base/json.ts'
import { formatPath } from '../placeholder/template.ts'
import { isSecretLeaf } from '../secret/secret-inputs.ts'
import type { WantedSpec } from './wanted-spec.ts'

/** Paths, as in the REST API, of the inputs that differ between two specs. Never values. */
export function changedInputs(before: ActiveResource['spec'], wanted: WantedSpec): string[] {
  const [old, next] = [before.definition, wanted.definition]
  const [oldInputs, nextInputs] = [old.driverInputs, next.driverInputs]
  const sameDependencies = sameNames(before.dependsOn, wanted.dependsOn)
  return [
    ...(old.driverType === next.driverType ? [] : ['driver_type']),
    ...(old.accountName === next.accountName ? [] : ['driver_account']),
    ...differences(['driver_inputs', 'values'], oldInputs?.values, nextInputs?.values),
    ...differences(
      ['driver_inputs', 'secret_refs'],
      oldInputs?.secretRefs,
      nextInputs?.secretRefs,
      (value) => isObject(value) && isSecretLeaf(value),
    ),
    ...differences(['params'], before.params, wanted.params),
    ...differences(['values'], before.values, wanted.values, isValue),
    ...(sameDependencies && sameJson(before.references ?? {}, wanted.references ?? {}) ? [] : ['depends_on']),
  ]
}

function sameNames(before: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return sameJson([...before].sort(compareText), [...wanted].sort(compareText))
}

/** The most specific paths at which two values differ. Lists compare as a whole. */
function differences(
  path: readonly string[],
  before: unknown,
  wanted: unknown,
  isWhole: (value: unknown) => boolean = () => false,
): string[] {
  if (sameJson(before, wanted)) return []
  const [left, right] = [fieldsOf(before), fieldsOf(wanted)]
  if (!left || !right || isWhole(before) || isWhole(wanted)) return [formatPath(path)]
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort(compareText)
  const inner = keys.flatMap((key) =>
    differences([...path, key], ownValue(left, key), ownValue(right, key), isWhole),
  )
  return inner.length > 0 ? inner : [formatPath(path)]
}

function fieldsOf(value: unknown) {
  if (value === undefined) return {}
  return isObject(value) ? value : undefined
}

/** Whether this is a single shared value, not the map of them. */
function isValue(value: unknown): boolean {
  return (
    isObject(value) &&
    (typeof value.value === 'string' || (isObject(value.secret) && isSecretLeaf(value.secret)))
  )
}
