import type { FreeForm } from '../../api/schema.ts'
import { escapeToken, isObject } from '../base/json.ts'
import { truncate } from '../base/size-limits.ts'
import { moduleSchema, podSchema } from './module-schema.ts'
import { isAbsent, isUnknown, type ReportAt } from './read-module.ts'
import { SecretText } from './secret-text.ts'

const fieldsOf = (schema: object) => Object.keys((schema as { properties: object }).properties) // of an object
const moduleFields = fieldsOf(moduleSchema)
/** Fields of pods that a module has under `pod` alone. */
const podFields = new Set(fieldsOf(podSchema).filter((field) => !moduleFields.includes(field)))

/**
 * The module as its schema has it: fields of pods and containers may be where Kubernetes has them. Reports those that the
 * module has in their place too. What a placeholder gives is not known yet, so nothing is added to it.
 */
export function fromKubernetesForm(spec: unknown, report: ReportAt): unknown {
  if (!isMap(spec)) return spec
  const module = withContainers(withPod(spec, report), '', report)
  if (!isMap(module.schedules)) return module
  const schedules = eachMap(module.schedules, (schedule, name) =>
    withContainers(schedule, `/schedules/${escapeToken(name)}`, report),
  )
  return { ...module, schedules }
}

function withPod(spec: FreeForm, report: ReportAt): FreeForm {
  const pod = spec.pod ?? {}
  const isMoved = ([field]: [string, unknown]) => podFields.has(field)
  const entries = Object.entries(spec)
  const moved = entries.filter(isMoved).filter(([, value]) => isGiven(value))
  const rest = Object.fromEntries(entries.filter((entry) => !isMoved(entry)))
  if (moved.length === 0 || !isMap(pod)) return rest
  for (const [field] of moved)
    if (isGiven(pod[field])) report(`/${field}`, `is given at '/spec/pod/${field}' too`)
  return { ...rest, pod: { ...pod, ...Object.fromEntries(moved) } }
}

/** A module, or a schedule, with its containers as their schema has them. */
function withContainers(holder: FreeForm, at: string, report: ReportAt): FreeForm {
  const { containers } = holder
  if (!isMap(containers)) return holder
  const changed = eachMap(containers, (each, id) =>
    ownForm(each, `${at}/containers/${escapeToken(id)}`, report),
  )
  return { ...holder, containers: changed }
}

function ownForm({ securityContext, env, ...rest }: FreeForm, at: string, report: ReportAt): FreeForm {
  const isSecurityGiven = isGiven(securityContext)
  if (isSecurityGiven && isGiven(rest.security_context))
    report(`${at}/securityContext`, "is given as 'security_context' too")
  return {
    ...rest,
    ...(isSecurityGiven ? { security_context: withoutNoPrivileges(securityContext) } : {}),
    ...(isGiven(env) ? { variables: withVariables(env, rest.variables ?? {}, `${at}/env`, report) } : {}),
  }
}

/** Containers have no privileges in any case. */
function withoutNoPrivileges(given: unknown): unknown {
  if (!isMap(given)) return given
  const { privileged, ...context } = given
  const hasNone = !isGiven(privileged) || privileged === false || privileged === 'false'
  return hasNone ? context : { privileged, ...context }
}

/** The variables with those of `env`. */
function withVariables(env: unknown, variables: unknown, at: string, report: ReportAt): unknown {
  if (!isMap(variables) || isUnknown(env)) return variables
  if (!Array.isArray(env)) report(at, 'must be a list of variables')
  const added = new Map<string, unknown>()
  for (const [i, each] of Array.isArray(env) ? env.entries() : []) {
    const { name, value, ...more } = isObject(each) ? each : {}
    const isPlain = typeof name === 'string' && !Object.values(more).some(isGiven)
    if (!isPlain && !isUnknown(each))
      report(`${at}/${i}`, "must have a 'name' and a 'value', and nothing else")
    if (!isPlain) continue
    if (added.has(name) || Object.hasOwn(variables, name))
      report(`${at}/${i}`, `the variable '${truncate(name, 100)}' is given twice`)
    added.set(name, value ?? '')
  }
  return { ...Object.fromEntries(added), ...variables }
}

function isGiven(value: unknown): boolean {
  return !isAbsent(value)
}

/** Whether a value has members that a copy keeps: a secret would be lost in it. */
function isMap(value: unknown): value is FreeForm {
  return isObject(value) && !(value instanceof SecretText)
}

function eachMap(map: FreeForm, change: (each: FreeForm, key: string) => FreeForm): FreeForm {
  const entries = Object.entries(map).map(([key, each]) => [key, isMap(each) ? change(each, key) : each])
  return Object.fromEntries(entries)
}
