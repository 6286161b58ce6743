import { escapeToken, isObject, ownValue } from '../../../operator/domain/base/json.ts'

/** A dependency that a form adds to a workload. */
export interface DependencyDraft {
  /** Distinguishes it within the draft while others are removed. */
  readonly key: number
  readonly name: string
  readonly type: string
  readonly class: string
  readonly inputs: unknown
  /** Whether `inputs` lacks a text that the form shows and marks as wrong. */
  readonly isUnreadable: boolean
}

/** What the form of a deployment holds. */
export interface DeployDraft {
  readonly workload: string
  /** Empty leaves the image of an existing workload as it is. */
  readonly image: string
  /** Which container gets the image, if the workload has several. */
  readonly container: string
  readonly dependencies: readonly DependencyDraft[]
}

type Json = Readonly<Record<string, unknown>>

const profile = 'quartermaster/default-module'

/** Modules of a draft that does not exist yet, as `modules.add` takes them. */
function newModule({ image, dependencies }: DeployDraft): Json {
  const externals = dependencies.map((each) => [each.name, externalOf(each)])
  return {
    profile,
    spec: { containers: { main: { id: 'main', image } } },
    externals: Object.fromEntries(externals),
  }
}

function externalOf({ type, class: resourceClass, inputs }: DependencyDraft): Json {
  const hasInputs = typeof inputs === 'object' && inputs !== null && Object.keys(inputs).length > 0
  return {
    type,
    ...(resourceClass === '' || resourceClass === 'default' ? {} : { class: resourceClass }),
    ...(hasInputs ? { params: inputs } : {}),
  }
}

/** The draft with one more dependency, which is empty. */
export function withDependency(draft: DeployDraft): DeployDraft {
  const key = Math.max(0, ...draft.dependencies.map((each) => each.key)) + 1
  const empty = { key, name: '', type: '', class: '', inputs: {}, isUnreadable: false }
  return { ...draft, dependencies: [...draft.dependencies, empty] }
}

/** The changes that a draft makes to the modules of an environment. */
export function deltaOf(draft: DeployDraft, modules: Json) {
  if (!Object.hasOwn(modules, draft.workload))
    return { modules: { add: { [draft.workload]: newModule(draft) } } }
  const path = `/spec/containers/${escapeToken(changedContainer(draft, modules) ?? '')}/image`
  const operations = [
    ...(draft.image === '' ? [] : [{ op: 'replace' as const, path, value: draft.image }]),
    ...draft.dependencies.map((each) => ({
      op: 'add' as const,
      path: `/externals/${escapeToken(each.name)}`,
      value: externalOf(each),
    })),
  ]
  return { modules: { update: { [draft.workload]: operations } } }
}

/** The containers of a workload; none if it does not exist. */
export function containersOf(workload: string, modules: Json): readonly string[] {
  const spec = membersOf(ownValue(modules, workload))['spec']
  return Object.keys(membersOf(membersOf(spec)['containers']))
}

/** The container that gets a new image; undefined if the workload has none, or several of which none is chosen. */
function changedContainer({ workload, container }: DeployDraft, modules: Json): string | undefined {
  const containers = containersOf(workload, modules)
  return containers.length === 1 ? containers[0] : containers.find((each) => each === container)
}

function membersOf(value: unknown): Json {
  return isObject(value) ? value : {}
}

/** What is missing in a draft; undefined if it can be planned. */
export function problemOfDraft(draft: DeployDraft, modules: Json): string | undefined {
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(draft.workload))
    return 'Enter the workload: lower-case words, joined by hyphens.'
  const isNew = !Object.hasOwn(modules, draft.workload)
  if (isNew && draft.image === '') return 'Enter the image of the new workload.'
  if (!isNew && draft.image === '' && draft.dependencies.length === 0)
    return 'Change the image, or add a dependency.'
  return (isNew ? undefined : problemOfImage(draft, modules)) ?? problemOfDependencies(draft, modules)
}

function problemOfImage(draft: DeployDraft, modules: Json): string | undefined {
  if (draft.image === '' || changedContainer(draft, modules) !== undefined) return undefined
  return containersOf(draft.workload, modules).length === 0
    ? `The workload '${draft.workload}' has no container, so it takes no image.`
    : 'Choose the container that gets the new image.'
}

function problemOfDependencies({ workload, dependencies }: DeployDraft, modules: Json): string | undefined {
  if (dependencies.some(({ name, type }) => name === '' || type === ''))
    return 'Enter the name and the type of each dependency.'
  if (dependencies.some(({ isUnreadable }) => isUnreadable)) return 'Correct the fields that are marked.'
  const names = dependencies.map(({ name }) => name)
  if (new Set(names).size < names.length) return 'Two dependencies have the same name.'
  const known = membersOf(membersOf(ownValue(modules, workload))['externals'])
  const taken = names.find((name) => Object.hasOwn(known, name))
  return taken === undefined ? undefined : `The workload '${workload}' already has a dependency '${taken}'.`
}
