import { apiVersion } from '../../operator/api/names.ts'
import { isObject } from '../../operator/domain/base/json.ts'
import { convertScore } from '../../operator/domain/score/convert-score.ts'
import { parseScore } from '../../operator/domain/score/parse-score.ts'
import { withSources } from './sources.ts'

/** Where the workloads of a file run. */
export interface WorkloadTarget {
  readonly application: string
  readonly environments: readonly string[]
  readonly image?: string | undefined
  /** Namespace of the objects; that of kubectl when absent. */
  readonly organization?: string | undefined
}

/** The Workload objects for the documents of a Score file. Throws a Problem, with line and column, for a bad file. */
export function workloadsOf(
  text: string,
  { application, environments, image, organization }: WorkloadTarget,
  read: (path: string) => Buffer,
): object[] {
  return parseScore(text).map(({ document, extension, locate }) => {
    const score = withSources(document, read)
    const { id } = convertScore({
      document: score,
      locate,
      ...(extension ? { extension } : {}),
      ...(image ? { image } : {}),
    })
    return {
      apiVersion,
      kind: 'Workload',
      metadata: { name: `${application}.${id}`, ...(organization ? { namespace: organization } : {}) },
      spec: {
        applicationName: application,
        environmentIds: [...environments],
        ...(image ? { images: environments.map((environmentId) => ({ environmentId, image })) } : {}),
        score: isObject(score) ? score : {},
        ...(extension ? { extension } : {}),
      },
    }
  })
}
