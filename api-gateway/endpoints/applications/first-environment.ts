import type { Application } from '../../../operator/api/application.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentType } from '../../../operator/api/environment-type.ts'
import { allows } from '../../../operator/domain/access/roles.ts'
import { refreshNamed } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { isAlreadyExists } from '../../../operator/kube/client/api-error.ts'
import { authorize, type Caller } from '../../authenticate.ts'
import type { Gateway } from '../../endpoint.ts'
import { find, refuseTaken, replacementTimeoutMs } from '../common/find.ts'
import { createIn, targetOf } from '../common/target.ts'
import {
  defaultEnvironmentType,
  type NewEnvironment,
  newEnvironment,
  refuseUnknownType,
} from '../environments/environment-writing.ts'

/** Request for an application, as far as it concerns the first environment. */
interface NewApplication {
  readonly id: string
  readonly env?: NewEnvironment
  readonly skip_environment_creation?: boolean
}

/** Returns the requested first environment, or the default one if the caller may create it. */
function firstEnvironment(
  store: Store,
  organization: string,
  { id: applicationId, env, skip_environment_creation: isNoneWanted = false }: NewApplication,
  caller: Caller,
): NewEnvironment | undefined {
  const needed = { application: 'owner', orOrganization: 'manager', deployer: true } as const
  if (env) {
    refuseUnknownType(store, organization, env.type)
    authorize(caller, needed, { applicationId, environmentType: env.type })
    return env
  }
  const isTypeThere = find(store, EnvironmentType, organization, defaultEnvironmentType) !== undefined
  const target = { applicationId, environmentType: defaultEnvironmentType }
  if (isNoneWanted || !isTypeThere || !allows(caller.membership, needed, target)) return undefined
  return { id: defaultEnvironmentType, name: 'Development', type: defaultEnvironmentType }
}

/**
 * Returns how to create the first environment of a new application, or to leave nothing behind if that is deleted meanwhile;
 * undefined when it gets none.
 * An environment can exist before its application: the default one is then left as it is, and one that the request names
 * throws Conflict.
 */
export async function prepareFirstEnvironment(
  { cluster, log }: Pick<Gateway, 'cluster' | 'log'>,
  organization: string,
  body: NewApplication,
  caller: Caller,
): Promise<((application: Application) => Promise<void>) | undefined> {
  const { store } = cluster
  const first = firstEnvironment(store, organization, body, caller)
  if (!first) return undefined
  const object = newEnvironment(organization, body.id, first, caller)
  const { name } = object.metadata
  if (body.env)
    await refuseTaken(
      cluster,
      Environment,
      store.get(Environment, organization, name),
      `environment '${first.id}'`,
      replacementTimeoutMs,
    )
  return async (application) => {
    if (!body.env && find(store, Environment, organization, name)) return
    try {
      await createIn({ cluster, log }, targetOf(application), Environment, object)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      await refreshNamed(cluster, Environment, organization, name)
      if (body.env) throw error
    }
  }
}
