import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { installationWith } from '../../../operator/controllers/shared/installation-key.ts'

const installation = installationWith(Buffer.alloc(32, 1))
const unsigned = { driverType: 'quartermaster/echo', type: 'dns' }

function stored(spec: Record<string, unknown>): ActiveResource {
  return { metadata: { namespace: 'acme', name: 'one' }, spec } as unknown as ActiveResource
}

describe('the signature of an active resource', () => {
  test('the operator trusts the spec that it signed', () => {
    const signature = installation.signature('acme', 'one', unsigned as never)
    expect(installation.isSigned(stored({ ...unsigned, signature }))).toBe(true)
  })

  test('any other signature is not trusted, and never an error', () => {
    const other = fc.oneof(fc.constant(undefined), fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(other, (signature) => {
        expect(installation.isSigned(stored({ ...unsigned, signature }))).toBe(false)
      }),
    )
  })

  test.each([
    ['spec', 'acme', 'one', { ...unsigned, type: 'ingress' }],
    ['namespace', 'globex', 'one', unsigned],
    ['name', 'acme', 'two', unsigned],
  ])('the signature of another %s is not trusted', (_part, namespace, name, spec) => {
    const signature = installation.signature(namespace, name, spec as never)
    expect(installation.isSigned(stored({ ...unsigned, signature }))).toBe(false)
  })

  test.each([
    ['namespace', { namespace: 'globex', name: 'one' }],
    ['name', { namespace: 'acme', name: 'two' }],
  ])('a spec that is known to be signed is not trusted with another %s', (_part, metadata) => {
    const signature = installation.signature('acme', 'one', unsigned as never)
    const signed = stored({ ...unsigned, signature })
    const other = { ...signed, metadata } as ActiveResource
    const trusted = [signed, signed, other, other, signed].map((each) => installation.isSigned(each))
    expect(trusted).toEqual([true, true, false, false, true])
  })
})
