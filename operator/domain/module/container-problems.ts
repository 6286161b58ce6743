import { base64Bytes, isBase64 } from '../base/base64.ts'
import { compareText, escapeToken } from '../base/json.ts'
import { quantityOf } from '../base/quantity.ts'
import { truncate } from '../base/size-limits.ts'
import type { ModuleContainer, NativeContainer, Probe } from './container-schema.ts'
import { isDevice, isDnsLabel, isResourceName, mountPath } from './formats.ts'
import { isImageReference } from './image-reference.ts'
import type { Module } from './module-schema.ts'
import { isVariableOfWord } from './names.ts'
import { hasPlaceholder, type ReportAt } from './read-module.ts'
import { SecretText } from './secret-text.ts'

/** Bytes that a ConfigMap and a Secret can hold. */
export const mostContentBytes = 1_048_576

const shownLength = 100

/** Calls `check` for each known entry whose key has no placeholder. */
export function eachEntry<T>(
  map: Readonly<Record<string, T | undefined>> | undefined,
  pointer: string,
  check: (key: string, value: T, at: string) => void,
): void {
  for (const [key, value] of Object.entries(map ?? {}))
    if (value !== undefined && !hasPlaceholder(key)) check(key, value, `${pointer}/${escapeToken(key)}`)
}

/** Reports what Kubernetes would refuse in a container, or silently ignore. */
export function checkContainer(id: string, container: ModuleContainer, at: string, report: ReportAt): void {
  checkName(id, at, report)
  checkImage(container.image, at, report)
  if (container.id !== undefined && container.id !== id && !hasPlaceholder(container.id))
    report(`${at}/id`, `is '${truncate(container.id, shownLength)}', but the key of the container is '${id}'`)
  eachEntry(container.variables, `${at}/variables`, (name, _, where) =>
    checkVariableName(name, where, report),
  )
  checkPaths(container, at, report)
  checkSeccomp(container.security_context, `${at}/security_context`, report)
  checkResources(container.resources, `${at}/resources`, report)
  for (const name of ['liveness_probe', 'readiness_probe', 'startup_probe'] as const) {
    const probe = container[name]
    if (probe) checkProbe(probe, `${at}/${name}`, name === 'readiness_probe', report)
  }
}

/** Reports what Kubernetes would refuse in a container in the form of Kubernetes. */
export function checkNativeContainer(container: NativeContainer, at: string, report: ReportAt): void {
  if (container.name !== undefined) checkName(container.name, `${at}/name`, report)
  if (container.image !== undefined) checkImage(container.image, at, report)
  checkSeccomp(container.securityContext, `${at}/securityContext`, report)
  checkResources(container.resources, `${at}/resources`, report)
  const owners = new Map<string, string>()
  for (const [i, variable] of (container.env ?? []).entries()) {
    if (variable?.name === undefined || hasPlaceholder(variable.name)) continue
    const { name } = variable
    const where = `${at}/env/${i}/name`
    checkVariableName(name, where, report)
    const other = owners.get(name)
    if (other !== undefined)
      report(where, `the variable '${truncate(name, shownLength)}' is given at '${other}' too`)
    else owners.set(name, where)
  }
}

function checkName(name: string, at: string, report: ReportAt): void {
  if (!hasPlaceholder(name) && !isDnsLabel(name))
    report(
      at,
      `'${truncate(name, shownLength)}' cannot be the name of a container: use at most 63 lower-case letters, digits and hyphens`,
    )
}

function checkImage(image: string | undefined, at: string, report: ReportAt): void {
  if (image === undefined) return report(at, "has no 'image'")
  if (!hasPlaceholder(image) && !isImageReference(image))
    report(`${at}/image`, `'${truncate(image, shownLength)}' is not the name of an image`)
}

function checkVariableName(name: string, at: string, report: ReportAt): void {
  if (!/^[\x20-\x3c\x3e-\x7e]+$/.test(name))
    report(at, `'${truncate(name, shownLength)}' cannot be the name of a variable`)
  else if (isVariableOfWord(name))
    report(at, 'the operator gives this name to secret words of commands: choose another one')
}

/** Reports malformed and repeated paths of files and volumes, and contents of files. */
function checkPaths({ files, volume_mounts: mounts }: ModuleContainer, at: string, report: ReportAt): void {
  const known = new Map<string, string>()
  const claim = (path: string, where: string): void => {
    const normal = mountPath(path)
    if (normal === undefined)
      return report(where, `'${truncate(path, shownLength)}' is not the absolute path of a file or folder`)
    const other = known.get(normal)
    if (other !== undefined) report(where, `is mounted twice: also at '${other}'`)
    known.set(normal, where)
  }
  eachEntry(files, `${at}/files`, (path, _, where) => claim(path, where))
  eachEntry(mounts, `${at}/volume_mounts`, (path, { sub_path: subPath }, where) => {
    claim(path, where)
    if (
      subPath !== undefined &&
      !hasPlaceholder(subPath) &&
      (subPath.startsWith('/') || subPath.split('/').includes('..'))
    )
      report(`${where}/sub_path`, 'must be a path inside the volume')
  })
  reportBelowFiles(known, `${at}/files/`, report)
  eachEntry(files, `${at}/files`, (_, file, where) => {
    const { value, binary_value: binary } = file
    if (value !== undefined && binary !== undefined) report(where, "has both 'value' and 'binary_value'")
    if (!('value' in file) && !('binary_value' in file))
      report(where, "has neither 'value' nor 'binary_value'")
    if (binary !== undefined && !hasPlaceholder(binary) && !isBase64(binary.replace(/\s/g, '')))
      report(`${where}/binary_value`, 'is not Base64')
  })
}

