import type { FreeForm } from '../../../operator/api/schema.ts'
import { definitionName } from './definitions.ts'
import { customDriver, customType, driverNames, overrideType, twinDriver } from './names.ts'
import type { User } from './user.ts'

const target = 'https://drivers.example.com/queues'

export const typeName = (type: string) => type.slice(type.indexOf('/') + 1)

/** Creates the types and drivers of the organization that do not exist; with `isHealthy`, repairs the others too. */
export function createCustom(user: User, isHealthy = false): void {
  const { types, wrappers } = user.features
  const names = driverNames(user.features)
  const write = (kind: string, name: string, isRepaired: boolean, specOf: () => FreeForm) => {
    if (isRepaired) user.does(`writes ${kind} ${name}`, () => user.write(kind, name, specOf()))
    else if (!user.exists(kind, name))
      user.does(`creates ${kind} ${name}`, () => user.create(kind, name, specOf()))
  }
  write('ResourceType', typeName(customType), isHealthy && types, () => typeSpec(user, isHealthy))
  if (user.exists('ResourceDefinition', definitionName(overrideType)))
    write('ResourceType', typeName(overrideType), false, () => ({ use: 'direct' }))
  for (const name of names)
    write('ResourceDriver', name, isHealthy && wrappers, () => driverSpec(user, name, isHealthy))
}

/** A type whose outputs are as they are, or which declares one secret; or, unless it must be healthy, one that no outputs fit. */
export function typeSpec(user: User, isHealthy: boolean): FreeForm {
  if (!user.features.types) return { use: 'direct' }
  const secret = { properties: { secrets: { type: 'object', properties: { bucket: { type: 'string' } } } } }
  const unfit = { properties: { values: { type: 'object', required: ['missing'] } } }
  const outputsSchema = user.pick([{}, secret, ...(isHealthy ? [] : [unfit])])
  return { use: 'direct', outputsSchema }
}

/**
 * A driver of the organization: one that calls the server, or one that wraps another. Unless they must be healthy, drivers may
 * wrap each other or themselves.
 */
export function driverSpec(user: User, name: string, isHealthy: boolean): FreeForm {
  const direct = { type: customType, target }
  if (!user.features.wrappers || name === customDriver) return direct
  if (name === twinDriver && (isHealthy || user.chance(0.6))) return direct
  const inner = ['acme/queues', 'quartermaster/maker', 'quartermaster/keeper']
  const wrapped = user.pick([...inner, ...(name === 'outer' ? ['acme/wrapper', 'acme/twin'] : [])])
  const any = user.pick(['acme/wrapper', 'acme/outer', 'acme/missing'])
  return {
    type: customType,
    target: `driver://${isHealthy || user.chance(0.9) ? wrapped : any}`,
    template: templateWith(`t${user.next('note')}`),
  }
}

function templateWith(note: string): string {
  return `values:
  zone: {{ .driver.values.zone }}
  version: {{ .driver.values.version }}
  note: ${note}
secrets: {{ .driver.secrets | toJson }}
`
}
