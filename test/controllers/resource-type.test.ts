import { expect, test } from '@jest/globals'
import { ResourceType } from '../../operator/api/resource-type.ts'
import { resourceTypeController } from '../../operator/controllers/resource-type.ts'
import { storedObject } from '../support/builders.ts'
import { silentContext } from './support/context.ts'

const context = silentContext()

function reconcile(spec: Partial<ResourceType['spec']>) {
  const type = storedObject(ResourceType, { namespace: 'acme', name: 's3' }, { use: 'direct', ...spec })
  return resourceTypeController.reconcile(type, context)
}

test.each<[string, Partial<ResourceType['spec']>]>([
  ['without schemas, by the name of a built-in type', {}],
  ['with schemas', { inputsSchema: { type: 'object' }, outputsSchema: { properties: { values: {} } } }],
])('a type %s is ready', async (_, spec) => {
  await expect(reconcile(spec)).resolves.toEqual({})
})

test.each<[string, Partial<ResourceType['spec']>, RegExp]>([
  ['inputs', { inputsSchema: { type: 'string' } }, /^'inputsSchema' /],
  ['secret outputs', { outputsSchema: { secrets: { type: 'string' } } }, /^'outputsSchema' under 'secrets' /],
  [
    'both',
    { inputsSchema: { type: 1 }, outputsSchema: { $ref: 'x' } },
    /^'inputsSchema' .*; 'outputsSchema' /,
  ],
])('a type whose schema of %s cannot be used is stalled, and says which', async (_, spec, message) => {
  await expect(reconcile(spec)).rejects.toMatchObject({
    reason: 'InvalidSchema',
    message: expect.stringMatching(message),
  })
})

test('a type with a misspelt keyword is ready, with a warning', async () => {
  const inputsSchema = { properties: { a: { type: 'string', patern: '^a' } } }
  const message =
    "the schema of the inputs has the unknown keyword 'patern' at '/properties/a'; did you mean 'pattern'?"
  await expect(reconcile({ inputsSchema })).resolves.toEqual({
    conditions: [{ type: 'Warning', status: 'True', reason: 'DoubtfulSchema', message }],
  })
})
