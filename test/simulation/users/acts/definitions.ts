import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { annotations } from '../../../../operator/api/names.ts'
import { definitionName, definitionOf, secondDefinitionOf, typesOf } from '../definitions.ts'
import { applications } from '../names.ts'
import type { Act } from './act.ts'

export const definitionActs: readonly Act[] = [
  {
    weight: 6,
    what: 'changes a definition',
    act(user) {
      const type = user.pick(typesOf(user))
      user.write('ResourceDefinition', definitionName(type), definitionOf(user, type))
    },
  },
  {
    weight: 1.5,
    what: 'deletes a definition, and creates it later',
    act(user) {
      const type = user.pick(typesOf(user))
      const name = definitionName(type)
      user.remove('ResourceDefinition', name)
      user.later({ from: 50, to: 10_000 }, `creates ${name}`, () =>
        user.create('ResourceDefinition', name, definitionOf(user, type)),
      )
    },
  },
  {
    weight: 2,
    what: 'writes or deletes a second definition',
    act(user) {
      const type = user.pick(typesOf(user))
      const name = `second-${definitionName(type)}`
      // What fits no second definition any more gets a version that is newer than its own.
      user.write('ResourceDefinition', definitionName(type), definitionOf(user, type))
      if (user.exists('ResourceDefinition', name) && user.chance(0.5)) user.remove('ResourceDefinition', name)
      else user.write('ResourceDefinition', name, secondDefinitionOf(user, type))
    },
  },
  {
    weight: 2,
    what: 'changes a shared value',
    act: (user) =>
      user.patch('SharedValue', `${user.pick(applications)}-color`, {
        spec: { value: `c${user.next('color')}` },
      }),
  },
]

/** Names of namespaces that a driver gives. */
export const namespaceActs: readonly Act[] = [
  {
    weight: 3,
    what: 'writes or deletes the definition of namespaces',
    act(user) {
      const name = 'def-namespace'
      const values = { tag: user.pick(['one', 'two']), version: user.next('version') }
      if (user.exists('ResourceDefinition', name) && user.chance(0.3)) user.remove('ResourceDefinition', name)
      else
        user.write('ResourceDefinition', name, {
          type: 'k8s-namespace',
          driverType: 'quartermaster/namer',
          criteria: [{}],
          driverInputs: { values },
        })
    },
  },
]

export const resourceActs: readonly Act[] = [
  {
    weight: 4,
    what: 'deletes a resource',
    act: (user) => user.remove('ActiveResource', user.pickObject(ActiveResource).metadata.name),
  },
  {
    weight: 0.7,
    what: 'detaches a resource',
    act(user) {
      const { name } = user.pickObject(ActiveResource).metadata
      user.patch('ActiveResource', name, { metadata: { annotations: { [annotations.detach]: 'true' } } })
      user.remove('ActiveResource', name)
    },
  },
]
