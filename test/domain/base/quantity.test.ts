import { describe, expect, test } from '@jest/globals'
import { quantityOf } from '../../../operator/domain/base/quantity.ts'

describe('a quantity of Kubernetes is the number that it means', () => {
  test.each([
    ['0', 0],
    ['12', 12],
    ['1.5', 1.5],
    ['10k', 10_000],
    ['2M', 2_000_000],
    ['1Ki', 1024],
    ['3Mi', 3 * 1024 ** 2],
    ['500m', 0.5],
    ['700m', 0.7],
    ['100n', 1e-7],
    ['1e3', 1000],
    ['2E', 2e18],
    ['many', undefined],
    ['', undefined],
    ['-1', undefined],
  ])('%j', (text, expected) => {
    expect(quantityOf(text)).toBe(expected)
  })
})
