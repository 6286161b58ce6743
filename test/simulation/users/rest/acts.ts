import type { Features } from '../../features.ts'
import type { Gateways } from '../../gateway/gateways.ts'
import { type RestCall, type RestClient, tokenOf } from '../../gateway/rest-client.ts'
import type { Act } from '../acts/act.ts'
import { applications, guest, manager, restApplication, restEnvironments } from '../names.ts'
import type { User } from '../user.ts'
import {
  applicationCalls,
  newApplication,
  newEnvironment,
  newRole,
  newValue,
  newWebhook,
} from './applications.ts'
import { aboutEnvironment, application, placeOf } from './choice.ts'
import { definitionCalls } from './definitions.ts'
import { deploymentCalls, newDelta, newDeployment, pipelineRun } from './deployments.ts'
import { otherCalls } from './operations.ts'
import { registryCalls } from './registries.ts'
import { letServiceUserWork } from './service-users.ts'

const pauseMs = 300
const mostPauses = 60

/** What users do over REST. */
export function restActs(
  rest: RestClient,
  gateways: Gateways,
  { streams, operations }: Pick<Features, 'streams' | 'operations'>,
): readonly Act[] {
  const first = [...applicationCalls, ...deploymentCalls, ...definitionCalls, ...registryCalls]
  const calls = [...first, ...(operations ? otherCalls : [])]
  return [
    ...calls.map(({ weight, call }) => ({
      weight,
      what: 'sends a request',
      act: (user: User) => void rest.sendUntilAnswered(call(user), user.chance(0.5) ? 1 : undefined),
    })),
    {
      weight: 8,
      what: 'deploys with a key',
      act: (user) => void deployWithKey(rest, user),
    },
    {
      weight: 3,
      what: 'deletes an application, and creates it as soon as it is gone',
      act(user) {
        const name = user.chance(0.6) ? restApplication : user.pick(applications)
        void recreate(rest, user, `/apps/${name}`, () => newApplication(user, name), [
          () => newValue(user, { path: `/apps/${name}`, about: [application(name)] }),
          () => newRole(user, name),
          () => newWebhook(name),
          () => newEnvironment(user, `${name}.dev`),
          () => newDeployment(user, `${name}.dev`),
        ])
      },
    },
    {
      weight: 3,
      what: 'deletes an environment, and creates it as soon as it is gone',
      act(user) {
        const name = user.pick(restEnvironments)
        const place = { path: placeOf(name), about: aboutEnvironment(name) }
        void recreate(rest, user, place.path, () => newEnvironment(user, name), [
          () => newDeployment(user, name),
          () => newValue(user, place),
        ])
      },
    },
    {
      weight: 3,
      what: 'lets a service user work',
      act: (user) => void letServiceUserWork(rest, user),
    },
    ...(streams ? [followAct(rest)] : []),
    { weight: 3, what: 'lets a gateway crash', act: () => gateways.crash() },
  ]
}

const followAct = (rest: RestClient): Act => ({
  weight: 10,
  what: 'follows an environment',
  act: (user) =>
    rest.follow(
      user.pick(['shop.dev', 'shop.dev', ...restEnvironments]),
      tokenOf(user.pick(['admin', 'admin', manager, guest])),
    ),
})

const mostStarts = 8
/** Only these requests deploy to this environment. */
const keyEnvironment = `${restApplication}.keys`

/** Sends a request with a key until it starts a deployment, perhaps twice at the same time, and again later. */
async function deployWithKey(rest: RestClient, user: User): Promise<void> {
  const { clock, faults, random } = user.surroundings
  await rest.sendUntilAnswered(newApplication(user, restApplication))
  await rest.sendUntilAnswered(newEnvironment(user, keyEnvironment))
  const delta = await rest.sendUntilAnswered(newDelta(user, restApplication))
  if (delta?.status !== 200) return
  const { id } = JSON.parse(delta.text) as { readonly id: string }
  const call = pipelineRun(user, keyEnvironment, id)
  if (user.chance(0.3)) void rest.sendUntilAnswered(call)
  for (let start = 0; start < mostStarts && faults.isOn; start += 1) {
    const answer = await rest.sendUntilAnswered(call)
    if (answer?.status === 201) break
    await clock.sleep(300 + random.below(3000))
  }
  for (const most of [4000, 30_000]) {
    await clock.sleep(random.below(most))
    if (faults.isOn) await rest.sendUntilAnswered(call)
  }
}

/** Deletes what is at a path, creates it when it is gone, and then what belongs to it. */
async function recreate(
  rest: RestClient,
  user: User,
  path: string,
  create: () => RestCall,
  further: readonly (() => RestCall)[],
): Promise<void> {
  const { clock, faults, random } = user.surroundings
  const isMeanwhile = user.chance(0.5)
  const deletion = rest.sendUntilAnswered({ method: 'DELETE', path })
  // Some still write to what is being deleted.
  if (isMeanwhile)
    for (const call of [...further, ...further])
      clock.after(random.below(2500), () => void rest.sendUntilAnswered(call(), 1))
  await deletion
  for (let pause = 0; pause < mostPauses && faults.isOn; pause += 1) {
    const answer = await rest.sendUntilAnswered(create())
    if (!answer?.text.includes('being deleted')) break
    await clock.sleep(pauseMs)
  }
  for (const call of further.filter(() => user.chance(0.6))) {
    if (!faults.isOn) return
    await rest.sendUntilAnswered(call())
  }
}
