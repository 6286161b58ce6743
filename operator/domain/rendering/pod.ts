import { annotations } from '../../api/names.ts'
import type { FreeForm } from '../../api/schema.ts'
import { isObject } from '../base/json.ts'
import type { ModuleContainer } from '../module/container-schema.ts'
import { standardLabels, type WorkloadIdentity } from '../module/labels.ts'
import type { Module } from '../module/module-schema.ts'
import { isDependencyId, volumeName } from '../module/volume-problems.ts'
import {
  listOf,
  type PodContext,
  pullPolicyOf,
  renderContainer,
  renderNativeContainer,
  restricted,
  sortedEntries,
  withChanges,
} from './container.ts'
import type { Contents } from './contents.ts'
import type { PodParts } from './pod-parts.ts'

/** What the pods of a workload are rendered from. */
export interface PodInput {
  readonly workload: WorkloadIdentity
  /** Organization and GUResID, by which the operator finds the resource of a pod. */
  readonly resourceKey: string
  readonly module: Module
  readonly parts: readonly PodParts[]
  readonly contents: Contents
  /** Receives what no render can repair. */
  report(problem: string): void
}

/** Fields of containers that differ for a schedule. */
export interface Variant {
  readonly name: string
  readonly containers: Readonly<Record<string, ModuleContainer>> | undefined
}

/** The pod template, without its annotation for contents. */
export function podTemplate(input: PodInput, variant?: Variant): { metadata: FreeForm; spec: FreeForm } {
  const { workload, resourceKey, module, parts, contents } = input
  const {
    annotations: ownAnnotations,
    labels,
    initContainers = [],
    serviceAccountName,
    automountServiceAccountToken = hasOwnAccount(module) ? false : undefined,
    enableServiceLinks = false,
    securityContext,
    ...rest
  } = module.pod ?? {}
  const pod = contextOf(input, variant)
  const containers = sortedEntries(module.containers).map(([id, container]) => {
    const changes = variant?.containers?.[id]
    const isChanged = changes !== undefined
    return renderContainer(
      id,
      isChanged ? withChanges(container, changes) : container,
      isChanged ? pod : { ...pod, scope: '' },
    )
  })
  const inits = initContainers.map((each) => renderNativeContainer(each, { ...pod, scope: 'init.' }))
  const added = parts.flatMap((part) => part.containers.map((each) => addedContainer(each, part, input)))
  return {
    metadata: {
      labels: { ...module.labels, ...labels, ...standardLabels(workload) },
      annotations: { ...ownAnnotations, [annotations.resource]: resourceKey },
    },
    spec: {
      ...rest,
      serviceAccountName: accountOf(workload.id, module),
      automountServiceAccountToken,
      enableServiceLinks,
      securityContext: {
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
        ...(isObject(securityContext) ? securityContext : {}),
      },
      initContainers: listOf(inits),
      containers: [...containers, ...added],
      volumes: listOf([
        ...contents.volumes(),
        ...sortedEntries(module.volumes).map(([name, source]) => ({
          name,
          ...(isObject(source) ? source : {}),
        })),
        ...parts.flatMap((part) => part.volumes),
      ]),
    },
  }
}

/** Whether the operator makes the ServiceAccount of the workload. */
export function hasOwnAccount({ serviceAccountName, pod }: Module): boolean {
  return serviceAccountName === undefined && pod?.serviceAccountName === undefined
}

function accountOf(id: string, { serviceAccountName, pod }: Module): string {
  return pod?.serviceAccountName ?? serviceAccountName ?? id
}

function contextOf({ parts, contents, report }: PodInput, variant: Variant | undefined): PodContext {
  return {
    contents,
    scope: variant ? `${variant.name}.` : '',
    volumeOf(id) {
      if (!isDependencyId(id)) return volumeName(id)
      const volumes = parts.find(({ names }) => names.includes(id))?.volumes ?? []
      const [volume] = volumes
      if (volumes.length === 1 && typeof volume?.name === 'string') return volume.name
      report(
        `'${id}' gives ${volumes.length === 0 ? 'no volume' : 'several volumes'}: its definition needs one manifest of the location 'volumes'`,
      )
      return ''
    },
  }
}

/** A container that a dependency adds; its definition may say more than modules can. */
function addedContainer(container: FreeForm, { descriptor }: PodParts, { report }: PodInput): FreeForm {
  if (typeof container.name !== 'string' || typeof container.image !== 'string')
    report(`a manifest of the location 'containers' of ${descriptor} has no 'name' or no 'image'`)
  return {
    ...container,
    imagePullPolicy: container.imagePullPolicy ?? pullPolicyOf(container.image),
    securityContext: restricted(container.securityContext),
  }
}
