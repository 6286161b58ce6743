import type { Follower } from '../../gateway/follower.ts'
import type { GatewayProcess } from '../../gateway/gateway-process.ts'
import type { World } from '../../world.ts'

/** A stream says something at least this often. */
const longestSilenceMs = 20_000

/** What is wrong with a client that follows an environment when nothing has failed for long. */
export async function streamFindings(
  { clock }: World,
  follower: Follower,
  ready: readonly GatewayProcess[],
): Promise<{ readonly law: string; readonly object: string; readonly detail: string }[]> {
  const { followed, known, lastStates, gateway, heardAt } = follower
  const object = `Environment ${followed.organization}/${followed.environment}`
  const broken = (law: string, detail: string) => [{ law, object, detail }]
  const [other] = ready
  const at = gateway ?? other
  const shown = at && (await follower.readAt(at))
  if (!shown)
    return gateway
      ? broken('A stream ends with the rights of its reader, and with its environment.', 'it is open')
      : []
  if (!gateway) return broken('Who may see an environment can follow it.', 'no stream is open')
  const seen = clock.now - heardAt
  const differing = [...new Set([...known.keys(), ...shown.keys()])].find(
    (key) => known.get(key) !== shown.get(key),
  )
  const wrong = [...lastStates].find(
    ([key, state]) => !key.startsWith('environment') && (shown.get(key) ?? 'deleted') !== state,
  )
  return [
    ...(seen > longestSilenceMs ? broken('A stream is never silent for long.', `for ${seen} ms`) : []),
    ...(differing === undefined
      ? []
      : broken(
          'Who follows an environment, and reads after each event, knows what a request shows.',
          `${differing} is ${known.get(differing)}, not ${shown.get(differing)}`,
        )),
    ...(wrong
      ? broken(
          'The last event about an object says its state.',
          `${wrong[0]} is said to be ${wrong[1]}, not ${shown.get(wrong[0])}`,
        )
      : []),
  ]
}
