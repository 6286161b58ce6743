import { createHash } from 'node:crypto'
import type { FreeForm } from '../../api/schema.ts'
import { isObject, pointerSteps } from '../../domain/base/json.ts'
import type { Driver } from '../driver.ts'
import { workloadDescriptor } from './descriptor.ts'

/** Returns a rendered module: each text with a secret is a secret output, and `{secretOutput}` names it. */
export const workload: Driver = {
  descriptor: workloadDescriptor,
  async provision({ params, secretParams = [] }) {
    const values = structuredClone(params)
    const secrets: FreeForm = {}
    for (const pointer of secretParams) {
      const name = nameOf(pointer)
      secrets[name] = replaceAt(values, pointerSteps(pointer), { secretOutput: name })
    }
    return { outputs: { values, secrets }, objects: [] }
  },
  async deprovision() {},
}

/** Sets the value at the path; returns the previous one. */
function replaceAt(root: FreeForm, path: readonly string[], next: unknown): unknown {
  const last = path.at(-1) ?? ''
  let holder: unknown = root
  for (const step of path.slice(0, -1)) holder = isIndexed(holder) ? holder[step] : undefined
  if (!isIndexed(holder)) return ''
  const before = holder[last]
  holder[last] = next
  return before
}

function isIndexed(value: unknown): value is FreeForm {
  return isObject(value) || Array.isArray(value)
}

/** A readable key of a Secret that is unique for each pointer. */
function nameOf(pointer: string): string {
  const hash = createHash('sha256').update(pointer).digest('hex').slice(0, 8)
  return `${pointer
    .slice(1)
    .replaceAll('/', '.')
    .replaceAll(/[^A-Za-z0-9._-]/g, '_')
    .slice(0, 200)}-${hash}`
}
