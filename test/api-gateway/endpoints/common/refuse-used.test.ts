import { describe, expect, test } from '@jest/globals'
import { refuseUsed } from '../../../../api-gateway/endpoints/common/refuse-used.ts'

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`)

describe('the refusal to delete what is used', () => {
  test.each<[string, Record<string, string[]>, string]>([
    ['one user', { drivers: names(1) }, "x is used by the driver 'n0'"],
    ['two users', { active_resources: names(2) }, "x is used by the active resources 'n0', 'n1'"],
    [
      'seven users',
      { drivers: names(7) },
      "x is used by the drivers 'n0', 'n1', 'n2', 'n3', 'n4' and 2 more",
    ],
    [
      'users of two kinds',
      { resource_definitions: names(1), drivers: [], active_resources: names(1) },
      "x is used by the resource definition 'n0' and by the active resource 'n0'",
    ],
  ])('names %s', (_, users, message) => {
    expect(() => refuseUsed('Conflict', 'x', users)).toThrow(
      expect.objectContaining({ reason: 'Conflict', message, details: { referencing_resources: users } }),
    )
  })

  test('is not made without users', () => {
    expect(() => refuseUsed('Conflict', 'x', { drivers: [] })).not.toThrow()
  })
})
