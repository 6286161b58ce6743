import { describe, expect, test } from '@jest/globals'
import type { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { applyDelta, deltaContent } from '../../../operator/domain/delta/delta.ts'
import {
  artefactId,
  artefactVersionId,
  imageOf,
  isReferredBy,
} from '../../../operator/domain/image/artefact.ts'
import { imageUpdates, repositoriesIn } from '../../../operator/domain/image/image-update.ts'
import { casesOf, fc } from '../../support/properties.ts'

type Spec = ArtefactVersion['spec']

const version = (spec: Partial<Spec> = {}): Spec => ({
  type: 'container',
  artefactName: 'r.test/web',
  version: '2',
  ...spec,
})
const moduleWith = (containers: Record<string, unknown>) => ({
  profile: 'humanitec/default-module',
  spec: { containers },
})
const setOf = (image: unknown) => ({ modules: { web: moduleWith({ main: { image } }) }, shared: {} })

describe('a version changes the image of a container', () => {
  test.each<[rule: string, image: unknown, spec: Partial<Spec>, value: string | undefined]>([
    ['of another tag', 'r.test/web:1', {}, 'r.test/web:2'],
    ['without a tag', 'r.test/web', {}, 'r.test/web:2'],
    ['of a digest', `r.test/web@sha256:${'a'.repeat(64)}`, {}, 'r.test/web:2'],
    ['to a digest', 'r.test/web:1', { version: undefined, digest: 'sha256:0f' }, 'r.test/web@sha256:0f'],
    [
      'of the same repository under another name',
      'docker.io/library/web:1',
      { artefactName: 'web' },
      'web:2',
    ],
    ['but not when it runs already', 'r.test/web:2', {}, undefined],
    [
      'but not when it runs already under another name',
      'docker.io/library/web:2',
      { artefactName: 'web' },
      undefined,
    ],
    ['but not when it is the latest, which runs already', 'r.test/web', { version: 'latest' }, undefined],
    ['of the same tag to its digest', 'r.test/web:2', { digest: 'sha256:0f' }, 'r.test/web:2@sha256:0f'],
    [
      'of the same digest to its tag',
      'r.test/web@sha256:0f',
      { digest: 'sha256:0f' },
      'r.test/web:2@sha256:0f',
    ],
    ['but not of another repository', 'r.test/other:1', {}, undefined],
    ['but not when a placeholder gives it', '${values.IMAGE}', {}, undefined],
    ['but not when there is none', undefined, {}, undefined],
  ])('%s', (_, image, spec, value) => {
    const updates = imageUpdates(setOf(image), [version(spec)])
    const operation = { op: 'replace', path: '/spec/containers/main/image', value }
    expect(updates).toEqual(value === undefined ? {} : { web: [operation] })
  })
})

test('as a delta, the changes give all containers of the repositories the new images, and change nothing else', () => {
  const names = fc.constantFrom('r.test/a', 'r.test/b', 'c', 'docker.io/library/c')
  const image = fc.tuple(names, fc.constantFrom('1', '2', '3')).map((parts) => parts.join(':'))
  const key = fc.constantFrom('main', 'side/car', 'til~de', '__proto__x')
  const containers = fc.dictionary(key, fc.record({ image, command: fc.constant(['run']) }))
  const modules = fc.dictionary(fc.constantFrom('web', 'api', 'job'), containers.map(moduleWith))
  const versions = fc.uniqueArray(
    fc.record({ artefactName: fc.constantFrom('r.test/a', 'c'), version: fc.constantFrom('2', '3') }),
    { selector: ({ artefactName }) => artefactName },
  )
  fc.assert(
    fc.property(modules, versions, (given, specs) => {
      const set = { modules: given, shared: {} }
      const wanted = specs.map(version)
      const updates = imageUpdates(set, wanted)
      const next = applyDelta(set, deltaContent({ modules: { update: mutable(updates) } }))
      expect(imageUpdates(next, wanted)).toEqual({})
      const text = (value: unknown) => JSON.stringify(value).replaceAll(/"image":"[^"]*"/g, '')
      expect(text(next.modules)).toBe(text(applyDelta(set, deltaContent({})).modules))
      expect(repositoriesIn(next)).toEqual(repositoriesIn(set))
    }),
    { numRuns: casesOf(500) },
  )
})

function mutable(updates: ReturnType<typeof imageUpdates>) {
  return Object.fromEntries(Object.entries(updates).map(([id, operations]) => [id, [...operations]]))
}

describe('the id of a version', () => {
  test('is a UUID', () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    expect(artefactVersionId(version())).toMatch(uuid)
    expect(artefactId(version())).toMatch(uuid)
  })

  test.each<[rule: string, other: Partial<Spec>, isSame: boolean]>([
    ['is the same for the same content', {}, true],
    ['does not depend on whether it is archived', { archived: true }, true],
    ['depends on the version', { version: '3' }, false],
    ['depends on the commit', { commit: '0123456' }, false],
    ['depends on the name', { artefactName: 'r.test/api' }, false],
  ])('%s', (_, other, isSame) => {
    expect(artefactVersionId(version(other)) === artefactVersionId(version())).toBe(isSame)
  })

  test('differs from that of its artefact, which other versions share', () => {
    expect(artefactId(version({ version: '3' }))).toBe(artefactId(version()))
    expect(artefactId(version())).not.toBe(artefactVersionId(version()))
  })
})

test.each([
  ['r.test/web:2', true],
  ['r.test/web@sha256:0f', true],
  ['r.test/web:2@sha256:0f', true],
  ['r.test/web', false],
  ['r.test/web:3', false],
])('%s refers to a version with a tag and a digest: %s', (reference, isReferred) => {
  expect(isReferredBy(version({ digest: 'sha256:0f' }), reference)).toBe(isReferred)
})

test('an image has no protocol', () => {
  expect(imageOf(version({ artefactName: 'https://r.test/web' }))).toBe('r.test/web:2')
})
