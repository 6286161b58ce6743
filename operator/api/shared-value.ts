import { defineKind, forNewObjects, type ObjectOf } from './kind.ts'
import { id, map, object, ownedSecretNames, type Static, string } from './schema.ts'

const text = string('The value, if it is not secret.', { maxLength: 65_536 })
const place = {
  secret: string('Name of a Secret in this namespace.', { maxLength: 253 }),
  key: string('Key of the Secret that holds the value.', { maxLength: 253 }),
}
const placeDescription = 'Reference to the value, if it is secret.'

/** Pattern of the keys of shared values. */
export const valueKeyPattern = '^[A-Za-z0-9_.-]+$'

/** Shared values at the time of a deployment: plain ones in full, secret ones by reference. */
export const sharedValuesSchema = map(
  object(
    {},
    { value: text, secret: object(place, {}, placeDescription) },
    'A plain value, or a reference to a secret one.',
  ),
  'Shared values that `${values.KEY}` in the params names, by key, at the time of the deployment.',
)
export type ValueSource = Static<typeof sharedValuesSchema>[string]

export const SharedValue = defineKind({
  kind: 'SharedValue',
  plural: 'sharedvalues',
  shortName: 'qmvalue',
  description:
    'A value that workloads of an application read as `${values.KEY}`. A value of an environment overrides the value of the application. Changes take effect at the next deployment.',
  spec: object(
    {
      applicationName: id('Application of the value. Immutable.'),
      key: string('Key of the value. Immutable.', {
        pattern: valueKeyPattern,
        minLength: 1,
        maxLength: 253,
      }),
    },
    {
      environmentId: id('Environment id, for a value of one environment only. Immutable.'),
      value: text,
      secret: object(
        place,
        { version: string('Version that the REST API shows. Defaults to `1`.', { maxLength: 253 }) },
        placeDescription,
      ),
      storeReference: object(
        {
          store: string('Id of the secret store.', { maxLength: 253 }),
          ref: string('Name of the secret in that store.', { maxLength: 1024 }),
        },
        { version: string('Version that the REST API shows.', { maxLength: 253 }) },
        'Reference to the value in a secret store. The value is not ready until the store is known.',
      ),
      description: string('Description of the value.', { maxLength: 8192 }),
    },
    'Key, value and scope.',
  ),
  status: object(
    {},
    {
      secretNames: ownedSecretNames,
    },
    'Observed state.',
  ),
  selectableFields: ['.spec.applicationName'],
  columns: [
    { name: 'Application', jsonPath: '.spec.applicationName' },
    { name: 'Environment', jsonPath: '.spec.environmentId' },
    { name: 'Key', jsonPath: '.spec.key' },
  ],
  rules: [
    {
      rule: '[has(self.spec.value), has(self.spec.secret), has(self.spec.storeReference)].filter(each, each).size() == 1',
      message: 'exactly one of value, secret and storeReference must be set',
    },
    {
      rule: "!(self.spec.key in ['__proto__', 'constructor', 'prototype'])",
      message: 'the key cannot be one of __proto__, constructor and prototype',
    },
    forNewObjects({
      rule: "!(self.spec.key in ['.', '..'])",
      message: 'the key cannot be . or .., which are no names in a path',
    }),
    {
      rule: 'self.spec.applicationName == oldSelf.spec.applicationName && self.spec.key == oldSelf.spec.key && has(self.spec.environmentId) == has(oldSelf.spec.environmentId) && (!has(self.spec.environmentId) || self.spec.environmentId == oldSelf.spec.environmentId)',
      message: 'applicationName, environmentId and key cannot be changed',
    },
  ],
})
export type SharedValue = ObjectOf<typeof SharedValue>
