import { isObject } from '../../../../operator/domain/base/json.ts'
import type { fc } from '../../../support/properties.ts'
import type { Organization } from '../../support/client.ts'
import { bodies } from './bodies.ts'

/** Something that a REST client makes. */
export interface Noun {
  readonly collection: string
  readonly body: fc.Arbitrary<object>
  /** Fields that identify it. */
  readonly identity?: object
  /** Its path, which can be read unless `part` says which part of the answer at `readAt` it is. */
  path(made: Made): string
  readonly readAt?: (made: Made) => string
  part?(answer: unknown, made: Made): unknown
  readonly writes: readonly ('PUT' | 'PATCH')[]
  /** A change of fields that every manifest of it has. */
  readonly change?: object
}

/** The answer to the creation. */
export type Made = Readonly<Record<string, string>>

const dev = '/apps/shop/envs/dev'
const byId = (collection: string) => (made: Made) => `${collection}/${made['id']}`

function simple(
  collection: string,
  body: fc.Arbitrary<object>,
  identity: object | undefined,
  writes: Noun['writes'],
  change?: object,
): Noun {
  return {
    collection,
    body,
    ...(identity ? { identity } : {}),
    path: byId(collection),
    writes,
    ...(change ? { change } : {}),
  }
}

function valueAt(place: string, key: string): Noun {
  const collection = `${place}/values`
  return {
    collection,
    body: bodies.value,
    identity: { key },
    path: () => `${collection}/${key}`,
    readAt: () => collection,
    part: (answer, { source }) => itemOf(answer, { key, source }),
    writes: ['PUT', 'PATCH'],
    change: { value: 'other', description: 'other' },
  }
}

function itemOf(list: unknown, fields: object): unknown {
  const isIt = (each: unknown) =>
    isObject(each) && Object.entries(fields).every(([name, value]) => each[name] === value)
  return Array.isArray(list) ? list.find(isIt) : undefined
}

/** What a REST client makes in an organization, in this order. */
export function nounsOf({ id }: Organization): readonly Noun[] {
  const types = '/resources/types'
  const typePath = ({ type }: Made) => `${types}/${encodeURIComponent(type ?? '')}`
  const typeNamed = (name: string): Noun => ({
    collection: types,
    body: bodies.type,
    identity: { type: `${id}/${name}` },
    path: typePath,
    writes: ['PUT', 'PATCH'],
    change: { use: 'direct' },
  })
  const own = `${types}/${id}%2Ftable/classes`
  const artefacts = ({ artefact_id }: Made) => `/artefacts/${artefact_id}/versions`
  return [
    simple('/env-types', bodies.described, { id: 'stage' }, ['PATCH']),
    simple('/apps', bodies.named, { id: 'shop' }, ['PATCH'], { name: 'other' }),
    simple('/apps/shop/envs', bodies.named, { id: 'dev', type: 'development' }, ['PATCH'], { name: 'other' }),
    simple('/apps/shop/envs', bodies.named, { id: 'e'.repeat(50), type: 'development' }, ['PATCH']),
    typeNamed('table'),
    typeNamed('t'.repeat(63)),
    simple(own, bodies.described, { id: 'Z_-9'.padEnd(63, 'x'), description: '' }, ['PATCH']),
    simple(`${types}/redis/classes`, bodies.described, { id: 'z'.repeat(63), description: 'a' }, ['PATCH'], {
      description: 'b',
    }),
    simple('/resources/accounts', bodies.account, { id: 'a'.repeat(100) }, ['PATCH'], { name: 'other' }),
    simple('/resources/drivers', bodies.driver, { id: 'driver' }, ['PUT']),
    simple('/resources/defs', bodies.definition, { id: 'd'.repeat(100) }, ['PUT', 'PATCH'], {
      name: 'other',
    }),
    simple('/resources/dynamic', bodies.definition, { id: 'second' }, ['PUT', 'PATCH'], {
      driver_params: { values: { other: 1 }, secrets: { other: 'o' } },
    }),
    ...['/apps/shop', dev].flatMap((place) =>
      ['A.b-C_9', 'k'.repeat(253), '...'].map((key) => valueAt(place, key)),
    ),
    simple('/apps/shop/deltas', bodies.delta, undefined, ['PUT'], {
      shared: [{ op: 'add', path: '/other', value: { type: 's3' } }],
    }),
    simple(`${dev}/rules`, bodies.rule, undefined, ['PUT'], { type: 'update', active: false }),
    simple(`${dev}/rules`, bodies.rule, undefined, ['PUT']),
    simple('/registries', bodies.registry, { id: 'builds', registry: 'r.example.com' }, ['PATCH'], {
      registry: 'other',
    }),
    simple('/registries', bodies.registry, { id: 'mirror', registry: 'm.example.com' }, ['PATCH']),
    simple('/apps/shop/webhooks', bodies.webhook, { id: 'chat' }, ['PATCH'], { url: 'other.example.com' }),
    {
      collection: '/artefact-versions',
      body: bodies.artefact,
      identity: { version: '1' },
      path: (made) => `${artefacts(made)}/${made['id']}`,
      readAt: artefacts,
      part: (answer, made) => itemOf(answer, { id: made['id'] }),
      writes: ['PATCH'],
    },
    simple('/users', bodies.user, undefined, ['PATCH'], { role: 'member' }),
  ]
}
