import type { KubeObject } from '../../api/kind.ts'
import type { FreeForm } from '../../api/schema.ts'
import { base64Bytes } from '../../domain/base/base64.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { mostContentBytes } from '../../domain/module/container-problems.ts'
import { hasObjects, readModule } from '../../domain/module/module-problems.ts'
import { problemOfRepetition } from '../../domain/module/repeated-pods.ts'
import { renderWorkload } from '../../domain/rendering/render.ts'
import type { ProvisionRequest } from '../driver.ts'

/** What modules are rendered with, beside their requests. */
export interface ModuleSettings {
  /** Vendor names that profiles may begin with. */
  readonly vendors: readonly string[]
  /** Keyed hash of any data. */
  hash(value: unknown): string
}

/**
 * The objects of a module whose secret texts are marked; none of a module without images. Throws Stalled with all problems
 * of the module.
 */
export function renderModule(
  params: FreeForm,
  request: ProvisionRequest,
  settings: ModuleSettings,
): KubeObject[] {
  if (!hasObjects(params)) return []
  const read = readModule(params, settings.vendors)
  refuse(read.problems)
  const { guResId, context, namespace, parts = [] } = request
  const repetition = read.kind === 'CronJob' ? problemOfRepetition(read.module, parts) : undefined
  if (repetition !== undefined) throw new Stalled('TooLarge', `the schedules ${repetition}`)
  const { objects, problems } = renderWorkload({
    workload: { id: read.id, guResId, applicationId: context.applicationId },
    organizationId: context.organizationId,
    namespace,
    read,
    parts,
    hash: (value) => settings.hash(['workload', guResId, value]),
  })
  refuse(problems)
  for (const each of objects) refuseTooLarge(each)
  return objects
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new Stalled('InvalidModule', problems.join('; '))
}

/** Values of placeholders may be longer than what the plan saw. */
function refuseTooLarge({ kind, metadata, data, binaryData }: KubeObject): void {
  if (kind !== 'Secret' && kind !== 'ConfigMap') return
  // As the cluster counts: the names of the contents and the form of JSON take no place.
  const bytes =
    bytesOf(data, kind === 'Secret' ? base64Bytes : Buffer.byteLength) + bytesOf(binaryData, base64Bytes)
  if (bytes > mostContentBytes)
    throw new Stalled(
      'TooLarge',
      `the ${kind} '${metadata.name}' would have ${bytes} bytes of content, more than ${mostContentBytes}`,
    )
}

function bytesOf(contents: unknown, count: (text: string) => number): number {
  return Object.values((contents ?? {}) as Record<string, string>) // of these kinds
    .reduce((sum, text) => sum + count(text), 0)
}
