import { systemNamespace } from '../../api/names.ts'
import { createSingleFlight } from '../../domain/base/single-flight.ts'
import { ApiError, isAlreadyExists } from '../../kube/client/api-error.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { readObject } from '../../kube/client/read-object.ts'
import { configMapResource, pathOf } from '../../kube/client/resource.ts'
import type { ObjectKind } from './applied-object.ts'

/**
 * The kinds of objects that resources have ever been made of. After a crash a new process finds every object of these
 * kinds by its label, so no status has to name an object before it is applied.
 */
export interface AppliedKinds {
  all(): Iterable<ObjectKind>
  /** Resolves when the cluster has stored the kind. */
  remember(kind: ObjectKind): Promise<void>
}

const configMapName = 'quartermaster-applied-kinds'

/** Reads the kinds from their ConfigMap in the system namespace. */
export async function openAppliedKinds(client: KubeClient): Promise<AppliedKinds> {
  const known = await readKinds(client)
  const shareWrite = createSingleFlight<void>()

  return {
    all: () => known.values(),
    async remember({ apiVersion, kind }) {
      const key = keyOfKind({ apiVersion, kind })
      if (known.has(key)) return
      await shareWrite(key, async () => {
        await writeKinds(client, new Map([...known, [key, { apiVersion, kind }]]))
        known.set(key, { apiVersion, kind })
      })
    },
  }
}

/** A key of a ConfigMap: it has no slash. */
function keyOfKind({ apiVersion, kind }: ObjectKind): string {
  return `${apiVersion.replace('/', '_')}_${kind}`
}

async function readKinds(client: KubeClient): Promise<Map<string, ObjectKind>> {
  const stored = await readObject(client, configMapResource, systemNamespace, configMapName)
  const data = (stored?.data ?? {}) as Record<string, string> // a ConfigMap
  return new Map(
    Object.entries(data).map(([key, text]) => {
      const [apiVersion = '', kind = ''] = text.split(' ')
      return [key, { apiVersion, kind }]
    }),
  )
}

/** Adds the kinds to the ConfigMap, which it creates when it is absent. */
async function writeKinds(client: KubeClient, kinds: ReadonlyMap<string, ObjectKind>): Promise<void> {
  const data = Object.fromEntries(
    [...kinds].map(([key, { apiVersion, kind }]) => [key, `${apiVersion} ${kind}`]),
  )
  const patch = () =>
    client.request('PATCH', pathOf(configMapResource, systemNamespace, configMapName), {
      body: { data },
      contentType: 'application/merge-patch+json',
    })
  try {
    await patch()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    try {
      await client.request('POST', pathOf(configMapResource, systemNamespace), {
        body: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: configMapName, namespace: systemNamespace },
          data,
        },
      })
    } catch (refusal) {
      if (!isAlreadyExists(refusal)) throw refusal
      await patch()
    }
  }
}
