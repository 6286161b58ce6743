import { DeploymentSet } from '../api/deployment-set.ts'
import { type SetContent, setId } from '../domain/delta/delta.ts'
import { setObjectName } from '../domain/resource/identity.ts'
import type { Store } from '../kube/cache/store.ts'
import { isAlreadyExists } from '../kube/client/client.ts'

/** Calls `create` for the set of this content unless it exists; returns the name of its object. */
export async function saveSet(
  store: Store,
  namespace: string,
  applicationName: string,
  content: SetContent,
  create: (name: string, spec: DeploymentSet['spec']) => Promise<unknown>,
): Promise<string> {
  const name = setObjectName(applicationName, setId(content))
  if (store.get(DeploymentSet, namespace, name)) return name
  const { modules, shared } = content
  try {
    await create(name, { applicationName, modules: { ...modules }, shared: { ...shared } })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  return name
}
