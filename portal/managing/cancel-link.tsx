import { linkTo } from '../routing/router.ts'

/** Leaves a form for a page, without saving. */
export function CancelLink({ to }: { readonly to: string }) {
  return (
    <a class="button" href={linkTo(to)}>
      Cancel
    </a>
  )
}
