import { useMemo } from 'preact/hooks'
import { useRead } from '../../api/reads.ts'
import { ReadView } from '../../components/read-view.tsx'
import type { PageProps } from '../../routing/page-props.ts'
import { query, setQuery } from '../../routing/router.ts'
import { EnvironmentFrame } from '../environments/environment-frame.tsx'
import { idsOf, requestPath } from '../environments/paths.ts'
import { AbsentResource } from './absent-resource.tsx'
import { ResourcePanel } from './resource-panel.tsx'
import { ResourceTable } from './resource-table.tsx'
import { filterResources } from './states.ts'

/** Active resources of an environment as a table. */
export function Resources({ parameters }: PageProps) {
  const ids = idsOf(parameters)
  const read = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources',
    { path: requestPath(ids) },
    { isList: true },
  )
  const text = query.value.get('find') ?? ''
  const selected = query.value.get('resource') ?? undefined
  const found = useMemo(() => filterResources(read.data ?? [], text), [read.data, text])
  const resource = read.data?.find(({ gu_res_id }) => gu_res_id === selected)
  return (
    <EnvironmentFrame ids={ids} what="Resources">
      <div class={resource ? 'with-side' : 'without-side'}>
        <div class="stack">
          {selected !== undefined && read.data && !resource && <AbsentResource />}
          <label class="search">
            <span>Find by name, type, state or definition</span>
            <input
              type="search"
              value={text}
              onInput={({ currentTarget: { value } }) =>
                setQuery({ find: value === '' ? undefined : value }, { replace: true })
              }
            />
          </label>
          <ReadView read={read} what="resources">
            {() => (
              <ResourceTable
                resources={found}
                selected={selected}
                onSelect={(id) => setQuery({ resource: id })}
                empty={text.trim() === '' ? 'No resources.' : 'No resource has these words.'}
              />
            )}
          </ReadView>
        </div>
        {resource && (
          <ResourcePanel key={resource.gu_res_id} ids={ids} resource={resource} resources={read.data ?? []} />
        )}
      </div>
    </EnvironmentFrame>
  )
}
