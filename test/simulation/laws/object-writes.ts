import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { CommonStatus, StoredObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { secretMark } from '../secret-mark.ts'
import type { WriteLaw } from './law.ts'

const observedIn = (object: StoredObject | undefined) =>
  (object?.status as CommonStatus | undefined)?.observedGeneration // a kind of ours, or without the field

/** Laws of the writes to all objects. */
export const objectWriteLaws: readonly WriteLaw[] = [
  {
    law: 'No object except Secrets contains a secret.',
    problem: ({ object }) =>
      object.kind !== 'Secret' && JSON.stringify(object).includes(secretMark) ? 'it contains one' : undefined,
  },
  {
    law: 'A status is never about an older generation than before, nor about one that does not exist yet.',
    problem({ before, object, type }) {
      const [was, is] = [observedIn(before), observedIn(object)]
      if (type === 'DELETED') return undefined
      if (was !== undefined && (is ?? -1) < was) return `generation ${was} became ${is}`
      const { generation } = object.metadata
      if (is !== undefined && generation !== undefined && is > generation)
        return `generation ${is} is ahead of ${generation}`
      return undefined
    },
  },
  {
    law: 'A resource ends when all that was provisioned for it is deprovisioned, unless it is detached.',
    problem({ served, type, object, before }, { outside }) {
      if (served.kind !== ActiveResource.kind || type !== 'DELETED') return undefined
      const { name } = object.metadata
      if (before?.metadata.annotations?.[annotations.detach] !== undefined) {
        outside.forget(name)
        return undefined
      }
      const rest = [...outside.instances.keys()].filter((key) => key.startsWith(`${name}/`))
      return rest.length > 0 ? `${rest.join(', ')} exists outside` : undefined
    },
  },
]
