import { useMemo } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { invalidate } from '../../api/read-store.ts'
import { useRead } from '../../api/reads.ts'
import type { ResourceType } from '../../api/types.ts'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { DeleteButton } from '../../managing/delete-button.tsx'
import { isAdministrator } from '../../managing/roles.ts'
import { SchemaEditor } from '../../managing/schema-editor.tsx'
import { StoredForm } from '../../managing/stored-form.tsx'
import { useFormRight } from '../../managing/use-form-right.ts'
import { useSchemaText } from '../../managing/use-schema-text.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { pathTo } from '../../routing/paths.ts'
import { linkTo, navigate, query } from '../../routing/router.ts'
import { TypeForm } from './type-form.tsx'
import { isCustom } from './type-schema.ts'

/** Resource types by category, one of them, or the form for a new one: what the query of the address says. */
export function Types({ parameters: { org = '' } }: PageProps) {
  const read = useRead('GET /orgs/{org_id}/resources/types', { path: { org_id: org } }, { isList: true })
  const wanted = query.value.get('type')
  const hasForm = useFormRight(isAdministrator(org))
  const added = hasForm ? query.value.get('new') : null
  const title = added === null ? (wanted === null ? 'Types' : `Type ${wanted}`) : 'New type'
  const types = pathTo('/o/:org/types', { org })
  const isList = title === 'Types'
  return (
    <Page
      title={title}
      documentTitle={isList ? `Types of ${org}` : title}
      crumbs={isList ? [] : [{ label: 'Types', path: types }]}
      actions={
        isAdministrator(org) &&
        isList && (
          <a class="button primary" href={linkTo(`${types}?new`)}>
            New type
          </a>
        )
      }
    >
      <ReadView read={read} what="types">
        {(found) => {
          if (isList) return <TypeList org={org} types={found} />
          const categories = [...new Set(found.map(({ category }) => category))].filter(Boolean)
          const overridden = found.find(({ type }) => type === added)
          if (added !== null) return <TypeForm org={org} categories={categories} overridden={overridden} />
          const shown = found.find(({ type }) => type === wanted)
          if (!shown) return <p class="empty">This type does not exist.</p>
          return <TypeView key={shown.type} org={org} type={shown} categories={categories} />
        }}
      </ReadView>
    </Page>
  )
}

function TypeList({ org, types }: { readonly org: string; readonly types: readonly ResourceType[] }) {
  const byCategory = Map.groupBy(types, ({ category }) => category || 'other')
  const list = linkTo(pathTo('/o/:org/types', { org }))
  return (
    <>
      {[...byCategory].map(([category, members]) => (
        <section key={category} class="stack">
          <h2>{category}</h2>
          <ul class="chips">
            {members.map(({ type, name }) => (
              <li key={type}>
                <a class="chip" href={`${list}?type=${encodeURIComponent(type)}`}>
                  {name} <span class="muted">{type === name ? '' : type}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

interface ViewProps {
  readonly org: string
  readonly type: ResourceType
  readonly categories: readonly string[]
}

/** A type: the form that changes it, or its schema with the form of a static definition. */
function TypeView({ org, type, categories }: ViewProps) {
  const types = pathTo('/o/:org/types', { org })
  const path = useMemo(() => ({ org_id: org, type_id: type.type }), [org, type.type])
  const hasForm = useFormRight(isAdministrator(org))
  if (!hasForm || !isCustom(org, type))
    return (
      <>
        <Preview type={type} />
        {isAdministrator(org) && type.use !== 'implicit' && (
          <p>
            <a class="button" href={linkTo(`${types}?new=${encodeURIComponent(type.type)}`)}>
              Override this type
            </a>
          </p>
        )}
      </>
    )
  return (
    <>
      <StoredForm
        what={`type '${type.type}'`}
        object={type}
        read={() => call('GET /orgs/{org_id}/resources/types/{type_id}', { path })}
      >
        {(stored) => <TypeForm org={org} categories={categories} stored={stored} />}
      </StoredForm>
      <div class="actions">
        <DeleteButton
          what={type.type}
          label="Delete the type"
          onDelete={async () => {
            await call('DELETE /orgs/{org_id}/resources/types/{type_id}', { path })
            await invalidate(`/orgs/${encodeURIComponent(org)}/resources/types`)
            navigate(types, { replace: true })
          }}
        >
          <p>A type that a definition uses is not deleted.</p>
        </DeleteButton>
      </div>
    </>
  )
}

/** The form of a static definition, while the schema is edited. Nothing is stored. */
function Preview({ type }: { readonly type: ResourceType }) {
  const outputs = useSchemaText('outputs_schema', type.outputs_schema)
  return (
    <section class="panel stack">
      <h2>{type.name}</h2>
      <p class="muted">
        {type.use}, category {type.category || 'other'}
      </p>
      <SchemaEditor
        id="outputs-schema"
        label="Schema of the outputs, to try changes"
        formLabel="Form of a static definition"
        schema={outputs}
        kind="parts"
      />
    </section>
  )
}
