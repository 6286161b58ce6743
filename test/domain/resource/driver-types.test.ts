import { describe, expect, test } from '@jest/globals'
import { ResourceDriver } from '../../../operator/api/resource-driver.ts'
import { ResourceType } from '../../../operator/api/resource-type.ts'
import { problemsOfDefinition } from '../../../operator/domain/definition/definition.ts'
import { catalogueWith } from '../../../operator/domain/definition/third-party.ts'
import { builtInTypes } from '../../../operator/domain/resource/built-in-types.ts'
import { customType } from '../../../operator/domain/resource/types.ts'
import { definition, set, storedObject } from '../../support/builders.ts'
import { graphInput } from '../../support/graphs.ts'
import { planOf } from '../../support/plans.ts'

const vendors = ['quartermaster']
const types = [
  ...builtInTypes,
  ...['late', 's3'].map((name) =>
    customType(storedObject(ResourceType, { namespace: 'acme', name }, { use: 'direct' })),
  ),
]

describe('a definition may use a driver', () => {
  test.each<[rule: string, driverType: string, type: string, isRight: boolean]>([
    ['of its built-in type', 's3', 's3', true],
    ['of its custom type', 'acme/late', 'acme/late', true],
    ['of its override', 'acme/s3', 'acme/s3', true],
    ['of the built-in type that it overrides', 's3', 'acme/s3', true],
    ['of no other built-in type', 'redis', 's3', false],
    ['of no other custom type', 'acme/late', 'acme/s3', false],
    ['not of an override of its built-in type', 'acme/s3', 's3', false],
    ["not of another organization's type of the same name", 'globex/late', 'acme/late', false],
  ])('%s', (_, driverType, type, isRight) => {
    const target = 'https://driver.test'
    const own = storedObject(ResourceDriver, { namespace: 'acme', name: 'own' }, { type: driverType, target })
    const catalogue = catalogueWith([], [own], vendors)
    const subject = definition('it', type, { driverType: 'acme/own' })
    const around = { catalogue, vendors, rivals: [subject], types, accountTypeOf: () => undefined }
    const expected = isRight ? [] : ['WrongType']
    expect(problemsOfDefinition(subject, around).map(({ reason }) => reason)).toEqual(expected)
    const content = set({}, { it: { type } })
    const { problems } = planOf(content, [subject], [], {
      ...graphInput(content, [subject]),
      catalogue,
      types,
    })
    expect(problems.map(({ reason }) => reason)).toEqual(expected)
  })
})
