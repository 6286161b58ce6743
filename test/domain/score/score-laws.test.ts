import { expect, test } from '@jest/globals'
import { stringify } from 'yaml'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { modulePlaceholderRoots } from '../../../operator/domain/placeholder/link.ts'
import { expand } from '../../../operator/domain/placeholder/placeholder.ts'
import { convertScore } from '../../../operator/domain/score/convert-score.ts'
import { parseScore } from '../../../operator/domain/score/parse-score.ts'
import { restoreScore } from '../../../operator/domain/score/restore-score.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { scoreDocument, scoreDocuments, trickyText } from '../../support/scores.ts'

function throwsOnlyProblems(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
  }
}

test('a valid document converts, and the module is the same after it was restored and converted again', () => {
  fc.assert(
    fc.property(scoreDocuments, (document) => {
      const converted = convertScore({ document })
      const restored = restoreScore(converted)
      expect(restored?.omitted).toEqual([])
      const again = convertScore({
        document: restored?.document,
        ...(restored?.extension ? { extension: restored.extension } : {}),
      })
      expect(again.module).toEqual(converted.module)
    }),
    { numRuns: casesOf(2000) },
  )
})

test('a document read from its text converts to the same as the document itself', () => {
  fc.assert(
    fc.property(scoreDocuments, (document) => {
      const [source] = parseScore(stringify(document))
      expect(convertScore({ document: source?.document })).toEqual(convertScore({ document }))
    }),
    { numRuns: casesOf(500) },
  )
})

test('a text with each dollar sign doubled reaches the container as it was', () => {
  fc.assert(
    fc.property(trickyText, (text) => {
      const document = scoreDocument({ variables: { TEXT: text.replaceAll('$', '$$$$') } })
      expect(valueIn(document, 'variables', 'TEXT')).toBe(text)
    }),
    { numRuns: casesOf(5000) },
  )
})

test('a command reaches the container as it was, except for references', () => {
  fc.assert(
    fc.property(trickyText, (text) => {
      fc.pre(!/\$\{(?:resources|metadata)\./.test(text))
      expect(commandIn(text)).toEqual([text])
      expect(commandIn(`${text} \${metadata.name} ${text}`)).toEqual([`${text} web ${text}`])
    }),
    { numRuns: casesOf(5000) },
  )
})

test('a file with noExpand reaches the container as it was', () => {
  fc.assert(
    fc.property(trickyText, (content) => {
      expect(valueIn(scoreDocument({ files: { '/a': { content, noExpand: true } } }), 'files', '/a')).toEqual(
        { value: content },
      )
    }),
    { numRuns: casesOf(5000) },
  )
})

test('the texts of a probe reach the container as they were', () => {
  fc.assert(
    fc.property(trickyText, (text) => {
      const exec = { command: [text, `${text} \${values.A}`] }
      const httpGet = {
        port: 80,
        path: text,
        host: `a${text}`,
        httpHeaders: [{ name: 'A', value: `a${text}` }],
      }
      const document = scoreDocument({ livenessProbe: { exec }, readinessProbe: { httpGet } })
      const { liveness_probe: byCommand, readiness_probe: byHttp } = containerOf(document)
      expect(byCommand).toEqual({ type: 'command', command: exec.command })
      expect(byHttp).toEqual({
        type: 'http',
        port: 80,
        path: text,
        host: `a${text}`,
        headers: { A: `a${text}` },
      })
      const restored = restoreScore(convertScore({ document }))?.document as typeof document | undefined
      expect(restored && containerOf(restored)).toEqual(containerOf(document))
    }),
    { numRuns: casesOf(2000) },
  )
})

function commandIn(text: string): unknown {
  return containerOf(scoreDocument({ command: [text] }))['command']
}

function valueIn(document: object, field: string, name: string): unknown {
  return (containerOf(document)[field] as Record<string, unknown>)[name] // a map in the documents of these tests
}

/** The container with its placeholders resolved. None may be left. */
function containerOf(document: object): Record<string, unknown> {
  const { module } = convertScore({ document })
  const noPlaceholder = (path: readonly string[]): never => {
    throw new Error(`placeholder ${path.join('.')}`)
  }
  const { containers } = expand(module['spec'], noPlaceholder, modulePlaceholderRoots).value as {
    containers: { main: Record<string, unknown> }
  }
  return containers.main
}

test('conversion and its inverse throw nothing but problems', () => {
  const anything = fc.anything({
    withNullPrototype: false,
    key: fc.oneof(fc.string(), fc.constantFrom('containers', 'image', 'spec', '__proto__')),
  })
  const nearly = fc
    .tuple(scoreDocuments, fc.string(), anything)
    .map(([document, path, value]) => ({ ...document, [path]: value }))
  const input = fc.record(
    {
      document: fc.oneof(anything, nearly, scoreDocuments),
      overrides: fc.dictionary(fc.string(), anything),
      propertyOverrides: fc.dictionary(
        fc.oneof(fc.string(), fc.constantFrom('containers.main.image', 'a.b.c')),
        anything,
      ),
      extension: fc.dictionary(fc.constantFrom('spec', 'profile', 'deploy', 'apiVersion'), anything),
      image: fc.string(),
    },
    { requiredKeys: ['document'] },
  )
  fc.assert(
    fc.property(input, (each) => {
      throwsOnlyProblems(() => convertScore(JSON.parse(JSON.stringify(each))))
    }),
    { numRuns: casesOf(500) },
  )
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('spec', 'externals', 'profile', 'deploy'), anything),
      (module) => {
        const plain = JSON.parse(JSON.stringify(module))
        expect(() => restoreScore({ id: 'web', module: plain, shared: {} })).not.toThrow()
      },
    ),
    { numRuns: casesOf(500) },
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        scoreDocuments.map((each) => stringify(each)),
      ),
      fc.nat(),
      fc.string({ maxLength: 3 }),
      (text, at, more) => {
        const changed = `${text.slice(0, at % (text.length + 1))}${more}${text.slice(at % (text.length + 1))}`
        throwsOnlyProblems(() => parseScore(changed).map(convertScore))
      },
    ),
    { numRuns: casesOf(500) },
  )
})
