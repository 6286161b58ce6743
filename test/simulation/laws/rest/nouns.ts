type Item = Readonly<Record<string, unknown>>

/** A list of objects in the REST API, with what is below each object. */
export interface Noun {
  readonly path: string
  /** The last part of the path of an object. */
  idOf(item: Item): string
  /** Whether an object can be read alone. */
  readonly hasOwnPath: boolean
  /** The part of the answer at its own path that a list shows. */
  partOf(own: Item): Item
  /** The methods that take the answer of an object as their body. */
  readonly changes: readonly ('PUT' | 'PATCH')[]
  /** Whether an object cannot be changed at its path. */
  isFixed(item: Item): boolean
  readonly below: readonly Noun[]
  /** Further paths below each object, whose answers are no lists of objects. */
  readonly pages: readonly string[]
}

function noun(path: string, more: Partial<Noun> = {}): Noun {
  const idOf = ({ id }: Item) => String(id)
  return {
    path,
    idOf,
    hasOwnPath: true,
    partOf: (own) => own,
    changes: [],
    isFixed: () => false,
    below: [],
    pages: [],
    ...more,
  }
}

const values = noun('values', {
  idOf: ({ key }) => String(key),
  hasOwnPath: false,
  changes: ['PUT', 'PATCH'],
})
/** An environment shows the values of its application too. */
const environmentValues: Noun = { ...values, isFixed: ({ source }) => source !== 'env' }
const valueVersions = noun('value-set-versions')
const roles = noun('users', { changes: ['PATCH'] })

/** The path of a resource; at it, the answer has more parts. */
function resourcePath({ type, class: given, res_id }: Item): string {
  const text = given === 'default' ? String(type) : `${String(type)}.${String(given)}`
  return `${encodeURIComponent(text)}/${String(res_id)}`
}

const environments = noun('envs', {
  changes: ['PATCH'],
  below: [
    environmentValues,
    valueVersions,
    noun('deploys', { pages: ['errors'] }),
    noun('resources', { idOf: resourcePath, partOf: ({ resource }) => resource as Item, pages: ['events'] }),
    noun('rules', { changes: ['PUT'] }),
  ],
  pages: ['runtime'],
})

const applications = noun('apps', {
  changes: ['PATCH'],
  below: [
    environments,
    values,
    valueVersions,
    noun('webhooks', { changes: ['PATCH'], below: [noun('calls', { hasOwnPath: false })] }),
    noun('deltas', { changes: ['PUT'] }),
    noun('sets', { pages: ['score'] }),
    roles,
  ],
  pages: ['runtime'],
})

const definitionParts = {
  changes: ['PUT', 'PATCH'] as const,
  below: [
    noun('versions'),
    noun('resources', { idOf: ({ gu_res_id }) => String(gu_res_id), hasOwnPath: false }),
  ],
}

/** All that an organization has. */
export const nouns: readonly Noun[] = [
  applications,
  noun('env-types', { changes: ['PATCH'], below: [roles] }),
  noun('resources/types', {
    idOf: ({ type }) => encodeURIComponent(String(type)),
    changes: ['PUT', 'PATCH'],
    isFixed: ({ type }) => !String(type).includes('/'),
    below: [noun('classes', { changes: ['PATCH'] })],
  }),
  noun('resources/accounts', { changes: ['PATCH'] }),
  noun('resources/drivers', { changes: ['PUT'], isFixed: ({ target }) => target === undefined }),
  noun('resources/defs', definitionParts),
  noun('resources/dynamic', { ...definitionParts, below: [] }),
  noun('registries', { changes: ['PATCH'] }),
  noun('users'),
  noun('artefacts', { hasOwnPath: false, below: [noun('versions', { hasOwnPath: false })] }),
  noun('artefact-versions'),
  noun('images', { idOf: ({ id }) => encodeURIComponent(String(id)), pages: ['builds'] }),
]
