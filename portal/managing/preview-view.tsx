import type { DefinitionPreview } from '../api/types.ts'
import { FilteredTable } from '../components/filtered-table.tsx'
import { ActionNotes } from './action-notes.tsx'

/** Every resource that a change of definitions would change, and the problems that it would cause. */
export function PreviewView({ preview }: { readonly preview: DefinitionPreview }) {
  const { changes, problems } = preview
  return (
    <section class="stack" aria-label="Preview">
      <h2>What would change</h2>
      {problems.length > 0 && (
        <div class="notice notice-bad" role="alert">
          <ul>
            {problems.map(({ app_id, env_id, object, message }) => (
              <li key={`${app_id}/${env_id}/${object}/${message}`}>
                {app_id}/{env_id}: {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      <ActionNotes actions={changes} />
      {changes.length === 0 ? (
        <p class="notice notice-good">No resource would change.</p>
      ) : (
        <FilteredTable
          what="changed resources"
          items={changes}
          keyOf={({ gu_res_id, action }) => `${gu_res_id}/${action}`}
          textOf={({ app_id, env_id, type, res_id, action }) =>
            `${app_id} ${env_id} ${type} ${res_id} ${action}`
          }
          columns={[
            { title: 'Environment', show: ({ app_id, env_id }) => `${app_id}/${env_id}` },
            { title: 'Resource', show: (each) => `${each.type}.${each.class}#${each.res_id}` },
            { title: 'Action', show: ({ action }) => action },
            {
              title: 'Definition',
              show: ({ from_def, to_def }) =>
                from_def === to_def ? to_def : `${from_def || 'none'} → ${to_def || 'none'}`,
            },
            { title: 'Changed inputs', show: ({ changed_inputs }) => changed_inputs.join(', ') },
          ]}
        />
      )}
    </section>
  )
}
