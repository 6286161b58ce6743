import { useRead } from '../../api/reads.ts'
import { FilteredTable } from '../../components/filtered-table.tsx'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { State } from '../../components/state.tsx'
import { nameOf } from '../../managing/name-of.ts'
import { isAdministrator } from '../../managing/roles.ts'
import { useFormRight } from '../../managing/use-form-right.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { pathTo } from '../../routing/paths.ts'
import { linkTo, query } from '../../routing/router.ts'
import { NewDefinition } from './new-definition.tsx'

/** Resource definitions with their criteria, or the form for a new one. */
export function Definitions({ parameters: { org = '' } }: PageProps) {
  const hasForm = useFormRight(isAdministrator(org))
  if (query.value.has('new') && hasForm) return <NewDefinition org={org} />
  return <DefinitionList org={org} />
}

function DefinitionList({ org }: { readonly org: string }) {
  const read = useRead(
    'GET /orgs/{org_id}/resources/defs',
    { path: { org_id: org }, query: { deleted: 'true' } },
    { isList: true },
  )
  return (
    <Page
      title="Definitions"
      documentTitle={`Definitions of ${org}`}
      actions={
        isAdministrator(org) && (
          <a class="button primary" href={linkTo(`${pathTo('/o/:org/definitions', { org })}?new`)}>
            New definition
          </a>
        )
      }
    >
      <ReadView read={read} what="definitions">
        {(definitions) => (
          <FilteredTable
            what="definitions"
            items={definitions}
            keyOf={({ id }) => id}
            textOf={({ id, name, type, driver_type }) => `${id} ${name} ${type} ${driver_type}`}
            columns={[
              {
                title: 'Definition',
                show: (definition) => (
                  <a href={linkTo(pathTo('/o/:org/definitions/:def', { org, def: definition.id }))}>
                    {nameOf(definition)}
                  </a>
                ),
              },
              { title: 'Type', show: ({ type }) => type },
              { title: 'Driver', show: ({ driver_type }) => driver_type },
              {
                title: 'Criteria',
                show: ({ criteria = [] }) => criteria.map(criterionText).join('; ') || 'none',
              },
              {
                title: 'State',
                show: ({ status_message, is_deleted }) =>
                  is_deleted ? (
                    <State tone="off">deleted, still in use</State>
                  ) : status_message ? (
                    <State tone={isWarning(status_message) ? 'wait' : 'bad'}>{status_message}</State>
                  ) : (
                    <State tone="good">ready</State>
                  ),
              },
            ]}
          />
        )}
      </ReadView>
    </Page>
  )
}

/** Whether a message is about a definition that is ready. */
export function isWarning(message: string): boolean {
  return /^Doubtful(Inputs|Criteria): /.test(message)
}

/** A criterion as text, such as `env_type=staging`. */
export function criterionText({
  id: _,
  ...criterion
}: {
  readonly id: string
  readonly [key: string]: string | undefined
}): string {
  const given = Object.entries(criterion).filter(
    ([key, value]) => value !== undefined && !(key === 'class' && value === 'default'),
  )
  return given.map(([key, value]) => `${key}=${value}`).join(' ') || 'everything'
}
