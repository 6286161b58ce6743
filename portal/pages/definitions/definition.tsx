import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { useRead } from '../../api/reads.ts'
import type { ResourceDefinition } from '../../api/types.ts'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { nameOf } from '../../managing/name-of.ts'
import { isAdministrator } from '../../managing/roles.ts'
import { StoredForm } from '../../managing/stored-form.tsx'
import { useFormRight } from '../../managing/use-form-right.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { pathTo } from '../../routing/paths.ts'
import { linkTo, query } from '../../routing/router.ts'
import { CriteriaForm } from './criteria-form.tsx'
import { DefinitionDeletion } from './definition-deletion.tsx'
import { DefinitionForm } from './definition-form.tsx'
import { criterionText, isWarning } from './definitions.tsx'

/** What the page does to the definition, by the parameter `edit` of its address. */
const titles: Readonly<Record<string, string>> = { criteria: 'Criteria of', delete: 'Delete' }

/** A definition: who uses it, and forms for its inputs and criteria. Administrators see its uses and change it. */
export function DefinitionPage({ parameters: { org = '', def = '' } }: PageProps) {
  const path = { org_id: org, def_id: def }
  const isAllowed = isAdministrator(org)
  const hasForm = useFormRight(isAllowed)
  const [isSaved, setSaved] = useState(false)
  const read = useRead('GET /orgs/{org_id}/resources/defs/{def_id}', { path, query: { deleted: 'true' } })
  const uses = useRead(
    'GET /orgs/{org_id}/resources/defs/{def_id}/resources',
    // Also for a form that stays.
    hasForm ? { path } : undefined,
    { isList: true },
  )
  const edit = (hasForm && query.value.get('edit')) || ''
  const own = pathTo('/o/:org/definitions/:def', { org, def })
  return (
    <Page
      title={titles[edit] ? `${titles[edit]} ${def}` : read.data ? nameOf(read.data) : def}
      documentTitle={`${titles[edit] ?? 'Definition'} ${def}`}
      crumbs={[
        { label: 'Definitions', path: pathTo('/o/:org/definitions', { org }) },
        ...(titles[edit] ? [{ label: def, path: own }] : []),
      ]}
      actions={
        isAllowed &&
        !titles[edit] &&
        read.data?.is_deleted === false && (
          <>
            <a class="button" href={linkTo(`${own}?edit=criteria`)}>
              Change the criteria
            </a>
            <a class="button" href={linkTo(`${own}?edit=delete`)}>
              Delete
            </a>
          </>
        )
      }
    >
      <ReadView read={read} what="the definition">
        {(definition) => (
          <div class="stack" onInput={() => setSaved(false)}>
            <Facts definition={definition} />
            {isSaved && (
              <p class="notice notice-good" role="status">
                Saved.
              </p>
            )}
            {definition.is_deleted ? (
              <p class="notice notice-wait">
                The definition is deleted. Active resources that it provisioned remain.
              </p>
            ) : edit === 'delete' ? (
              uses.data && <DefinitionDeletion org={org} definition={definition} uses={uses.data} />
            ) : (
              <StoredForm
                key={edit}
                what={`definition '${def}'`}
                object={definition}
                read={() => call('GET /orgs/{org_id}/resources/defs/{def_id}', { path })}
                onLoad={read.reload}
              >
                {(stored) =>
                  edit === 'criteria' ? (
                    <CriteriaForm org={org} stored={stored} />
                  ) : (
                    <DefinitionForm org={org} stored={stored} onSaved={() => setSaved(true)} />
                  )
                }
              </StoredForm>
            )}
          </div>
        )}
      </ReadView>
      {isAllowed && <Uses read={uses} />}
    </Page>
  )
}

function Facts({ definition }: { readonly definition: ResourceDefinition }) {
  const { id, type, driver_type, criteria, status_message } = definition
  return (
    <>
      {nameOf(definition) !== id && <p class="muted">{id}</p>}
      <p>
        {type} by {driver_type}, for {criteria?.map(criterionText).join('; ') || 'no context'}
      </p>
      {status_message && (
        <p class={`notice notice-${isWarning(status_message) ? 'wait' : 'bad'}`}>{status_message}</p>
      )}
    </>
  )
}

const maxShown = 100

function Uses({
  read,
}: {
  readonly read: ReturnType<typeof useRead<'GET /orgs/{org_id}/resources/defs/{def_id}/resources'>>
}) {
  return (
    <section class="panel stack">
      <h2>Used by</h2>
      <ReadView read={read} what="resources">
        {(resources) => (
          <ul class="rows">
            {resources.length === 0 && <li class="muted">No active resource</li>}
            {resources
              .slice(0, maxShown)
              .map(({ gu_res_id, app_id, env_id, type, class: resourceClass, res_id }) => (
                <li key={gu_res_id}>
                  {app_id}/{env_id}: {type}.{resourceClass}#{res_id}
                </li>
              ))}
            {resources.length > maxShown && <li class="muted">and {resources.length - maxShown} more</li>}
          </ul>
        )}
      </ReadView>
    </section>
  )
}
