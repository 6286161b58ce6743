import type { ActiveResource } from '../../api/types.ts'
import type { Tone } from '../../components/tones.ts'

/** State of a resource in a word. */
export interface ResourceState {
  readonly label: string
  readonly tone: Tone
}

type Stateful = Pick<ActiveResource, 'status' | 'is_failing' | 'unused_since' | 'scheduled_deletion'>

/** State of a resource. */
export function stateOf({ status, is_failing, unused_since, scheduled_deletion }: Stateful): ResourceState {
  if (scheduled_deletion) return { label: 'deleting', tone: is_failing ? 'bad' : 'wait' }
  const state = typeof status === 'string' ? status : status.state
  if (state === 'active') {
    return unused_since === undefined ? { label: 'ready', tone: 'good' } : { label: 'unused', tone: 'off' }
  }
  return is_failing ? { label: 'failing', tone: 'bad' } : { label: 'pending', tone: 'wait' }
}

/** Number of resources by state, problems first. */
export function countStates(resources: readonly Stateful[]): (ResourceState & { readonly count: number })[] {
  const groups = Map.groupBy(resources.map(stateOf), ({ label }) => label)
  const order: readonly Tone[] = ['bad', 'wait', 'good', 'off']
  return [...groups.values()]
    .flatMap((group) => (group[0] ? [{ ...group[0], count: group.length }] : []))
    .sort((left, right) => order.indexOf(left.tone) - order.indexOf(right.tone))
}

/** Short name of a resource: without `modules.` and `.externals.`. */
export function shortNameOf({ res_id }: Pick<ActiveResource, 'res_id'>): string {
  return res_id.replace(/^modules\.(.+)\.externals\./, '$1 / ').replace(/^(modules|shared)\./, '')
}

/** Descriptor of a resource: `type.class#id`. */
export function descriptorOf({
  type,
  class: resourceClass,
  res_id,
}: Pick<ActiveResource, 'type' | 'class' | 'res_id'>): string {
  return `${type}.${resourceClass}#${res_id}`
}

/** Resources that contain all words of a text in their descriptor, state or definition. */
export function filterResources<
  T extends Stateful & Pick<ActiveResource, 'type' | 'class' | 'res_id' | 'def_id'>,
>(resources: readonly T[], text: string): readonly T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return resources
  return resources.filter((each) => {
    const content = `${descriptorOf(each)} ${stateOf(each).label} ${each.def_id}`.toLowerCase()
    return words.every((word) => content.includes(word))
  })
}
