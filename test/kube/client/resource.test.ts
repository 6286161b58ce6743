import { describe, expect, test } from '@jest/globals'
import { pathOf, secretResource } from '../../../operator/kube/client/resource.ts'

describe('the path of an object', () => {
  test('holds its namespace and its name, each as one segment', () => {
    expect(pathOf(secretResource, 'acme', 'a?b')).toBe('/api/v1/namespaces/acme/secrets/a%3Fb')
    expect(pathOf(secretResource, 'acme')).toBe('/api/v1/namespaces/acme/secrets')
  })

  test.each(['', '.', '..', 'login/status', '../login', '..%2Flogin'])(
    'is refused for the name %j, which would lead to another path',
    (name) => {
      expect(() => pathOf(secretResource, 'acme', name)).toThrow('is not the name')
      expect(() => pathOf(secretResource, name, 'login')).toThrow('is not the name')
    },
  )
})
