import { defineKind, type ObjectOf } from './kind.ts'
import { id, map, object, ownedSecretNames, type Static, string } from './schema.ts'

const text = string('The value, where it is not secret.', { maxLength: 65_536 })
const place = {
  secret: string('Name of a Secret in this namespace.', { maxLength: 253 }),
  key: string('Key in it that holds the value.', { maxLength: 253 }),
}
const placeDescription = 'Where the value is, when it is secret.'

/** Keys of shared values. */
export const valueKeyPattern = '^[A-Za-z0-9_.-]+$'

/** Shared values as a deployment found them: what is plain in full, what is secret by reference. */
export const sharedValuesSchema = map(
  object(
    {},
    { value: text, secret: object(place, {}, placeDescription) },
    'A plain value, or where a secret one is.',
  ),
  'Shared values that `${values.KEY}` in the params names, by key, as they were at the deployment.',
)
export type ValueSource = Static<typeof sharedValuesSchema>[string]

export const SharedValue = defineKind({
  kind: 'SharedValue',
  plural: 'sharedvalues',
  shortName: 'qmvalue',
  description:
    'A value that the workloads of an application read as `${values.KEY}`. One of an environment overlays that of the application. A change takes effect at the next deployment.',
  spec: object(
    {
      applicationName: id('Application whose workloads read it. Cannot be changed.'),
      key: string('Key by which they read it. Cannot be changed.', {
        pattern: valueKeyPattern,
        minLength: 1,
        maxLength: 253,
      }),
    },
    {
      environmentId: id('Environment id, when it is for that one alone. Cannot be changed.'),
      value: text,
      secret: object(
        place,
        { version: string('Version of it that REST shows; `1` when absent.', { maxLength: 253 }) },
        placeDescription,
      ),
      storeReference: object(
        {
          store: string('Secret store.', { maxLength: 253 }),
          ref: string('Name of the secret in that store.', { maxLength: 1024 }),
        },
        { version: string('Version of it that REST shows.', { maxLength: 253 }) },
        'Where the value is, when it is in a secret store. The value waits until that store is known.',
      ),
      description: string('What it is, for people.', { maxLength: 8192 }),
    },
    'What the value is, and where it holds.',
  ),
  status: object(
    {},
    {
      secretNames: ownedSecretNames,
    },
    'What the operator saw.',
  ),
  columns: [
    { name: 'Application', jsonPath: '.spec.applicationName' },
    { name: 'Environment', jsonPath: '.spec.environmentId' },
    { name: 'Key', jsonPath: '.spec.key' },
  ],
  rules: [
    {
      rule: '[has(self.spec.value), has(self.spec.secret), has(self.spec.storeReference)].filter(each, each).size() == 1',
      message: 'there must be exactly one of value, secret and storeReference',
    },
    {
      rule: "!(self.spec.key in ['__proto__', 'constructor', 'prototype'])",
      message: 'the key cannot be one of __proto__, constructor and prototype',
    },
    {
      rule: 'self.spec.applicationName == oldSelf.spec.applicationName && self.spec.key == oldSelf.spec.key && has(self.spec.environmentId) == has(oldSelf.spec.environmentId) && (!has(self.spec.environmentId) || self.spec.environmentId == oldSelf.spec.environmentId)',
      message: 'applicationName, environmentId and key cannot be changed',
    },
  ],
})
export type SharedValue = ObjectOf<typeof SharedValue>
