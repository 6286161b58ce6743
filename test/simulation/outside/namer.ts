import type { Driver } from '../../../operator/drivers/driver.ts'
import { makerDescriptor } from './maker.ts'

/** A driver that names the namespace of an environment by the input `tag`. */
export const namer: Driver = {
  descriptor: {
    ...makerDescriptor,
    name: 'namer',
    description: 'Names a namespace.',
    account: { types: [], required: false },
    remote: false,
    replaceOnChangeOf: [],
  },
  async provision({ values, context }) {
    const name = `${context.organizationId}-${context.applicationId}-${context.environmentId}-${String(values.tag)}`
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    return { outputs: { values: { namespace: name }, secrets: {} }, objects: [namespace] }
  },
  async deprovision() {},
}
