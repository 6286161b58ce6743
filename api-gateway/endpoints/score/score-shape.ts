import { freeForm, list, map, object, type Static, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { compareText } from '../../../operator/domain/base/json.ts'
import type { SetContent } from '../../../operator/domain/delta/delta.ts'
import { combineScores } from '../../../operator/domain/score/combine.ts'
import { type ConvertedScore, convertScore } from '../../../operator/domain/score/convert-score.ts'
import { fullTextBudget, parseScore, type TextBudget } from '../../../operator/domain/score/parse-score.ts'
import { restoreScore } from '../../../operator/domain/score/restore-score.ts'
import type { NextTurn } from '../../long-work.ts'
import { named } from '../../response/shapes.ts'

/** What changes a Score document. */
export const scoreChanges = {
  image: string('Image of the containers with the image `.`, or of the only container.', {
    maxLength: 4096,
  }),
  overrides: freeForm(
    'Merged into the document: maps are merged, other values are replaced, `null` removes.',
  ),
  property_overrides: freeForm(
    'Values by path, such as `containers.main.image`. `null` or an empty text removes.',
  ),
  resource_type_aliases: map(
    string('A type.', { maxLength: 127 }),
    'Types to use instead of types in the document.',
  ),
  extensions: freeForm(
    'Extension document: `profile`, `deploy`, and `spec`, which is merged under the spec of the module.',
  ),
}

/** A Score document in requests. */
export const scoreRequestShape = named(
  'Score',
  object(
    {},
    {
      spec: freeForm('A Score document (score.dev/v1b1). Required unless `yaml` is given.'),
      yaml: string(
        'Text of a Score file, as an alternative to `spec`: errors then name line and column. It can hold several Score documents, each followed by its extension document.',
        { maxLength: 1_048_576 },
      ),
      ...scoreChanges,
    },
    'A workload as a Score document, and what changes it.',
  ),
)
export type ScoreRequest = Static<typeof scoreRequestShape>

/** Modules and shared dependencies in responses. */
export const convertedShape = named(
  'ConvertedScore',
  object(
    {
      modules: map(freeForm('A module.'), 'Modules by workload ID, as `modules.add` of a delta takes them.'),
      shared: map(freeForm('A dependency.'), 'Shared dependencies by ID.'),
    },
    {},
    'The modules and shared dependencies of Score documents.',
  ),
)

/** Modules as Score documents in responses. */
export const restoredShape = named(
  'RestoredScore',
  object(
    {
      workload_id: string('Workload ID.'),
      omitted: list(string('A dependency.', { maxLength: 4096 }), 'Dependencies that Score cannot express.'),
    },
    {
      spec: freeForm('The Score document. Absent for a module that Score cannot express.'),
      extensions: freeForm('The extension document, for what the Score document has no field for.'),
    },
    'A module as a Score document.',
  ),
)

/** Returns the modules and shared dependencies of the requests. Throws Invalid, with the place of each problem. */
export function convertRequests(requests: readonly ScoreRequest[]): SetContent {
  const budget = fullTextBudget()
  return combineScores(requests.flatMap((request) => convertRequest(request, budget)))
}

function convertRequest(request: ScoreRequest, budget: TextBudget): ConvertedScore[] {
  const { spec, yaml, image, overrides, extensions } = request
  if ((spec === undefined) === (yaml === undefined))
    throw new Problem('Invalid', "a Score document is given either as 'spec' or as 'yaml'")
  const sources = yaml === undefined ? [{ document: spec }] : parseScore(yaml, budget)
  return sources.map((source) =>
    convertScore({
      image,
      overrides,
      propertyOverrides: request.property_overrides,
      typeAliases: request.resource_type_aliases,
      extension: extensions,
      ...source,
    }),
  )
}

/** Converts the modules of a set for a response, by workload ID. */
export async function toScores(
  { modules, shared }: SetContent,
  next: NextTurn,
): Promise<Static<typeof restoredShape>[]> {
  const scores: Static<typeof restoredShape>[] = []
  const ordered = Object.entries(modules).sort(([left], [right]) => compareText(left, right))
  for (const [id, module] of ordered) {
    const { document, extension, omitted = [] } = restoreScore({ id, module, shared }) ?? {}
    scores.push({ workload_id: id, spec: document, extensions: extension, omitted: [...omitted] })
    await next()
  }
  return scores
}
