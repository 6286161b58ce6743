import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { combineScores } from '../../../operator/domain/score/combine.ts'
import { convertScore } from '../../../operator/domain/score/convert-score.ts'
import { parseScore } from '../../../operator/domain/score/parse-score.ts'
import { restoreScore } from '../../../operator/domain/score/restore-score.ts'
import { expectedObjects, renderedScore, scoreFiles } from './rendered-scores.ts'

const folder = join(import.meta.dirname, 'files')
function converted(name: string) {
  return parseScore(readFileSync(join(folder, `${name}.yaml`), 'utf8')).map(convertScore)
}

describe('a Score file becomes modules and shared dependencies, and can be shown again', () => {
  test.each(scoreFiles)('%s', (name) => {
    const found = {
      set: combineScores(converted(name)),
      restored: converted(name).map((each) => restoreScore(each) ?? 'cannot be restored'),
    }
    expect(found).toEqual(parse(readFileSync(join(folder, `${name}.expected.yaml`), 'utf8')))
  })
})

test.each(scoreFiles)('%s is the same after it was restored and converted again', (name) => {
  for (const each of converted(name)) {
    const { document, extension, omitted } = restoreScore(each) ?? { document: {}, omitted: ['all'] }
    expect(omitted).toEqual([])
    expect(convertScore({ document, ...(extension ? { extension } : {}) })).toEqual(each)
  }
})

describe('the workloads of a Score file become these objects', () => {
  test.each(scoreFiles)('%s', (name) => {
    expect(renderedScore(name, 'acme--shop--dev')).toEqual(expectedObjects(name))
  })
})
