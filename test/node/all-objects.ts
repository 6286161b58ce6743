import { type ApiAccess, apiCall } from '../../dev/control-plane/kubernetes.ts'

/** What the tests look at in any object. */
export interface FoundObject {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid: string
    readonly generation?: number
  }
  /** Of a Secret. */
  readonly data?: Readonly<Record<string, string>>
}

interface ResourceList {
  readonly groupVersion: string
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[]
}

interface GroupList {
  readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[]
}

/** All objects of the cluster, by the plural name of their kind. */
export async function allObjects(
  access: ApiAccess,
): Promise<{ readonly plural: string; readonly objects: readonly FoundObject[] }[]> {
  const { groups } = await apiCall<GroupList>(access, 'GET', '/apis')
  const roots = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)]
  const lists = await Promise.all(
    roots.map(async (root) => {
      const { resources } = await apiCall<ResourceList>(access, 'GET', root)
      const listed = resources.filter(({ verbs }) => verbs.includes('list'))
      return Promise.all(
        listed.map(async ({ name }) => {
          const { items } = await apiCall<{ items: FoundObject[] }>(access, 'GET', `${root}/${name}`)
          return { plural: name, objects: items }
        }),
      )
    }),
  )
  return lists.flat()
}

/** The values of a Secret. */
export function secretTextsIn({ data = {} }: FoundObject): string[] {
  return Object.values(data).map((value) => Buffer.from(value, 'base64').toString())
}
