import type { Subject } from '../../gateway/rest-client.ts'
import { image } from '../names.ts'
import type { User } from '../user.ts'
import { type Choice, change, creation } from './choice.ts'

const ids = ['first', 'second']
const host = image.split('/')[0]
const pathOf = (id: string) => `/registries/${id}`
const about = (id: string): Subject[] => [{ kind: 'Registry', name: id }]
const credentials = (user: User) => ({ creds: { username: 'robot', password: user.newPassword('registry') } })

/** Requests about registries, of which two are for the same images. */
export const registryCalls: readonly Choice[] = [
  {
    weight: 2,
    call(user) {
      const id = user.pick(ids)
      const isPublic = user.chance(0.2)
      const more = isPublic ? {} : credentials(user)
      const body = { id, registry: host, type: isPublic ? 'public' : 'basic', ...more }
      return creation('/registries', body, { path: pathOf(id), fields: ['id', 'registry', 'type'] })
    },
  },
  {
    weight: 2,
    call(user) {
      const id = user.pick(ids)
      const body = user.chance(0.8)
        ? { enable_ci: user.chance(0.5), ...credentials(user) }
        : { type: 'public', enable_ci: true }
      return change(pathOf(id), body, ['enable_ci'], about(id))
    },
  },
  {
    weight: 1,
    call(user) {
      const id = user.pick(ids)
      return { method: 'DELETE', path: pathOf(id), about: about(id) }
    },
  },
]
