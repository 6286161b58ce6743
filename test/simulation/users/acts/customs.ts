import { createCustom, driverSpec, typeName, typeSpec } from '../customs.ts'
import { definitionName, definitionOf } from '../definitions.ts'
import { account, customDriver, customType, driverNames, overrideType } from '../names.ts'
import type { User } from '../user.ts'
import type { Act } from './act.ts'

/** Types and drivers of the organization, which are deleted while resources use them. */
export const customActs: readonly Act[] = [
  {
    weight: 1,
    what: 'deletes the type of the organization, and creates it later',
    act: (user) => recreateCustom(user, 'ResourceType', typeName(customType)),
  },
  {
    weight: 1.5,
    what: 'deletes the driver of the organization, and creates it later',
    act: (user) => recreateCustom(user, 'ResourceDriver', customDriver),
  },
]

/** Drivers that wrap others, or have one address. */
export const wrapperActs: readonly Act[] = [
  {
    weight: 4,
    what: 'changes a driver of the organization',
    act(user) {
      const name = user.pick(driverNames(user.features))
      user.write('ResourceDriver', name, driverSpec(user, name, false))
    },
  },
  {
    weight: 3,
    what: 'changes the definition of the type of the organization',
    act: (user) =>
      user.write('ResourceDefinition', definitionName(customType), definitionOf(user, customType)),
  },
  {
    weight: 1.5,
    what: 'deletes a driver of the organization, and creates it later',
    act: (user) => recreateCustom(user, 'ResourceDriver', user.pick(driverNames(user.features))),
  },
]

/** Types and accounts that change while they are in use. */
export const typeActs: readonly Act[] = [
  {
    weight: 3,
    what: 'changes the type of the organization',
    act: (user) => user.write('ResourceType', typeName(customType), typeSpec(user, false)),
  },
  {
    weight: 2,
    what: 'writes or deletes the definition of a type in place of a built-in one',
    act(user) {
      const name = definitionName(overrideType)
      if (user.exists('ResourceDefinition', name) && user.chance(0.5)) {
        user.remove('ResourceDefinition', name)
        return
      }
      user.write('ResourceDefinition', name, definitionOf(user, overrideType))
      if (!user.exists('ResourceType', typeName(overrideType)))
        user.create('ResourceType', typeName(overrideType), { use: 'direct' })
    },
  },
  {
    weight: 0.7,
    what: 'deletes the type in place of a built-in one, and creates it later',
    act: (user) => recreateCustom(user, 'ResourceType', typeName(overrideType)),
  },
  {
    weight: 1,
    what: 'gives the account another type for a while',
    act(user) {
      user.patch('ResourceAccount', account, { spec: { type: 'other' } })
      user.later({ from: 100, to: 12_000, times: 2 }, 'restores the type of the account', () =>
        user.patch('ResourceAccount', account, { spec: { type: 'maker' } }),
      )
    },
  },
]

function recreateCustom(user: User, kind: string, name: string): void {
  user.remove(kind, name)
  user.later({ from: 100, to: 25_000, times: 3 }, `creates ${kind} ${name}`, () => createCustom(user))
}
