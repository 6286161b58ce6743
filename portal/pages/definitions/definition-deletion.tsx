import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { readAgain } from '../../api/read-store.ts'
import type { ActiveResource, DefinitionPreview, ResourceDefinition } from '../../api/types.ts'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Loading } from '../../components/read-view.tsx'
import { PreviewView } from '../../managing/preview-view.tsx'
import { useAction } from '../../managing/use-action.ts'
import { pathTo } from '../../routing/paths.ts'
import { navigate, setQuery } from '../../routing/router.ts'
import { previewOf } from './requests.ts'

interface Props {
  readonly org: string
  readonly definition: ResourceDefinition
  /** Active resources that the definition provisioned. */
  readonly uses: readonly ActiveResource[]
}

const operation = 'DELETE /orgs/{org_id}/resources/defs/{def_id}'

/** Deletes a definition after a preview, and after a confirmation if active resources use it. */
export function DefinitionDeletion({ org, definition, uses }: Props) {
  const path = { org_id: org, def_id: definition.id }
  const [preview, setPreview] = useState<DefinitionPreview | undefined>(undefined)
  const [isAccepted, setAccepted] = useState(false)
  const reading = useAction()
  const deleting = useAction()
  const read = () => void reading.run(async () => setPreview(await previewOf(operation, { path })))
  useEffect(read, [])
  const remove = async () => {
    await call(operation, { path, query: uses.length > 0 ? { force: 'true' } : {} })
    await readAgain(`/orgs/${encodeURIComponent(org)}/resources/defs?deleted=true`)
    navigate(pathTo('/o/:org/definitions', { org }), { replace: true })
  }
  return (
    <section class="panel stack" aria-label={`Delete ${definition.id}`}>
      {uses.length > 0 && (
        <div class="notice notice-wait">
          <p>
            Active resources use this definition: {uses.length}. They are kept as they are until the next
            deployment of their environment.
          </p>
        </div>
      )}
      {reading.problem && <ProblemNotice problem={reading.problem} onRetry={read} />}
      {preview ? <PreviewView preview={preview} /> : !reading.problem && <Loading what="the preview" />}
      {uses.length > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={isAccepted}
            onChange={({ currentTarget }) => setAccepted(currentTarget.checked)}
          />
          Delete it although active resources use it
        </label>
      )}
      {deleting.problem && <ProblemNotice problem={deleting.problem} />}
      <div class="actions">
        <button
          type="button"
          class="danger"
          disabled={!preview || deleting.isBusy || (uses.length > 0 && !isAccepted)}
          onClick={() => void deleting.run(remove)}
        >
          Delete the definition
        </button>
        <button type="button" onClick={() => setQuery({ edit: undefined })}>
          Cancel
        </button>
      </div>
    </section>
  )
}
