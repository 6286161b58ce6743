import type { Driver } from '../driver.ts'
import { echoDescriptor } from './descriptor.ts'

export const echo: Driver = {
  descriptor: echoDescriptor,
  async provision({ values, secrets }) {
    return { outputs: { values, secrets }, objects: [] }
  },
  async deprovision() {},
}