/** Reports paths below the path of a file, which is no folder: the container would not start. `known` has places by path. */
function reportBelowFiles(known: ReadonlyMap<string, string>, ofFiles: string, report: ReportAt): void {
  // What is below a file follows it when the slash is before all other characters.
  const sortable = [...known].map(([path, where]) => [path.replaceAll('/', '\0'), where] as const)
  let file: readonly [path: string, where: string] | undefined
  for (const each of sortable.sort(([left], [right]) => compareText(left, right))) {
    if (file && each[0].startsWith(`${file[0]}\0`)) report(each[1], `is below the file at '${file[1]}'`)
    else file = each[1].startsWith(ofFiles) ? each : undefined
  }
}

/** Reports a seccomp profile of the node without its file, and a file of another profile. */
export function checkSeccomp(
  context: ModuleContainer['security_context'] | NonNullable<Module['pod']>['securityContext'],
  at: string,
  report: ReportAt,
): void {
  const profile = context?.seccompProfile
  if (profile?.type === undefined || hasPlaceholder(profile.type)) return
  const { type, localhostProfile: file } = profile
  const where = `${at}/seccompProfile/localhostProfile`
  if (type !== 'Localhost' && file !== undefined) report(where, `is for the type 'Localhost', not '${type}'`)
  if (type !== 'Localhost') return
  if (file === undefined || file === '')
    report(`${at}/seccompProfile`, "has no 'localhostProfile', which the type 'Localhost' needs")
  else if (!hasPlaceholder(file) && (file.startsWith('/') || file.split('/').includes('..')))
    report(where, 'must be a path inside the folder of profiles')
}

/** Bytes of a file; placeholders count as they are written. */
export function fileBytes({
  value,
  binary_value: binary,
}: {
  readonly value?: unknown
  readonly binary_value?: string
}): number {
  if (binary !== undefined) return base64Bytes(binary)
  const text = value instanceof SecretText ? value.reveal() : value
  return typeof text === 'string' ? Buffer.byteLength(text) : 0
}

function checkResources(resources: ModuleContainer['resources'], at: string, report: ReportAt): void {
  const amounts = new Map<string, number>()
  for (const part of ['limits', 'requests'] as const)
    eachEntry(resources?.[part], `${at}/${part}`, (name, quantity, where) => {
      if (!isResourceName(name))
        return report(
          where,
          `'${truncate(name, shownLength)}' cannot be the name of a resource of containers`,
        )
      if (hasPlaceholder(quantity)) return
      const amount = quantityOf(quantity)
      if (amount === undefined)
        return report(
          where,
          `'${truncate(quantity, shownLength)}' is not a quantity such as '250m' or '256Mi'`,
        )
      if (isDevice(name) && !Number.isInteger(amount)) report(where, `'${quantity}' is not a whole number`)
      const limit = amounts.get(name)
      if (part === 'limits') amounts.set(name, amount)
      else if (!canExceed(name) && lacksLimit(resources, name, amount))
        report(where, `'${truncate(name, shownLength)}' needs the same limit as request`)
      else if (limit !== undefined && amount > limit)
        report(where, `'${quantity}' is more than the limit '${resources?.limits?.[name]}'`)
    })
}

/** Whether containers may use more of a resource than they request. */
function canExceed(name: string): boolean {
  return !isDevice(name) && !name.startsWith('hugepages-')
}

/** Whether no limit, nor one that a placeholder may give, is the amount. */
function lacksLimit(resources: ModuleContainer['resources'], name: string, amount: number): boolean {
  const limits = resources?.limits
  if (!limits) return !(resources && 'limits' in resources)
  if (Object.keys(limits).some(hasPlaceholder)) return false
  const limit = limits[name]
  if (limit === undefined) return !(name in limits)
  return !hasPlaceholder(limit) && quantityOf(limit) !== amount
}

const neededField = { http: 'port', tcp: 'port', grpc: 'port', command: 'command' } as const

function checkProbe(probe: Probe, at: string, isReadiness: boolean, report: ReportAt): void {
  const { type, successThreshold = 1 } = probe
  const needed = type === undefined || hasPlaceholder(type) ? undefined : neededField[type]
  if (needed && isMissing(probe, needed))
    report(at, `has no '${needed}', which a probe of the type '${type}' needs`)
  if ('host' in probe && needed !== undefined && type !== 'http')
    report(`${at}/host`, `is for probes of the type 'http': a probe always reaches the pod itself`)
  // Other probes send no headers.
  eachEntry(type === 'http' ? probe.headers : {}, `${at}/headers`, (name, _, where) => {
    if (!/^[-A-Za-z0-9]+$/.test(name))
      report(where, `'${truncate(name, shownLength)}' cannot be the name of a header`)
  })
  if (!isReadiness && successThreshold !== 1)
    report(`${at}/successThreshold`, 'must be 1 except for a readiness probe')
  if (isReadiness && 'terminationGracePeriodSeconds' in probe)
    report(`${at}/terminationGracePeriodSeconds`, 'is for other probes: a readiness probe ends no container')
}

/** Whether a field is absent. One with a placeholder is left out of the reading, and is not known to be absent. */
function isMissing(probe: Probe, field: 'port' | 'command'): boolean {
  return !(field in probe) || (field === 'command' && probe.command?.length === 0)
}
