import type { RestClient } from '../../gateway/rest-client.ts'
import { restEnvironments } from '../names.ts'
import type { User } from '../user.ts'

const mostPauseMs = 3000

/** A service user with a token, from its creation to its end; a part of it may fail. */
export async function letServiceUserWork(rest: RestClient, user: User): Promise<void> {
  const { clock, faults, random } = user.surroundings
  const role = user.pick(['member', 'manager', 'administrator'])
  const created = await rest.sendUntilAnswered({
    method: 'POST',
    path: '/users',
    body: { name: 'Robot', role },
  })
  if (created?.status !== 200) return
  const { id } = JSON.parse(created.text) as { readonly id: string }
  const tokens = `/users/${id}/tokens`
  const given = await rest.sendUntilAnswered({
    method: 'POST',
    path: tokens,
    isOfAll: true,
    body: { id: 'work' },
  })
  if (given?.status !== 200) return
  const { token } = JSON.parse(given.text) as { readonly token: string }
  const { tokens: known } = rest.memory
  known.add(token, id, user.organization)
  if (user.features.streams) rest.follow(user.pick(restEnvironments), token)
  const pause = () => clock.sleep(random.below(mostPauseMs))
  for (let times = random.below(4); times > 0 && faults.isOn; times -= 1) {
    await pause()
    await rest.sendUntilAnswered({ method: 'GET', path: '/apps', token }, 1)
  }
  if (user.chance(0.3))
    await rest.sendUntilAnswered({
      method: 'PATCH',
      path: `/users/${id}`,
      body: { role: user.pick(['member', 'manager']) },
    })
  if (!faults.isOn || user.chance(0.3)) return
  await pause()
  known.end(token)
  const isWhole = user.chance(0.6)
  const end = isWhole ? { path: `/users/${id}` } : { path: `${tokens}/work`, isOfAll: true }
  // A further token, which the end of the user must end too.
  if (isWhole && user.chance(0.4))
    void rest.sendUntilAnswered({ method: 'POST', path: tokens, isOfAll: true, body: { id: 'other' } }, 1)
  const ended = await rest.sendUntilAnswered({ method: 'DELETE', ...end, revoked: token })
  if (ended?.status === 204) known.ended(token)
}
