import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { objectsOf } from '../surroundings.ts'
import { placeOf } from '../users/rest/choice.ts'
import { newDeployment } from '../users/rest/deployments.ts'
import type { User } from '../users/user.ts'
import type { World } from '../world.ts'
import type { RestClient } from './rest-client.ts'

/** A plan as a gateway answers it. */
export interface Plan {
  readonly steps: readonly {
    readonly action: string
    readonly gu_res_id: string
    readonly descriptor: string
  }[]
  readonly summary: Readonly<Record<string, number>>
  readonly problems: readonly unknown[]
  readonly base_set_id?: string
}

/** A resource before a deployment. */
interface Before {
  readonly resource: ActiveResource
  /** The keys of its instances. */
  readonly keys: readonly string[]
  /** What the provider made them with. */
  readonly inputs: string
}

/** A deployment that was planned right before. */
export interface Planned {
  readonly organization: string
  readonly environment: string
  readonly plan: Plan
  /** Whether what is unchanged is provisioned again. */
  readonly isFull: boolean
  /** The name of the deployment; undefined if it was refused. */
  readonly name: string | undefined
  /** By GUResID. */
  readonly before: ReadonlyMap<string, Before>
  /** How many calls of providers there were before. */
  readonly calls: number
  /** What a further deployment would do, when this one has ended. */
  planAgain(): Promise<Plan | undefined>
}

/** The resources of an environment. */
export function resourcesIn(world: World, organization: string, environment: string): ActiveResource[] {
  return objectsOf(world, ActiveResource).filter(
    ({ metadata, spec }) => metadata.namespace === organization && spec.environmentName === environment,
  )
}

/** Plans a deployment, and starts it at once, perhaps at another gateway. */
export async function deployPlanned(
  world: World,
  rest: RestClient,
  user: User,
  environment: string,
): Promise<Planned | undefined> {
  const { organization } = user
  const call = { ...newDeployment(user, environment), as: 'admin' }
  const dryRun = async (body: unknown): Promise<Plan | undefined> => {
    const path = `${placeOf(environment)}/deploys?dry_run=true`
    const answer = await rest.sendUntilAnswered({ ...call, path, body })
    return answer?.status === 200 ? (JSON.parse(answer.text) as Plan) : undefined
  }
  const plan = await dryRun(call.body)
  if (!plan) return undefined
  const before = new Map(
    resourcesIn(world, organization, environment).map((resource) => {
      const { name } = resource.metadata
      return [name, { resource, keys: world.outside.keysOf(name), inputs: world.outside.inputsOf(name) }]
    }),
  )
  const calls = world.outside.calls.length
  const based = user.chance(0.5) ? { base_set_id: plan.base_set_id } : {}
  const answer = await rest.sendUntilAnswered({ ...call, body: { ...(call.body as object), ...based } })
  const name = answer?.status === 201 ? (JSON.parse(answer.text) as { readonly id: string }).id : undefined
  const isFull = (call.body as { readonly mode?: string }).mode === 'full'
  return { organization, environment, plan, isFull, name, before, calls, planAgain: () => dryRun({}) }
}
