import type { FreeForm } from '../../api/schema.ts'
import { isObject } from '../base/json.ts'
import { moduleSchema, podSchema } from './module-schema.ts'

const fieldsOf = (schema: object) => Object.keys((schema as { properties: object }).properties) // of an object
const moduleFields = fieldsOf(moduleSchema)
/** Fields of pods that a module has under `pod` alone. */
const podFields = fieldsOf(podSchema).filter((field) => !moduleFields.includes(field))

/**
 * The module as its schema has it: fields of pods and containers may be where Kubernetes has them. A field that cannot be
 * moved, because the module has it in its place too, stays.
 */
export function fromKubernetesForm(spec: unknown): unknown {
  return isObject(spec) ? withContainers(withPod(spec)) : spec
}

function withPod(spec: FreeForm): FreeForm {
  const pod = spec.pod ?? {}
  const moved = podFields.filter((field) => isGiven(spec[field]) && isObject(pod) && !isGiven(pod[field]))
  if (moved.length === 0) return spec
  const entriesOf = (isMoved: boolean) =>
    Object.fromEntries(Object.entries(spec).filter(([field]) => moved.includes(field) === isMoved))
  return { ...entriesOf(false), pod: { ...(pod as FreeForm), ...entriesOf(true) } } // an object: fields move to it
}

function withContainers(spec: FreeForm): FreeForm {
  const { containers } = spec
  if (!isObject(containers)) return spec
  const entries = Object.entries(containers).map(([id, each]) => [id, isObject(each) ? ownForm(each) : each])
  return { ...spec, containers: Object.fromEntries(entries) }
}

function ownForm(container: FreeForm): FreeForm {
  const { securityContext, env, ...rest } = container
  const isSecurityMoved = isObject(securityContext) && !isGiven(rest.security_context)
  const security = isSecurityMoved ? { security_context: withoutNoPrivileges(securityContext) } : undefined
  const variables = isGiven(env) ? withVariables(env, rest.variables ?? {}) : undefined
  return {
    ...rest,
    ...(security ?? (isGiven(securityContext) ? { securityContext } : {})),
    ...(variables ? { variables } : isGiven(env) ? { env } : {}),
  }
}

/** Containers have no privileges in any case. */
function withoutNoPrivileges({ privileged, ...context }: FreeForm): FreeForm {
  return isGiven(privileged) && privileged !== false ? { privileged, ...context } : context
}

/** The variables with those of `env`; undefined if one is defined twice or is no plain text. */
function withVariables(env: unknown, variables: unknown): FreeForm | undefined {
  if (!Array.isArray(env) || !isObject(variables)) return undefined
  const added = new Map<string, unknown>()
  for (const each of env) {
    const { name, value = '', ...more } = isObject(each) ? each : {}
    const isPlain = typeof name === 'string' && Object.keys(more).length === 0
    if (!isPlain || added.has(name) || Object.hasOwn(variables, name)) return undefined
    added.set(name, value)
  }
  return { ...Object.fromEntries(added), ...variables }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}
