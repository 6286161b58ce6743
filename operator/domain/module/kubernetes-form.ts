import type { FreeForm } from '../../api/schema.ts'
import { isObject } from '../base/json.ts'
import { moduleSchema, podSchema } from './module-schema.ts'
import { SecretText } from './secret-text.ts'

const fieldsOf = (schema: object) => Object.keys((schema as { properties: object }).properties) // of an object
const moduleFields = fieldsOf(moduleSchema)
/** Fields of pods that a module has under `pod` alone. */
const podFields = fieldsOf(podSchema).filter((field) => !moduleFields.includes(field))

/**
 * The module as its schema has it: fields of pods and containers may be where Kubernetes has them. A field that cannot be
 * moved, because the module has it in its place too, stays.
 */
export function fromKubernetesForm(spec: unknown): unknown {
  if (!isMap(spec)) return spec
  const module = withContainers(withPod(spec))
  return isMap(module.schedules)
    ? { ...module, schedules: eachMap(module.schedules, withContainers) }
    : module
}

function withPod(spec: FreeForm): FreeForm {
  const pod = spec.pod ?? {}
  if (!isMap(pod)) return spec
  const entries = Object.entries(spec).filter(
    ([field, value]) => isGiven(value) || !podFields.includes(field),
  )
  const isMoved = ([field]: [string, unknown]) => podFields.includes(field) && !isGiven(pod[field])
  const moved = Object.fromEntries(entries.filter(isMoved))
  const rest = Object.fromEntries(entries.filter((entry) => !isMoved(entry)))
  return Object.keys(moved).length === 0 ? rest : { ...rest, pod: { ...pod, ...moved } }
}

/** A module, or a schedule, with its containers as their schema has them. */
function withContainers(holder: FreeForm): FreeForm {
  const { containers } = holder
  return isMap(containers) ? { ...holder, containers: eachMap(containers, ownForm) } : holder
}

function ownForm({ securityContext, env, ...rest }: FreeForm): FreeForm {
  const isSecurityMoved = isGiven(securityContext) && !isGiven(rest.security_context)
  const security = isSecurityMoved ? { security_context: withoutNoPrivileges(securityContext) } : undefined
  const variables = isGiven(env) ? withVariables(env, rest.variables ?? {}) : undefined
  return {
    ...rest,
    ...(security ?? (isGiven(securityContext) ? { securityContext } : {})),
    ...(variables ? { variables } : isGiven(env) ? { env } : {}),
  }
}

/** Containers have no privileges in any case. */
function withoutNoPrivileges(given: unknown): unknown {
  if (!isMap(given)) return given
  const { privileged, ...context } = given
  const hasNone = !isGiven(privileged) || privileged === false || privileged === 'false'
  return hasNone ? context : { privileged, ...context }
}

/** The variables with those of `env`; undefined if one is defined twice or is no plain text. */
function withVariables(env: unknown, variables: unknown): FreeForm | undefined {
  if (!Array.isArray(env) || !isMap(variables)) return undefined
  const added = new Map<string, unknown>()
  for (const each of env) {
    const { name, value, ...more } = isObject(each) ? each : {}
    const isPlain = typeof name === 'string' && !Object.values(more).some(isGiven)
    if (!isPlain || added.has(name) || Object.hasOwn(variables, name)) return undefined
    added.set(name, value ?? '')
  }
  return { ...Object.fromEntries(added), ...variables }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Whether a value has members that a copy keeps: a secret would be lost in it. */
function isMap(value: unknown): value is FreeForm {
  return isObject(value) && !(value instanceof SecretText)
}

function eachMap(map: FreeForm, change: (each: FreeForm) => FreeForm): FreeForm {
  return Object.fromEntries(
    Object.entries(map).map(([key, each]) => [key, isMap(each) ? change(each) : each]),
  )
}
