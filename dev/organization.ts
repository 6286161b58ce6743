import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiAccess, apiCall, apiRequest } from './control-plane/kubernetes.ts'

const lookEveryMs = 500

interface Namespace {
  readonly metadata: { readonly deletionTimestamp?: string }
  readonly status?: { readonly conditions?: readonly { readonly status: string; readonly message: string }[] }
}

/**
 * Creates an organization: a namespace labelled with its own name, with three environment types. While a namespace of this
 * name is being deleted, waits for the deletion and logs the remaining objects.
 */
export async function makeOrganization(
  access: ApiAccess,
  name: string,
  displayName = name,
  log: (line: string) => void = () => {},
): Promise<void> {
  for (;;) {
    await awaitEndOfNamespace(access, name, log)
    try {
      return await applyOrganization(access, name, displayName)
    } catch (error) {
      // Its deletion may have begun a moment ago.
      if (!isTerminating(await readNamespace(access, name))) throw error
    }
  }
}

async function awaitEndOfNamespace(access: ApiAccess, name: string, log: (line: string) => void) {
  let said = ''
  for (;;) {
    const namespace = await readNamespace(access, name)
    if (!isTerminating(namespace)) return
    const remaining = (namespace?.status?.conditions ?? [])
      .filter(({ status }) => status === 'True')
      .map(({ message }) => message)
    const line = [`waiting for the namespace '${name}' to be deleted`, ...remaining].join('; ')
    if (line !== said) log(line)
    said = line
    await sleep(lookEveryMs)
  }
}

async function readNamespace(access: ApiAccess, name: string): Promise<Namespace | undefined> {
  const { ok, status, body } = await apiRequest<Namespace>(access, 'GET', `/api/v1/namespaces/${name}`)
  if (ok) return body
  if (status === 404) return undefined
  throw new Error(`cannot read the namespace '${name}': ${status}`)
}

function isTerminating(namespace: Namespace | undefined): boolean {
  return namespace?.metadata.deletionTimestamp !== undefined
}

async function applyOrganization(access: ApiAccess, name: string, displayName: string): Promise<void> {
  await apiCall(
    access,
    'PATCH',
    `/api/v1/namespaces/${name}?fieldManager=development&force=true`,
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name,
        labels: { 'quartermaster.dev/organization': name },
        annotations: { 'quartermaster.dev/display-name': displayName },
      },
    },
    'application/apply-patch+yaml',
  )
  for (const type of ['development', 'staging', 'production']) {
    await apiCall(
      access,
      'PATCH',
      `/apis/quartermaster.dev/v1alpha1/namespaces/${name}/environmenttypes/${type}?fieldManager=development&force=true`,
      {
        apiVersion: 'quartermaster.dev/v1alpha1',
        kind: 'EnvironmentType',
        metadata: { name: type },
        spec: { description: `Environments for ${type}` },
      },
      'application/apply-patch+yaml',
    )
  }
}
