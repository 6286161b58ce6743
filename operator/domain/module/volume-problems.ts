import { isObject, ownValue } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import { truncate } from '../base/size-limits.ts'
import { moduleRoots } from '../placeholder/link.ts'
import { eachEntry, fileBytes, mostContentBytes } from './container-problems.ts'
import type { ModuleContainer } from './container-schema.ts'
import { isDnsLabel } from './formats.ts'
import type { Module } from './module-schema.ts'
import { hasPlaceholder, type ReportAt } from './read-module.ts'
import { SecretText } from './secret-text.ts'

/** Volume sources that the Pod Security level `baseline` allows. */
const sources = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'nfs',
  'persistentVolumeClaim',
  'projected',
  'secret',
]

const ownNames = new Set(['files', 'secret-files'])

/** Whether a mount names a dependency, such as `externals.data`, and not a volume of the module. */
export function isDependencyId(id: string): boolean {
  return moduleRoots.some((root) => id.startsWith(`${root}.`))
}

/** The name of the volume of the module that a mount names. */
export function volumeName(id: string): string {
  return id.startsWith('volumes.') ? id.slice('volumes.'.length) : id
}

/** Reports volumes that Kubernetes would refuse, and mounts of volumes that do not exist. */
export function checkVolumes(
  module: Module,
  containers: readonly (readonly [at: string, container: ModuleContainer])[],
  report: ReportAt,
): void {
  eachEntry(module.volumes, '/volumes', (name, source, at) => {
    checkVolumeName(name, at, report)
    checkSource(source, at, report)
  })
  const claims = module.statefulset?.volume_claims
  eachEntry(claims, '/statefulset/volume_claims', (name, _, at) => {
    checkVolumeName(name, at, report)
    if (Object.hasOwn(module.volumes ?? {}, name)) report(at, `has the name of a volume under '/volumes'`)
  })
  const known = new Set([...Object.keys(module.volumes ?? {}), ...Object.keys(claims ?? {})])
  if ([...known].some(hasPlaceholder)) return
  for (const [at, container] of containers)
    eachEntry(container.volume_mounts, `${at}/volume_mounts`, (_, { id }, where) => {
      if (id === undefined || hasPlaceholder(id) || isDependencyId(id) || known.has(volumeName(id))) return
      report(`${where}/id`, () => `no volume is named '${truncate(id, 100)}'${didYouMean(id, known)}`)
    })
}

function checkVolumeName(name: string, at: string, report: ReportAt): void {
  if (!isDnsLabel(name) || ownNames.has(name))
    report(at, `'${truncate(name, 100)}' cannot be the name of a volume`)
}

function checkSource(source: unknown, at: string, report: ReportAt): void {
  if (typeof source === 'string' && hasPlaceholder(source)) return
  const kinds = isObject(source) ? Object.keys(source) : []
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) return report(at, 'must have one source of the volume')
  if (!sources.includes(kind))
    report(
      at,
      () =>
        `'${truncate(kind, 100)}' is no source of a volume that modules can use${didYouMean(kind, sources)}`,
    )
}

/** Reports contents of files that one ConfigMap and one Secret cannot hold. */
export function checkContents(
  containers: readonly (readonly [at: string, container: ModuleContainer])[],
  module: Module,
  report: ReportAt,
): void {
  for (const [at, container] of containers)
    eachEntry(container.files, `${at}/files`, (_, file, where) => {
      const bytes = fileBytes(file)
      if (bytes > mostContentBytes) report(where, `has ${bytes} bytes, more than ${mostContentBytes}`)
    })
  const totals = { ConfigMap: 0, Secret: 0 }
  const add = (file: StoredFile | undefined, times: number) => {
    const bytes = file ? fileBytes(file) : 0
    if (bytes <= mostContentBytes)
      totals[file?.value instanceof SecretText ? 'Secret' : 'ConfigMap'] += times * bytes
  }
  let isRepeated = false
  for (const [id, container] of Object.entries(module.containers ?? {})) {
    const { times, changes } = storedTimes(id, module)
    isRepeated ||= times > 1
    const files = container?.files ?? {}
    for (const file of Object.values(files)) add(file, times)
    for (const [name, file] of changes.flatMap((each) => Object.entries(each.files ?? {}))) {
      add(ownValue(files, name), -1)
      add(file, 1)
    }
  }
  const cause = isRepeated ? '; those of a container count again for each schedule that changes it' : ''
  for (const [kind, bytes] of Object.entries(totals))
    if (bytes > mostContentBytes)
      report(
        '/containers',
        `the files have ${bytes} bytes together, more than the ${mostContentBytes} of a ${kind}${cause}`,
      )
}

type StoredFile = Parameters<typeof fileBytes>[0]

/** How often the files of a container are stored, once and again for each schedule that changes it, and these changes. */
function storedTimes(id: string, { schedules = {} }: Module) {
  const all = Object.values(schedules)
  const changes = all.flatMap((each) => each?.containers?.[id] ?? [])
  const isUnchanged = changes.length === 0 || changes.length < all.length
  return { times: changes.length + Number(isUnchanged), changes }
}
