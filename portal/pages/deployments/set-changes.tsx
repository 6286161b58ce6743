import { useRead } from '../../api/reads.ts'
import type { Deployment } from '../../api/types.ts'
import { Json } from '../../components/json.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { type EnvironmentIds, requestPath } from '../environments/paths.ts'
import { baseOf, changesOf, emptySet, type SetContent } from './changes.ts'

interface Props {
  readonly ids: EnvironmentIds
  readonly deployment: Deployment
}

/** What a deployment changed: the difference of its set from that of the deployment that it builds on. */
export function SetChanges({ ids, deployment }: Props) {
  const deployments = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys',
    { path: requestPath(ids) },
    { isList: true },
  )
  if (deployment.set_id === '' || deployments.data === undefined) return null
  const { from_id } = deployment
  const before = baseOf(deployments.data, from_id)?.set_id
  return (
    <section class="panel stack" aria-labelledby="changes">
      <h2 id="changes">What changed</h2>
      {from_id !== '' && before === undefined && (
        <p class="muted">
          The environment has no deployment {from_id} to compare with, so everything is new.
        </p>
      )}
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
        if (before === undefined) return <ChangeList before={emptySet} after={contentOf(content)} />
        return (
          <ReadView read={earlier} what="the earlier set">
            {(known) => <ChangeList before={contentOf(known)} after={contentOf(content)} />}
          </ReadView>
        )
      }}
    </ReadView>
  )
}

function ChangeList({ before, after }: { readonly before: SetContent; readonly after: SetContent }) {
  return (
    <ul class="changes">
      {changesOf(before, after).map(({ sign, what, value }) => (
        <li key={`${sign} ${what}`}>
          <p>
            <strong>{sign}</strong> {what}
          </p>
          {value !== undefined && <Json value={value} empty="empty" />}
        </li>
      ))}
    </ul>
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
