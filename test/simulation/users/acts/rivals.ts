import { servedAs } from '../../server/resources.ts'
import { definitionName, definitionOf } from '../definitions.ts'
import { applications, image } from '../names.ts'
import type { User } from '../user.ts'
import type { Act } from './act.ts'

/** Types whose definitions have no versions at the provider, which must never decrease. */
const types = ['redis', 'amqp'] as const
const foreignFinalizer = 'example.com/rival'
const host = image.split('/')[0]

/** Writes or deletes the objects of some names: one, or both at once, in the same second. */
function writeSome(user: User, kind: string, names: readonly string[], specOf: () => object): void {
  const chosen = user.chance(0.3) ? names : [user.pick(names)]
  for (const name of chosen)
    user.does(`writes or deletes ${name}`, () => {
      if (user.exists(kind, name) && user.chance(0.6)) remove(user, kind, name)
      else user.write(kind, name, { ...specOf() })
    })
}

/** Deletes an object, which another controller may keep for a while. */
function remove(user: User, kind: string, name: string): void {
  const isKept = user.chance(0.4)
  const finalizers = () => {
    const { storage } = user.surroundings.server
    const all = storage.get(servedAs(kind), user.organization, name)?.metadata.finalizers ?? []
    return all.filter((each) => each !== foreignFinalizer)
  }
  const write = (all: readonly string[]) => user.patch(kind, name, { metadata: { finalizers: all } })
  if (isKept) write([...finalizers(), foreignFinalizer])
  user.remove(kind, name)
  if (isKept) user.later({ from: 5000, to: 60_000 }, `ends ${kind} ${name}`, () => write(finalizers()))
}

/** Objects that want what others have. */
export const equalActs: readonly Act[] = [
  {
    weight: 3,
    what: 'writes or deletes definitions with the criteria of others',
    act(user) {
      const type = user.pick(types)
      const main = definitionName(type)
      const criteria = user.chance(0.7) ? [{}] : [{ appId: user.pick(applications) }]
      writeSome(user, 'ResourceDefinition', [`a-${main}`, `z-${main}`], () => ({
        ...definitionOf(user, type),
        criteria,
      }))
    },
  },
  {
    weight: 3,
    what: 'writes or deletes values with the key of others',
    act(user) {
      const applicationName = user.pick(applications)
      const environment = user.chance(0.4) ? { environmentId: 'dev' } : {}
      const end = `${applicationName}-color${user.chance(0.5) ? '' : '-x'}`
      const own = Object.keys(environment).length > 0 ? `env-${end}` : end
      writeSome(user, 'SharedValue', [`a-${own}`, `z-${own}`], () => ({
        applicationName,
        ...environment,
        key: 'color',
        value: `c${user.next('color')}`,
      }))
    },
  },
  {
    weight: 1.5,
    what: 'deletes a value, and creates it later',
    act(user) {
      const applicationName = user.pick(applications)
      const name = `${applicationName}-color`
      user.remove('SharedValue', name)
      user.later({ from: 10, to: 9000 }, `creates ${name}`, () =>
        user.create('SharedValue', name, { applicationName, key: 'color', value: `c${user.next('color')}` }),
      )
    },
  },
  {
    weight: 2,
    what: 'writes or deletes registries for the same images',
    act: (user) =>
      writeSome(user, 'Registry', ['a-registry', 'z-registry'], () => ({
        registry: user.pick([host, host, 'other.example.com']),
        type: 'public',
      })),
  },
]
