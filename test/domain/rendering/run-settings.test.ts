import { describe, expect, test } from '@jest/globals'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import { readModule } from '../../../operator/domain/module/module-problems.ts'
import { renderWorkload } from '../../../operator/domain/rendering/render.ts'
import {
  type RunSettings,
  restartAnnotation,
  runSettingsOf,
  withRunSettings,
} from '../../../operator/domain/rendering/run-settings.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { validModules } from '../module/support/valid-modules.ts'

const rendered = validModules.map((params) => {
  const read = readModule(params, ['quartermaster', 'humanitec'])
  return renderWorkload({
    workload: { id: read.id, guResId: 'a'.repeat(40), applicationId: 'shop' },
    organizationId: 'acme',
    namespace: 'acme--shop--dev',
    read,
    parts: [],
    hash: canonicalJson,
  }).objects
})
const settings: fc.Arbitrary<RunSettings | undefined> = fc.option(
  fc.record(
    {
      paused: fc.constant(true as const),
      replicas: fc.nat(9),
      restartTime: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
)
const paused: RunSettings = { paused: true }

/** The number of pods that an object asks for, if it has one. */
function podsOf({ kind, spec }: KubeObject): unknown {
  const { replicas, suspend } = (spec ?? {}) as { replicas?: number; suspend?: boolean } // of these kinds
  if (kind === 'Deployment' || kind === 'StatefulSet') return replicas
  return kind === 'Job' || kind === 'CronJob' ? (suspend ? 0 : 'some') : undefined
}

/** The objects without what run settings may change. */
function withoutSettings(objects: readonly KubeObject[]): unknown {
  return JSON.parse(
    JSON.stringify(objects, (key, value) => {
      if (key === 'replicas' || key === 'suspend' || key === restartAnnotation) return undefined
      const isEmpty = key === 'annotations' && Object.keys(value).every((each) => each === restartAnnotation)
      return isEmpty ? undefined : value
    }),
  )
}

describe('for every valid module', () => {
  const holds = (rule: (objects: readonly KubeObject[], each: RunSettings | undefined) => void) =>
    fc.assert(
      fc.property(rendered, settings, (objects, each) => rule(objects, each)),
      { numRuns: casesOf(500) },
    )

  test('a paused environment has no pods', () => {
    holds((objects, each) => {
      const pods = withRunSettings(objects, { ...each, ...paused }).map(podsOf)
      expect(pods.filter((count) => count !== undefined && count !== 0)).toEqual([])
    })
  })

  test('pausing and resuming gives exactly the objects of before', () => {
    holds((objects, each) => {
      const before = structuredClone(withRunSettings(objects, each))
      withRunSettings(objects, { ...each, ...paused })
      expect(withRunSettings(objects, each)).toEqual(before)
    })
  })

  test('without settings, the objects are those of the module', () => {
    holds((objects) => expect(withRunSettings(objects, undefined)).toBe(objects))
  })

  test('settings change numbers of pods, suspension and the time of the restart alone', () => {
    holds((objects, each) => {
      expect(withoutSettings(withRunSettings(objects, each))).toEqual(withoutSettings(objects))
    })
  })

  test('settings that apply twice change nothing more', () => {
    holds((objects, each) => {
      const once = withRunSettings(objects, each)
      expect(withRunSettings(once, each)).toEqual(once)
    })
  })

  test('Jobs keep their pod template, which cannot change', () => {
    holds((objects, each) => {
      const templates = (all: readonly KubeObject[]) =>
        all
          .filter(({ kind }) => kind === 'Job' || kind === 'CronJob')
          .map(({ spec }) => ({ ...(spec as object), suspend: undefined }))
      expect(templates(withRunSettings(objects, each))).toEqual(templates(objects))
    })
  })
})

describe('the settings of a workload', () => {
  const environment = (spec: object) => ({ spec: { applicationName: 'shop', typeName: 'dev', ...spec } })
  test.each<[rule: string, spec: object, expected: RunSettings | undefined]>([
    ['are absent in an environment that says nothing', {}, undefined],
    ['are absent in an environment that is not paused', { paused: false }, undefined],
    ['are absent when other workloads have some', { replicas: { other: 2 } }, undefined],
    ['are absent for names that every object has', { replicas: { constructor: 2 } }, undefined],
    ['pause it with its environment', { paused: true }, { paused: true }],
    ['can ask for no pods', { replicas: { api: 0 } }, { replicas: 0 }],
    [
      'are all that the environment says about it',
      { paused: true, replicas: { api: 3, other: 1 }, restartTimes: { api: '2026-01-01T00:00:00Z' } },
      { paused: true, replicas: 3, restartTime: '2026-01-01T00:00:00Z' },
    ],
  ])('%s', (_, spec, expected) => {
    expect(runSettingsOf(environment(spec), 'api')).toEqual(expected)
  })

  test('are absent without an environment', () => {
    expect(runSettingsOf(undefined, 'api')).toBeUndefined()
  })
})

test('a number of pods and a restart take effect in the object of the workload', () => {
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'api' } }
  const template = { metadata: { labels: { a: 'b' } }, spec: {} }
  const [changed] = withRunSettings([{ ...deployment, spec: { replicas: 1, template } }], {
    replicas: 4,
    restartTime: '2026-01-01T00:00:00Z',
  })
  expect(changed?.spec).toEqual({
    replicas: 4,
    template: {
      metadata: { labels: { a: 'b' }, annotations: { [restartAnnotation]: '2026-01-01T00:00:00Z' } },
      spec: {},
    },
  })
})
