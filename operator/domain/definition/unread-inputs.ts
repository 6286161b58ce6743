import type { FreeForm, TSchema } from '../../api/schema.ts'
import { isObject, ownValue } from '../base/json.ts'
import { didYouMean, misspelt } from '../base/nearest.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import {
  bareTextsIn,
  type Ineffective,
  unknownFieldsOfLeaves,
  unreadLeaves,
} from '../secret/secret-inputs.ts'

const maxListed = 10
const maxPlace = 200

/**
 * The inputs that a built-in driver does not read, as warnings: definitions that come from elsewhere may have some. Where
 * templates can read further ones, only those that misspell an input. The schema of a custom driver says which it allows.
 */
export function unreadInputs(
  driverType: string,
  descriptor: DriverDescriptor,
  inputs: { readonly values?: FreeForm; readonly secretRefs?: FreeForm },
): string[] {
  const { values = {}, secretRefs = {} } = inputs
  const ofLeaves = listed(unknownFieldsOfLeaves(secretRefs), (place) => `'secretRefs.${place}' is not read`)
  const bare = bareTextsIn(secretRefs).map((place) => ({ place, name: '', known: [] }))
  const ofTexts = listed(
    bare,
    (place) => `the text 'secretRefs.${place}' is taken as it is: name a Secret, or write it under 'value'`,
    'are taken as they are',
  )
  return [
    ...ofLeaves,
    ...ofTexts,
    ...unreadBy(driverType, descriptor, { values, secrets: unreadLeaves(secretRefs) }),
  ]
}

/** The inputs that the template of a wrapper gives to a built-in driver that does not read them. A text is not looked into. */
export function unreadFromTemplate(
  driverType: string,
  descriptor: DriverDescriptor,
  template: unknown,
): string[] {
  if (!isObject(template)) return []
  if (!('values' in template) && !('secrets' in template))
    return unreadBy(driverType, descriptor, { values: template, secrets: {} })
  const { values = {}, secrets = {}, ...rest } = template
  const unread = Object.keys(rest).map((place) => ({ place, name: place, known: ['values', 'secrets'] }))
  const inputs = { values: isObject(values) ? values : {}, secrets: isObject(secrets) ? secrets : {} }
  return [
    ...listed(unread, (place) => `'template.${place}' is not read`),
    ...unreadBy(driverType, descriptor, inputs),
  ]
}

function unreadBy(
  driverType: string,
  descriptor: DriverDescriptor,
  { values, secrets }: { readonly values: FreeForm; readonly secrets: FreeForm },
): string[] {
  if (descriptor.inputsSchema) return []
  const isOpen = descriptor.templatesReadInputs?.(values) ?? false
  const unread = [
    ...unreadIn(descriptor.values, values, 'values', isOpen),
    ...unreadIn(descriptor.secrets, secrets, 'secrets', isOpen),
  ]
  return listed(unread, (place) => `driver '${driverType}' does not read the input '${place}'`)
}

function listed(
  all: readonly Ineffective[],
  say: (place: string) => string,
  rest = 'are not read',
): string[] {
  const texts = all
    .slice(0, maxListed)
    .map(({ place, name, known }) => `${say(place.slice(0, maxPlace))}${didYouMean(name, known)}`)
  return all.length > maxListed ? [...texts, `${all.length - maxListed} more ${rest}`] : texts
}

function unreadIn(schema: TSchema, value: unknown, place: string, isOpen: boolean): Ineffective[] {
  const { properties } = schema as { readonly properties?: Readonly<Record<string, TSchema>> }
  if (!properties || !isObject(value)) return []
  const known = Object.keys(properties)
  const absent = known.filter((name) => !Object.hasOwn(value, name))
  return Object.entries(value).flatMap(([name, member]) => {
    const at = `${place}.${name}`
    const below = ownValue(properties, name)
    // Only the inputs at the top are for templates.
    if (below) return unreadIn(below, member, at, false)
    if (isOpen && misspelt(name, absent) === undefined) return []
    return [{ place: at, name, known: absent }]
  })
}
