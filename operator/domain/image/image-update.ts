import type { ArtefactVersion } from '../../api/artefact-version.ts'
import type { PatchOperation } from '../../api/deployment-delta.ts'
import { escapeToken, isObject, ownValue } from '../base/json.ts'
import type { SetContent } from '../delta/delta.ts'
import { imageOf } from './artefact.ts'
import { isSameImage, parseImage, repositoryOf } from './image-reference.ts'

/** A container of a module with a plain image: one without placeholders. */
interface Container {
  readonly module: string
  readonly container: string
  readonly image: string
}

/** Changes of images by workload, as in a delta. */
export type ImageUpdates = Readonly<Record<string, readonly PatchOperation[]>>

/** Containers with images, of the modules of a set. */
function containersOf({ modules }: SetContent): Container[] {
  return Object.entries(modules).flatMap(([module, content]) =>
    imagesOfModule(content).map(({ container, image }) => ({ module, container, image })),
  )
}

/** The images of the containers of a module. */
export function imagesOfModule(module: unknown): { readonly container: string; readonly image: string }[] {
  const spec = ownObject(module, 'spec')
  return Object.keys(ownObject(spec, 'containers')).flatMap((container) => {
    const image = ownObject(ownObject(spec, 'containers'), container)['image']
    return typeof image === 'string' && image !== '' && !image.includes('${') ? [{ container, image }] : []
  })
}

/** All texts under the key `image` in the params of a workload: those of containers, and of pods that its profile adds. */
export function imagesIn(params: unknown): string[] {
  if (Array.isArray(params)) return params.flatMap(imagesIn)
  if (!isObject(params)) return []
  const nested = Object.values(params).flatMap(imagesIn)
  const { image } = params
  return typeof image === 'string' ? [image, ...nested] : nested
}

/** Full names of the repositories of all images in a set. */
export function repositoriesIn(set: SetContent): Set<string> {
  return new Set(containersOf(set).map(({ image }) => repositoryOf(parseImage(image).name)))
}

/** The changes that give each container of a set the version of its image; empty when nothing changes. */
export function imageUpdates(set: SetContent, versions: readonly ArtefactVersion['spec'][]): ImageUpdates {
  const wanted = new Map(versions.map((each) => [repositoryOf(each.artefactName), imageOf(each)]))
  const updates = new Map<string, PatchOperation[]>()
  for (const { module, container, image } of containersOf(set)) {
    const value = wanted.get(repositoryOf(parseImage(image).name))
    if (value === undefined || isSameImage(value, image)) continue
    const path = `/spec/containers/${escapeToken(container)}/image`
    updates.set(module, [...(updates.get(module) ?? []), { op: 'replace', path, value }])
  }
  return Object.fromEntries(updates)
}

function ownObject(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = isObject(value) ? ownValue(value, key) : undefined
  return isObject(found) ? found : {}
}
