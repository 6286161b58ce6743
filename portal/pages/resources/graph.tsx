import { useMemo } from 'preact/hooks'
import { useRead } from '../../api/reads.ts'
import type { ActiveResource } from '../../api/types.ts'
import { ReadView } from '../../components/read-view.tsx'
import { layoutOf } from '../../graph/dagre-layout.ts'
import { GraphView } from '../../graph/graph-view.tsx'
import type { PageProps } from '../../routing/page-props.ts'
import { linkTo, query, setQuery } from '../../routing/router.ts'
import { EnvironmentFrame } from '../environments/environment-frame.tsx'
import { environmentPath, idsOf, requestPath } from '../environments/paths.ts'
import { AbsentResource } from './absent-resource.tsx'
import { ResourcePanel } from './resource-panel.tsx'
import { shortNameOf, stateOf } from './states.ts'

/** Active resources of an environment as a graph. */
export function GraphPage({ parameters }: PageProps) {
  const ids = idsOf(parameters)
  const read = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources',
    { path: requestPath(ids) },
    { isList: true },
  )
  const selected = query.value.get('resource') ?? undefined
  const resource = read.data?.find(({ gu_res_id }) => gu_res_id === selected)
  return (
    <EnvironmentFrame ids={ids} what="Graph">
      <ReadView read={read} what="resources">
        {(resources) => (
          <div class={resource ? 'with-side' : 'without-side'}>
            <div class="stack">
              {selected !== undefined && !resource && <AbsentResource />}
              <p class="muted">
                Arrows point to what a resource depends on.{' '}
                <a href={linkTo(environmentPath(ids, '/resources'))}>Show the same as a table</a>
              </p>
              {resources.length === 0 ? (
                <p class="empty">No resources yet. The first deployment creates them.</p>
              ) : (
                <Drawing resources={resources} selected={selected} />
              )}
            </div>
            {resource && (
              <ResourcePanel key={resource.gu_res_id} ids={ids} resource={resource} resources={resources} />
            )}
          </div>
        )}
      </ReadView>
    </EnvironmentFrame>
  )
}

function Drawing({
  resources,
  selected,
}: {
  readonly resources: readonly ActiveResource[]
  readonly selected: string | undefined
}) {
  // States change often, edges seldom.
  const shape = JSON.stringify(resources.map(({ gu_res_id, depends_on }) => [gu_res_id, depends_on]))
  const layout = useMemo(
    () =>
      layoutOf({
        ids: resources.map(({ gu_res_id }) => gu_res_id),
        edges: resources.flatMap(({ gu_res_id, depends_on }) =>
          depends_on.map((target) => [gu_res_id, target] as const),
        ),
      }),
    [shape],
  )
  const items = useMemo(
    () =>
      new Map(
        resources.map((each) => {
          const { label, tone } = stateOf(each)
          const item = {
            id: each.gu_res_id,
            title: shortNameOf(each),
            subtitle: each.type,
            tone,
            state: label,
          }
          return [each.gu_res_id, item] as const
        }),
      ),
    [resources],
  )
  return (
    <GraphView
      layout={layout}
      items={items}
      selected={selected}
      onSelect={(id) => setQuery({ resource: id })}
    />
  )
}
