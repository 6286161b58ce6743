/** A dependency that a form adds to a workload. */
export interface DependencyDraft {
  readonly name: string
  readonly type: string
  readonly class: string
  readonly inputs: unknown
}

/** What the form of a deployment holds. */
export interface DeployDraft {
  readonly workload: string
  /** Empty leaves the image of an existing workload as it is. */
  readonly image: string
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

/** The changes that a draft makes to the modules of an environment. */
export function deltaOf(draft: DeployDraft, modules: Json) {
  const known = modules[draft.workload]
  if (known === undefined) return { modules: { add: { [draft.workload]: newModule(draft) } } }
  const container = containersOf(known)[0]
  const imagePath = container === undefined ? undefined : `/spec/containers/${escaped(container)}/image`
  const operations = [
    ...(draft.image !== '' && imagePath
      ? [{ op: 'replace' as const, path: imagePath, value: draft.image }]
      : []),
    ...draft.dependencies.map((each) => ({
      op: 'add' as const,
      path: `/externals/${escaped(each.name)}`,
      value: externalOf(each),
    })),
  ]
  return { modules: { update: { [draft.workload]: operations } } }
}

function containersOf(module: unknown): string[] {
  const { spec } = module as { spec?: { containers?: object } } // of a deployment set
  return Object.keys(spec?.containers ?? {})
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** What is missing in a draft; undefined if it can be planned. */
export function problemOfDraft(draft: DeployDraft, modules: Json): string | undefined {
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(draft.workload))
    return 'Enter the workload: lower-case words, joined by hyphens.'
  const isNew = modules[draft.workload] === undefined
  if (isNew && draft.image === '') return 'Enter the image of the new workload.'
  const nameless = draft.dependencies.find(({ name, type }) => name === '' || type === '')
  if (nameless) return 'Enter the name and the type of each dependency.'
  const names = draft.dependencies.map(({ name }) => name)
  if (new Set(names).size < names.length) return 'Two dependencies have the same name.'
  if (!isNew && draft.image === '' && draft.dependencies.length === 0)
    return 'Change the image, or add a dependency.'
  return undefined
}
