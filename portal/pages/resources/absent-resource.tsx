import { setQuery } from '../../routing/router.ts'

/** In place of the panel, when the address names a resource that the environment does not have. */
export function AbsentResource() {
  return (
    <div class="notice notice-wait" role="status">
      <p>The environment does not have the selected resource, or not any more.</p>
      <button type="button" onClick={() => setQuery({ resource: undefined })}>
        Close
      </button>
    </div>
  )
}
