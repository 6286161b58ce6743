import { expect, test } from '@jest/globals'
import { baseOf } from '../../../../portal/pages/deployments/changes.ts'

const deployments = [
  { id: 'shop.dev.2', set_id: 'second' },
  { id: 'shop.dev.failed', set_id: '' },
  { id: 'shop.dev.1', set_id: 'first' },
]

test.each([
  ['with the set of the deployment that it builds on, not of the one before', 'shop.dev.1', 'first'],
  ['with nothing for the first deployment', '', undefined],
  ['with nothing when its base is deleted or of another environment', 'shop.qa.7', undefined],
  ['with nothing when its base has no set', 'shop.dev.failed', undefined],
])('a deployment is compared %s', (_, from, expected) => {
  expect(baseOf(deployments, from)?.set_id).toBe(expected)
})
