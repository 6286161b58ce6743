import { beforeAll, describe, expect, test } from '@jest/globals'
import { toPlan } from '../../../api-gateway/endpoints/deployments/dry-run.ts'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import type { SetContent } from '../../../operator/domain/delta/delta.ts'
import { changedInputs } from '../../../operator/domain/plan/changed-inputs.ts'
import type { Plan, PlanStep } from '../../../operator/domain/plan/plan.ts'
import { type Preview, previewChange } from '../../../operator/domain/plan/preview.ts'
import type { WantedSpec } from '../../../operator/domain/plan/wanted-spec.ts'
import { formatDescriptor } from '../../../operator/domain/resource/descriptor.ts'
import { definition, set } from '../../support/builders.ts'
import { actions, carriedOut, planOf } from '../../support/plans.ts'
import { casesOf, fc } from '../../support/properties.ts'
import {
  type Change,
  type Definitions,
  driversOfOrganization,
  marks,
  organizationChange,
  typesOfOrganization,
} from './random-organizations.ts'

/** A change of definitions in a deployed environment, and its preview. */
interface Reported {
  readonly change: Change
  readonly active: readonly ActiveResource[]
  readonly before: Plan
  readonly after: Plan
  readonly preview: Preview
}

const runs = casesOf(750)

function planWith(
  content: SetContent,
  definitions: Definitions,
  active: readonly ActiveResource[] = [],
): Plan {
  const changes = { types: typesOfOrganization, catalogue: driversOfOrganization }
  return planOf(frozen(content), Object.values(frozen(definitions)), frozen(active), changes)
}

/** The same value, of which nothing can be changed. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const each of Object.values(value)) frozen(each)
  return value
}

function report(change: Change, going?: number): Reported {
  let active: readonly ActiveResource[] = []
  for (const content of change.sets) {
    const step = planWith(content, change.deployed, active)
    if (step.problems.length === 0) active = carriedOut(step, active)
  }
  const deletionTimestamp = '2026-03-01T00:00:00Z'
  active = active.map((each, i) =>
    i === going ? { ...each, metadata: { ...each.metadata, deletionTimestamp } } : each,
  )
  const content = change.sets.at(-1) ?? change.sets[0]
  const before = planWith(content, change.present, active)
  const after = planWith(content, change.changed, active)
  return { change, active, before, after, preview: previewChange(before, after) }
}

function everyChange(check: (reported: Reported) => void): void {
  fc.assert(
    // One of the resources may be on its way out.
    fc.property(organizationChange, fc.nat(9), (change, going) => check(report(change, going))),
    { numRuns: runs },
  )
}

/** The result of a step, without its reasons. */
function essence(step: PlanStep | undefined): string {
  if (!step) return 'nothing'
  const { action, wanted } = step
  return canonicalJson([action, { ...wanted, definition: { ...wanted?.definition, explanation: undefined } }])
}

/** The input of the driver for a resource, as far as its own spec defines it. */
function seen({ definition: by, params, dependsOn, references }: WantedSpec): string {
  const { driverType, accountName, driverInputs } = by
  const { values, secretRefs } = driverInputs ?? {}
  return canonicalJson({ driverType, accountName, values, secretRefs, params, dependsOn, references })
}

function live({ current }: PlanStep): ActiveResource | undefined {
  return current?.metadata.deletionTimestamp ? undefined : current
}

function definitionOf(spec: Pick<WantedSpec, 'definition'> | undefined): string {
  return spec?.definition.definitionName ?? ''
}

function seesOther(spec: WantedSpec | undefined, wanted: WantedSpec | undefined): boolean {
  return spec !== undefined && wanted !== undefined && seen(spec) !== seen(wanted)
}

const isObjectOf = (step: PlanStep) => (problem: { object: string }) =>
  problem.object === formatDescriptor(step.descriptor)

