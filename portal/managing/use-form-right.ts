import { useRef } from 'preact/hooks'
import { path, query } from '../routing/router.ts'

/**
 * Whether a form is shown at the address of the page. An open form stays when its user loses the role, so that nothing typed is
 * lost: the gateway refuses the request, and says which role is missing.
 */
export function useFormRight(isAllowed: boolean): boolean {
  const allowedAt = useRef<string | undefined>(undefined)
  // The words of a filter choose no form: a preview in the form can have one.
  const choice = new URLSearchParams(query.value)
  choice.delete('find')
  const address = `${path.value}?${choice.toString()}`
  if (isAllowed) allowedAt.current = address
  return allowedAt.current === address
}
