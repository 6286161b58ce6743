import { useMemo, useState } from 'preact/hooks'
import { isObject, parseJson } from '../../../operator/domain/base/json.ts'
import { useRead } from '../../api/reads.ts'
import type { ResourceType } from '../../api/types.ts'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { pathTo } from '../../routing/paths.ts'
import { linkTo, query } from '../../routing/router.ts'
import type { PageProps } from '../../routing/routes.ts'

/** Resource types by category, and a preview of the form of one of them. */
export function Types({ parameters: { org = '' } }: PageProps) {
  const read = useRead('GET /orgs/{org_id}/resources/types', { path: { org_id: org } }, { isList: true })
  const wanted = query.value.get('type')
  return (
    <Page title="Types" documentTitle={`Types of ${org}`}>
      <ReadView read={read} what="types">
        {(types) => {
          const shown = types.find(({ type }) => type === wanted)
          return (
            <>
              {shown && <TypePreview key={shown.type} type={shown} />}
              {[...Map.groupBy(types, ({ category }) => category || 'other')].map(([category, members]) => (
                <section key={category} class="stack">
                  <h2>{category}</h2>
                  <ul class="chips">
                    {members.map(({ type, name }) => (
                      <li key={type}>
                        <a
                          class="chip"
                          href={linkTo(
                            `${pathTo('/o/:org/types', { org })}?type=${encodeURIComponent(type)}`,
                          )}
                        >
                          {name} <span class="muted">{type === name ? '' : type}</span>
                        </a>
                      </li>
                    ))}
                  </ul>
                </section>
              ))}
            </>
          )
        }}
      </ReadView>
    </Page>
  )
}

/** The form of a static definition of a type, while its schema is edited. Nothing is stored. */
function TypePreview({ type }: { readonly type: ResourceType }) {
  const [text, setText] = useState(() => JSON.stringify(type.outputs_schema, undefined, 2))
  const [value, setValue] = useState<unknown>({})
  const parsed = useMemo(() => parseJson(text), [text])
  return (
    <section class="panel stack">
      <h2>{type.name}</h2>
      <label>
        Schema of the outputs, to try changes
        <textarea
          class="mono"
          rows={12}
          spellcheck={false}
          value={text}
          aria-invalid={!isObject(parsed)}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <h3>Form of a static definition</h3>
      {isObject(parsed) ? (
        <SchemaForm schema={parsed} kind="parts" idPrefix="preview" value={value} onChange={setValue} />
      ) : (
        <p class="form-message" role="alert">
          This is not a JSON object.
        </p>
      )}
    </section>
  )
}
