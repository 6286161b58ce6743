import { useRead } from '../../api/reads.ts'
import type { ActiveResource, MatchExplanation } from '../../api/types.ts'
import { ReadView } from '../../components/read-view.tsx'
import { type EnvironmentIds, requestPath } from '../environments/paths.ts'
import { criterionText } from './criterion-text.ts'

interface Props {
  readonly ids: EnvironmentIds
  readonly resource: ActiveResource
}

/** Which definition provisions the resource, and why the others do not. */
export function WhyThisDefinition({ ids, resource }: Props) {
  const { type, class: resourceClass, res_id } = resource
  const read = useRead('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/explain', {
    path: requestPath(ids),
    query: { type, class: resourceClass, id: res_id },
  })
  return (
    <section aria-labelledby="why">
      <h3 id="why">Why this definition</h3>
      <ReadView read={read} what="the explanation">
        {(explanation) => <Explanation explanation={explanation} deployed={resource.def_id} />}
      </ReadView>
    </section>
  )
}

function Explanation({
  explanation,
  deployed,
}: {
  readonly explanation: MatchExplanation
  readonly deployed: string
}) {
  const { active, matched, candidates, more } = explanation
  const isSame = matched?.def_id === deployed
  return (
    <>
      <p>
        Provisioned by <strong>{deployed}</strong>
        {active?.criterion && <> with {criterionText(active.criterion)}</>}.
        {active?.explanation && ` ${sentence(active.explanation)}`}
      </p>
      {!isSame && (
        <p class="notice notice-wait">
          {matched
            ? `The next deployment uses ${matched.def_id}: ${matched.explanation}.`
            : `No definition matches now: ${explanation.explanation}.`}
        </p>
      )}
      {candidates.length === 0 ? (
        <p class="muted">No other definition of this type was a candidate.</p>
      ) : (
        <ol class="candidates" aria-label="Definitions that were not chosen">
          {candidates.map(({ def_id, criterion, reason }, index) => (
            <li key={`${def_id} ${index}`}>
              <strong>{def_id}</strong> {criterion && <span class="muted">{criterionText(criterion)}</span>}
              <p>{sentence(reason)}</p>
            </li>
          ))}
        </ol>
      )}
      {more > 0 && <p class="muted">and {more} more</p>}
    </>
  )
}

function sentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`
}
