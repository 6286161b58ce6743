import { useRead } from '../../api/reads.ts'
import type { Deployment } from '../../api/types.ts'
import { Json } from '../../components/json.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { type EnvironmentIds, requestPath } from '../environments/paths.ts'
import { changesOf, emptySet, type SetContent } from './changes.ts'

interface Props {
  readonly ids: EnvironmentIds
  readonly deployment: Deployment
}

/** What a deployment changed: the difference of its set from that of the deployment before. */
export function SetChanges({ ids, deployment }: Props) {
  const deployments = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys',
    { path: requestPath(ids) },
    { isList: true },
  )
  const list = deployments.data ?? []
  const before = list[list.findIndex(({ id }) => id === deployment.id) + 1]?.set_id
  const isKnown = deployment.set_id !== '' && deployments.data !== undefined
  if (!isKnown) return null
  return (
    <section class="panel stack" aria-labelledby="changes">
      <h2 id="changes">What changed</h2>
      {before === deployment.set_id ? (
        <p class="muted">Nothing: the same set was deployed again.</p>
      ) : (
        <Difference ids={ids} set={deployment.set_id} before={before} />
      )}
    </section>
  )
}

function Difference({
  ids,
  set,
  before,
}: {
  readonly ids: EnvironmentIds
  readonly set: string
  readonly before: string | undefined
}) {
  const now = useSet(ids, set)
  const earlier = useSet(ids, before)
  return (
    <ReadView read={now} what="the changes">
      {(content) => {
        if (before !== undefined && earlier.data === undefined)
          return <p class="muted">Reading the earlier set …</p>
        const changes = changesOf(contentOf(earlier.data), contentOf(content))
        return (
          <ul class="changes">
            {changes.map(({ sign, what, value }) => (
              <li key={`${sign} ${what}`}>
                <p>
                  <strong>{sign}</strong> {what}
                </p>
                {value !== undefined && <Json value={value} empty="empty" />}
              </li>
            ))}
          </ul>
        )
      }}
    </ReadView>
  )
}

function useSet({ org, app }: EnvironmentIds, set: string | undefined) {
  return useRead(
    'GET /orgs/{org_id}/apps/{app_id}/sets/{set_id}',
    set ? { path: { org_id: org, app_id: app, set_id: set } } : undefined,
  )
}

/** A set, as opposed to a difference of sets. */
function contentOf(answer: ReturnType<typeof useSet>['data']): SetContent {
  return answer && 'id' in answer ? answer : emptySet
}
