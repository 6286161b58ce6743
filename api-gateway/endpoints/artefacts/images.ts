import { ArtefactVersion, longestRef } from '../../../operator/api/artefact-version.ts'
import { list, object, type Static, string, time } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { compareText } from '../../../operator/domain/base/json.ts'
import { imageOf } from '../../../operator/domain/image/artefact.ts'
import { parseImage } from '../../../operator/domain/image/image-reference.ts'
import { isImageReference } from '../../../operator/domain/module/image-reference.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { comparePositions } from '../../response/paging.ts'
import { named } from '../../response/shapes.ts'
import { createdAt, findAll } from '../common/find.ts'
import { newVersionSpec } from './artefact-shape.ts'
import { register } from './artefact-writing.ts'
import { versionAgeOf } from './version-order.ts'

const tag = 'Artefacts'
const imagesPath = '/orgs/{org_id}/images'
const imagePath = '/orgs/{org_id}/images/{image_id}'
const branches = 'refs/heads/'
const tags = 'refs/tags/'

const buildFields = {
  branch: string('Branch that the image was built from.', { maxLength: longestRef - branches.length }),
  commit: string('Commit that the image was built from.', { pattern: '^([0-9a-f]{5,64})?$' }),
  image: string('The image with its tag, for example `registry.example.com/shop/web:1.2.7`.', {
    pattern: '^\\S*$',
  }),
  tags: list(string('A tag of the commit.', { maxLength: longestRef - tags.length }), 'Tags of the commit.', {
    maxItems: 100,
  }),
}

const buildShape = named(
  'ImageBuild',
  object({ ...buildFields, added_at: time('Time when it was registered.') }, {}, 'A build of an image.'),
)

const imageShape = named(
  'Image',
  object(
    {
      id: string('Name of the image without tag and digest.'),
      source: string('Where the builds come from: the name of the artefact.'),
      added_at: time('Time when the first build was registered.'),
      builds: list(buildShape, 'Builds, newest first.'),
    },
    {},
    'An image: an artefact in the older form.',
  ),
)

/** Images and their builds: artefacts of type `container` and their versions, as earlier clients name them. */
export const images: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: imagesPath,
    summary: 'List the images. Deprecated: use artefacts',
    tag,
    access: { organization: 'member' },
    responses: { 200: list(imageShape, 'Images.') },
    handle: ({ params: { org_id } }, { cluster: { store } }) => ok(imagesIn(store, org_id)),
  }),
  endpoint({
    method: 'get',
    path: imagePath,
    summary: 'Get an image. Deprecated: use artefacts',
    tag,
    access: { organization: 'member' },
    responses: { 200: imageShape },
    handle: ({ params }, { cluster: { store } }) => ok(findImage(store, params)),
  }),
  endpoint({
    method: 'get',
    path: `${imagePath}/builds`,
    summary: 'List the builds of an image, newest first. Deprecated: use artefact versions',
    tag,
    access: { organization: 'member' },
    responses: { 200: list(buildShape, 'Builds.') },
    handle: ({ params }, { cluster: { store } }) => ok(findImage(store, params).builds),
  }),
  endpoint({
    method: 'post',
    path: `${imagePath}/builds`,
    summary: 'Register a build of an image. Deprecated: use artefact versions',
    tag,
    access: { organization: 'artefactContributor' },
    body: object(
      {},
      buildFields,
      'A build of an image. Without `image`, the ID is that of the image. It counts for its branch, or else for the first tag.',
    ),
    responses: { 204: undefined },
    async handle({ params: { org_id, image_id }, body, caller }, { cluster }) {
      if (!isImageName(image_id)) throw new Problem('NotFound', `image '${image_id}' not found`)
      if (body.image && !isImageReference(body.image))
        throw new Problem('Invalid', `'${body.image}' in 'image' is not a reference to an image`)
      const { name, tag: ownTag, digest } = parseImage(body.image || image_id)
      const [first] = body.tags ?? []
      const version = newVersionSpec(
        {
          type: 'container',
          name,
          version: ownTag ?? first ?? '',
          digest,
          commit: body.commit,
          ref: body.branch ? `${branches}${body.branch}` : first && `${tags}${first}`,
        },
        true,
      )
      await register(org_id, version, caller, cluster)
      return noContent
    },
  }),
]

/** Whether an image can have this name, without tag and digest. */
function isImageName(text: string): boolean {
  return isImageReference(text) && parseImage(text).name === text
}

function imagesIn(store: Store, organization: string): Static<typeof imageShape>[] {
  const versions = findAll(store, ArtefactVersion, organization)
    .filter(({ spec }) => spec.type === 'container' && !spec.archived)
    .sort((left, right) => comparePositions(versionAgeOf(right), versionAgeOf(left)))
  return [...Map.groupBy(versions, ({ spec }) => spec.artefactName)]
    .map(([name, all]) => {
      const builds = all.map(toBuild)
      return { id: name, source: name, added_at: builds.at(-1)?.added_at ?? '', builds }
    })
    .sort((left, right) => compareText(left.id, right.id))
}

/** The image of this name; else the first whose name ends with it, because earlier clients leave out the registry. */
function findImage(
  store: Store,
  { org_id, image_id }: { readonly org_id: string; readonly image_id: string },
): Static<typeof imageShape> {
  const all = imagesIn(store, org_id)
  const found = all.find(({ id }) => id === image_id) ?? all.find(({ id }) => id.endsWith(`/${image_id}`))
  if (!found) throw new Problem('NotFound', `image '${image_id}' not found`)
  return found
}

function toBuild(version: ArtefactVersion): Static<typeof buildShape> {
  const { ref = '', commit = '' } = version.spec
  return {
    added_at: createdAt(version),
    branch: ref.startsWith(branches) ? ref.slice(branches.length) : '',
    commit,
    image: imageOf(version.spec),
    tags: ref.startsWith(tags) ? [ref.slice(tags.length)] : [],
  }
}
