import { isObject } from '../base/json.ts'
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
  const known = [...Object.keys(module.volumes ?? {}), ...Object.keys(claims ?? {})]
  if (known.some(hasPlaceholder)) return
  for (const [at, container] of containers)
    eachEntry(container.volume_mounts, `${at}/volume_mounts`, (_, { id }, where) => {
      if (id === undefined || hasPlaceholder(id) || isDependencyId(id) || known.includes(volumeName(id)))
        return
      report(`${where}/id`, `no volume is named '${truncate(id, 100)}'${didYouMean(id, known)}`)
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
  const stored = Object.keys(module.containers ?? {}).map((id) => storedFiles(id, module))
  for (const file of stored.flat().flatMap((files) => Object.values(files))) {
    const bytes = file ? fileBytes(file) : 0
    if (bytes <= mostContentBytes) totals[file?.value instanceof SecretText ? 'Secret' : 'ConfigMap'] += bytes
  }
  const cause = stored.some(({ length }) => length > 1)
    ? '; those of a container count again for each schedule that changes it'
    : ''
  for (const [kind, bytes] of Object.entries(totals))
    if (bytes > mostContentBytes)
      report(
        '/containers',
        `the files have ${bytes} bytes together, more than the ${mostContentBytes} of a ${kind}${cause}`,
      )
}

/** The files of a container, each time that they are stored: once, and again for each schedule that changes the container. */
function storedFiles(id: string, { containers, schedules = {} }: Module) {
  const files = containers?.[id]?.files ?? {}
  const all = Object.values(schedules)
  const changed = all.flatMap((each) => each?.containers?.[id] ?? [])
  const isUnchanged = changed.length === 0 || changed.length < all.length
  return [...(isUnchanged ? [files] : []), ...changed.map((each) => ({ ...files, ...each.files }))]
}
