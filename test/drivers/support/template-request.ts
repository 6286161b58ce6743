import type { FreeForm } from '../../../operator/api/schema.ts'
import type { Cookie, ProvisionRequest } from '../../../operator/drivers/driver.ts'
import { context } from '../../support/builders.ts'

/** A cookie in memory. */
export function cookieInMemory(text?: string): Cookie & { text: string | undefined } {
  const cookie = {
    text,
    read: async () => cookie.text,
    async write(next: string | undefined) {
      cookie.text = next
    },
  }
  return cookie
}

/** A request with these inputs for a resource of `context()`. */
export function templateRequest(
  values: FreeForm,
  secrets: FreeForm = {},
  changes: Partial<ProvisionRequest> = {},
): ProvisionRequest {
  return {
    guResId: '0123456789abcdef'.repeat(3).slice(0, 40),
    context: context(),
    type: 'postgres',
    class: 'default',
    resourceId: 'shared.database',
    namespace: 'acme--shop--dev',
    signal: new AbortController().signal,
    values,
    secrets,
    params: { size: 3 },
    neighbours: {},
    ...changes,
  }
}
