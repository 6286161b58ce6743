import { useRef } from 'preact/hooks'
import { path, query } from '../routing/router.ts'

/**
 * Whether a form is shown at the address of the page. An open form stays when its user loses the role, so that nothing typed is
 * lost: the gateway refuses the request, and says which role is missing.
 */
export function useFormRight(isAllowed: boolean): boolean {
  const allowedAt = useRef<string | undefined>(undefined)
  const address = `${path.value}?${query.value.toString()}`
  if (isAllowed) allowedAt.current = address
  return allowedAt.current === address
}
