import { afterAll } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { Cookie, ProvisionRequest } from '../../../operator/drivers/driver.ts'
import { createTemplateDriver } from '../../../operator/drivers/template/driver.ts'
import { createTemplates } from '../../../operator/templates/templates.ts'
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

/** The template driver of a test file, and a provision with these templates, secrets and other values. */
export function setUpTemplateDriver() {
  const templates = createTemplates()
  afterAll(() => templates.close())
  const driver = createTemplateDriver({ templates })
  const provision = async (given: FreeForm, secrets: FreeForm = {}, others: FreeForm = {}) =>
    driver.provision(templateRequest({ ...others, templates: given }, secrets))
  return { driver, provision }
}

/** The template of a ConfigMap. */
export const configMap = (data: FreeForm) => ({
  data: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data },
})

/** The template of a Secret. */
export const secretObject = (stringData: FreeForm) => ({
  data: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData },
})
