import type { FreeForm } from '../../api/schema.ts'
import { compareText, isObject } from '../base/json.ts'
import { parseImage } from '../image/image-reference.ts'
import type { ModuleContainer, NativeContainer } from '../module/container-schema.ts'
import { mountPath } from '../module/formats.ts'
import { variableOfWord } from '../module/names.ts'
import { type ModuleText, SecretText } from '../module/secret-text.ts'
import type { Contents } from './contents.ts'
import { probeOf } from './probe.ts'

interface Variable {
  readonly name: string
  readonly value?: ModuleText
  readonly valueFrom?: unknown
}

/** What the containers of one pod share. */
export interface PodContext {
  readonly contents: Contents
  /** Distinguishes the texts of containers that differ for a schedule. */
  readonly scope: string
  /** The name of the volume that a mount names. */
  volumeOf(id: string): string
}

/** The container with the fields of `changes`; maps are merged. */
export function withChanges(container: ModuleContainer, changes: ModuleContainer): ModuleContainer {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  return {
    ...container,
    ...given,
    variables: { ...container.variables, ...changes.variables },
    files: { ...container.files, ...changes.files },
    volume_mounts: { ...container.volume_mounts, ...changes.volume_mounts },
  }
}

/** The container of a module in the form of Kubernetes. */
export function renderContainer(id: string, container: ModuleContainer, pod: PodContext): FreeForm {
  const owner = `${pod.scope}${id}`
  const {
    image,
    working_dir: workingDir,
    image_pull_policy: imagePullPolicy = pullPolicyOf(image),
    lifecycle,
    resources,
  } = container
  const variables = sortedEntries(container.variables).map(([name, value]) => ({ name, value }))
  return {
    name: id,
    image,
    imagePullPolicy,
    workingDir,
    ...commandAndVariables(owner, container, variables, pod.contents),
    resources,
    ports: listOf(
      sortedEntries(container.ports).map(([name, { container_port: containerPort, protocol = 'TCP' }]) => ({
        name: isPortName(name) ? name : undefined,
        containerPort,
        protocol,
      })),
    ),
    volumeMounts: listOf([...fileMounts(owner, container, pod.contents), ...volumeMounts(container, pod)]),
    livenessProbe: container.liveness_probe && probeOf(container.liveness_probe),
    readinessProbe: container.readiness_probe && probeOf(container.readiness_probe),
    startupProbe: container.startup_probe && probeOf(container.startup_probe),
    lifecycle,
    securityContext: restricted(container.security_context),
  }
}

/** A container that is in the form of Kubernetes already: its secret texts become references. */
export function renderNativeContainer(container: NativeContainer, { contents, scope }: PodContext): FreeForm {
  const { command: _, args: __, env = [], securityContext, ...rest } = container
  return {
    ...rest,
    imagePullPolicy: rest.imagePullPolicy ?? pullPolicyOf(rest.image),
    ...commandAndVariables(`${scope}${container.name}`, container, env, contents),
    securityContext: restricted(securityContext),
  }
}

/**
 * The policy that Kubernetes gives to a new container with this image. It keeps that of the image before when an apply names none:
 * an image without a tag would not be pulled again.
 */
export function pullPolicyOf(image: unknown): string | undefined {
  if (typeof image !== 'string') return undefined
  const { tag, digest } = parseImage(image)
  return (tag ?? (digest === undefined ? 'latest' : undefined)) === 'latest' ? 'Always' : 'IfNotPresent'
}

/** The security context with the defaults of the Pod Security level `restricted`. */
export function restricted(context: unknown): FreeForm {
  const given = present(context)
  return {
    allowPrivilegeEscalation: false,
    ...given,
    capabilities: { drop: ['ALL'], ...present(given.capabilities) },
  }
}

/** The fields that are not null, which takes the place of no default; a container of a driver may have such ones. */
function present(fields: unknown): FreeForm {
  const entries = Object.entries(isObject(fields) ? fields : {})
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined))
}

const longestPortName = 15

/** Whether Kubernetes accepts the name, a DNS label, for a port of a container. */
function isPortName(name: string): boolean {
  return name.length <= longestPortName && /[a-z]/.test(name) && !name.includes('--')
}

/** Command, arguments and variables. A secret word becomes a variable, which Kubernetes inserts into the command. */
function commandAndVariables(
  owner: string,
  { command, args }: { readonly command?: readonly ModuleText[]; readonly args?: readonly ModuleText[] },
  variables: readonly Variable[],
  contents: Contents,
) {
  const added: Variable[] = []
  const words = (part: 'COMMAND' | 'ARG', given: readonly ModuleText[] | undefined) =>
    given?.map((word, i) => {
      if (!(word instanceof SecretText)) return word
      const name = variableOfWord(part, i)
      added.push({ name, value: word })
      return `$(${name})`
    })
  const plain = { command: words('COMMAND', command), args: words('ARG', args) }
  const env = [...variables, ...added].map((each) => environmentVariable(owner, each, contents))
  return { ...plain, env: listOf(env) }
}

function environmentVariable(owner: string, { name, value, valueFrom }: Variable, contents: Contents) {
  if (valueFrom !== undefined) return { name, valueFrom }
  if (value instanceof SecretText) return { name, valueFrom: contents.addSecret(owner, name, value) }
  return { name, value: literal(value ?? '') }
}

/**
 * Escapes a value for Kubernetes, which inserts other variables for `$(NAME)` and makes one dollar sign of two, but not in
 * values of Secrets. A dollar sign that means nothing stays single, so that pods do not change.
 */
function literal(value: string): string {
  return value.replace(/\$\$+|\$(?=\()/g, (run) => run + run)
}

function fileMounts(owner: string, { files }: ModuleContainer, contents: Contents): object[] {
  return sortedEntries(files).map(([path, file]) => {
    const { volume, key } = contents.addFile(owner, path, file)
    return { name: volume, mountPath: mountPath(path) ?? path, subPath: key, readOnly: true }
  })
}

function volumeMounts({ volume_mounts: mounts }: ModuleContainer, { volumeOf }: PodContext): object[] {
  return sortedEntries(mounts).map(([path, { id, sub_path: subPath, read_only: readOnly }]) => ({
    name: volumeOf(id),
    mountPath: mountPath(path) ?? path,
    subPath: subPath || undefined,
    readOnly,
  }))
}

/** The entries of a map in the order of their keys, which the cluster does not keep. */
export function sortedEntries<T>(map: Readonly<Record<string, T>> | undefined): [string, T][] {
  return Object.entries(map ?? {}).sort(([a], [b]) => compareText(a, b))
}

/** The list; undefined, so that the object has no field for it, when it is empty. */
export function listOf<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length > 0 ? items : undefined
}
