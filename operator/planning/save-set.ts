import { DeploymentSet } from '../api/deployment-set.ts'
import { type SetContent, setId } from '../domain/delta/delta.ts'
import { setObjectName } from '../domain/resource/identity.ts'
import type { Store } from '../kube/cache/store.ts'
import { isAlreadyExists } from '../kube/client/api-error.ts'

interface Writes {
  create(name: string, spec: DeploymentSet['spec']): Promise<unknown>
  /** Keeps an existing set from the cleanup; false when it is gone. */
  keep?(set: DeploymentSet): Promise<boolean>
}

/** Keeps the set of this content, or creates it; returns the name of its object. */
export async function saveSet(
  store: Store,
  namespace: string,
  applicationName: string,
  content: SetContent,
  writes: Writes,
): Promise<string> {
  const name = setObjectName(applicationName, setId(content))
  const { modules, shared } = content
  const spec = { applicationName, modules: { ...modules }, shared: { ...shared } }
  await saveSetAs(store, { namespace, name }, spec, writes)
  return name
}

/** Keeps the set of this name, or creates it. */
export async function saveSetAs(
  store: Store,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  spec: DeploymentSet['spec'],
  { create, keep = async () => true }: Writes,
): Promise<void> {
  const known = store.get(DeploymentSet, namespace, name)
  if (known && (await keep(known))) return
  try {
    await create(name, spec)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
