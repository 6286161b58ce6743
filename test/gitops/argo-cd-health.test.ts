import { matchesGlob } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { LuaFactory, LuaLibraries } from 'wasmoon'
import type { KubeObject } from '../../operator/api/kind.ts'
import { kinds } from '../../operator/api/kinds.ts'
import { apiVersion } from '../../operator/api/names.ts'
import {
  Mismatch,
  ReconcileError,
  ReferenceNotFound,
  Stalled,
  Waiting,
} from '../../operator/domain/base/errors.ts'
import { conditionsAfter, outcomeOf } from '../../operator/kube/loop/outcome.ts'
import { fc } from '../support/properties.ts'
import { argoHealth, customizations, healthScript } from './argo-cd.ts'
import { healthOf } from './kstatus.ts'
import { anyObject } from './objects.ts'

const lua = await new LuaFactory().createEngine({ openStandardLibs: false, enableProxy: false })
// The libraries that Argo CD opens for the scripts of users.
for (const library of [LuaLibraries.Base, LuaLibraries.Table]) lua.global.loadLibrary(library)
afterAll(() => lua.global.close())

function argoHealthOf(object: KubeObject): { readonly status: string; readonly message: string } {
  lua.global.set('obj', object)
  return lua.doStringSync(healthScript)
}

describe('the health check for Argo CD', () => {
  test.each(kinds)('covers $kind', ({ kind }) => {
    const key = `${apiVersion.split('/')[0]}/${kind}`
    expect(Object.keys(customizations).filter((pattern) => matchesGlob(key, pattern))).toHaveLength(1)
  })

  test('agrees with kstatus on any combination of conditions, generations and deletion', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyObject, (object) => {
        seen.add(healthOf(object))
        expect(argoHealthOf(object).status).toBe(argoHealth[healthOf(object)])
      }),
      { numRuns: 1000 },
    )
    expect([...seen].sort()).toEqual(['Current', 'Failed', 'InProgress', 'Terminating'])
  })
})

describe('each end of a reconcile', () => {
  const after = (error: unknown, metadata: object = {}): KubeObject => ({
    apiVersion,
    kind: 'Environment',
    metadata: { name: 'shop.staging', generation: 2, ...metadata },
    status: {
      observedGeneration: 2,
      conditions: conditionsAfter([], outcomeOf(error), [], 2, '2030-01-01T00:00:00Z'),
    },
  })

  test.each<[string, unknown, health: string, argo: string, message: string]>([
    ['success', undefined, 'Current', 'Healthy', 'Reconciled'],
    ['Waiting', new Waiting('Progressing', '3 of 5'), 'InProgress', 'Progressing', 'Progressing: 3 of 5'],
    [
      'ReferenceNotFound',
      new ReferenceNotFound('AccountNotFound', "secret 'a' not found"),
      'InProgress',
      'Progressing',
      "AccountNotFound: secret 'a' not found",
    ],
    ['Stalled', new Stalled('Invalid', 'no host'), 'Failed', 'Degraded', 'Invalid: no host'],
    ['Mismatch', new Mismatch('WrongType', 'not a host'), 'Failed', 'Degraded', 'WrongType: not a host'],
    [
      'Failed',
      new ReconcileError('DriverFailed', 'refused'),
      'InProgress',
      'Progressing',
      'DriverFailed: refused',
    ],
    ['any other error', new Error('broken pipe'), 'InProgress', 'Progressing', 'Failed: broken pipe'],
  ])('%s has the same health in both tools', (_, error, health, status, message) => {
    expect(healthOf(after(error))).toBe(health)
    expect(argoHealthOf(after(error))).toEqual({ status, message })
  })

  test('is in progress when the spec has changed since', () => {
    const changed = after(undefined, { generation: 3 })
    expect([healthOf(changed), argoHealthOf(changed).status]).toEqual(['InProgress', 'Progressing'])
  })

  test('is in progress while the object is deleted, even when it is stalled', () => {
    const deleted = after(new Stalled('Invalid', 'no host'), { deletionTimestamp: '2030-01-01T00:00:00Z' })
    expect([healthOf(deleted), argoHealthOf(deleted).status]).toEqual(['Terminating', 'Progressing'])
  })
})

describe('a new object, before the operator has seen it', () => {
  const fresh = ({ kind, status }: (typeof kinds)[number]): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name: 'new', generation: 1 },
    ...(status ? { status: (status as { default?: object }).default } : {}),
  })

  test.each(kinds.filter(({ status }) => status))('of kind $kind is in progress', (kind) => {
    const object = fresh(kind)
    expect([healthOf(object), argoHealthOf(object).status]).toEqual(['InProgress', 'Progressing'])
  })

  test.each(kinds.filter(({ status }) => !status))(
    'of kind $kind, which has no status, is healthy',
    (kind) => {
      const object = fresh(kind)
      expect([healthOf(object), argoHealthOf(object).status]).toEqual(['Current', 'Healthy'])
    },
  )
})