describe('a preview of a change of definitions is true', () => {
  test('it is the difference of the two plans, resource by resource', () => {
    everyChange(({ before, after, preview }) => {
      const [old, next] = [before, after].map(
        ({ steps }) => new Map(steps.map((each) => [each.guResId, each])),
      )
      const fresh = after.problems.filter(
        (each) => !before.problems.some((known) => canonicalJson(known) === canonicalJson(each)),
      )
      const expected = [...new Set([...after.steps, ...before.steps].map(({ guResId }) => guResId))]
        .filter((id) => essence(old?.get(id)) !== essence(next?.get(id)))
        .map((id) => {
          const [was, will] = [old?.get(id), next?.get(id)]
          const step = will ?? was
          if (!step) throw new Error('every id is that of a step')
          return {
            guResId: id,
            descriptor: formatDescriptor(step.descriptor),
            action: will?.action ?? 'unchanged',
            from: definitionOf(live(step)?.spec) || definitionOf(was?.wanted),
            to: definitionOf(will?.wanted),
            differs: seesOther(live(step)?.spec, will?.wanted),
            problems: fresh.filter(isObjectOf(step)),
          }
        })
      const reported = preview.changes.map((each) => ({
        guResId: each.guResId,
        descriptor: formatDescriptor(each.descriptor),
        action: each.action,
        from: each.fromDefinition,
        to: each.toDefinition,
        differs: each.changedInputs.length > 0,
        problems: each.problems,
      }))
      expect(reported).toEqual(expected)
      expect(preview.problems).toEqual(fresh)
    })
  })

  test('resources that are no longer created are listed too', () => {
    const content = set({}, { main: { type: 's3' } })
    const config = definition('config', 'config')
    const [bare, provisioning] = [
      definition('s3', 's3'),
      definition('s3', 's3', { provision: { config: {} } }),
    ]
    const active = carriedOut(planOf(content, [bare, config]))
    const [before, after] = [provisioning, bare].map((each) => planOf(content, [each, config], active))
    if (!before || !after) throw new Error('two definitions, two plans')
    expect(actions(before)).toEqual(['create config.default#shared.main', 'unchanged s3.default#shared.main'])
    expect(previewChange(before, after).changes).toMatchObject([
      { action: 'unchanged', descriptor: { type: 'config' }, fromDefinition: 'config', toDefinition: '' },
    ])
  })

  test('an update names inputs exactly when the driver would see something else', () => {
    everyChange(({ before, after }) => {
      for (const { action, current, wanted } of [...before.steps, ...after.steps]) {
        if (!current || !wanted || action === 'create') continue
        const paths = changedInputs(current.spec, wanted)
        expect([action, paths.length > 0]).toEqual([action, seesOther(current.spec, wanted)])
        if (action === 'unchanged') expect(paths).toEqual([])
        if (action === 'replace') expect(paths).not.toEqual([])
        if (action !== 'update' || paths.length > 0) continue
        const { definitionName, criterion } = current.spec.definition
        const why = [definitionName, criterion, current.spec.unusedSince]
        expect(why).not.toEqual([wanted.definition.definitionName, wanted.definition.criterion, undefined])
      }
    })
  })

  test('after the deployment, a plan has no steps', () => {
    everyChange(({ change, active, after }) => {
      if (after.problems.length > 0) return
      const again = planWith(change.sets[1] ?? change.sets[0], change.changed, carriedOut(after, active))
      expect(again.steps.filter(({ action }) => action !== 'unchanged')).toEqual([])
      expect(again.problems).toEqual([])
      // Every existing resource is wanted, or marked as unused.
      const wanted = new Set(again.steps.map(({ guResId }) => guResId))
      const forgotten = carriedOut(after, active).filter(
        ({ metadata, spec }) =>
          !wanted.has(metadata.name) && !spec.unusedSince && !metadata.deletionTimestamp,
      )
      expect(forgotten.map(({ spec }) => formatDescriptor(spec))).toEqual([])
    })
  })

  test('no input appears in it, secret or not, and where a secret is neither', () => {
    everyChange(({ before, after, preview }) => {
      expect(JSON.stringify(preview)).not.toContain(marks.secret)
      expect(JSON.stringify(preview.changes)).not.toContain(marks.value)
      for (const each of [before, after]) expect(JSON.stringify(toPlan(each))).not.toContain(marks.secret)
    })
  })

  describe('and the organizations are such that this says something', () => {
    const seenActions = new Map<string, number>()
    let sound = 0
    beforeAll(() => {
      for (const change of fc.sample(organizationChange, { numRuns: runs, seed: 1 })) {
        const { after, preview } = report(change)
        if (after.problems.length === 0) sound += 1
        for (const { action } of preview.changes) seenActions.set(action, (seenActions.get(action) ?? 0) + 1)
      }
    })

    test.each(['create', 'update', 'replace', 'retain', 'unchanged'])(
      'many changes %s something',
      (action) => {
        expect(seenActions.get(action) ?? 0).toBeGreaterThan(runs / 20)
      },
    )

    test('many of them can be carried out', () => {
      expect(sound).toBeGreaterThan(runs / 4)
    })
  })
})
