import { setTimeout as sleep } from 'node:timers/promises'
import type { KubeObject } from '../../api/kind.ts'
import { finalizer, labels, manager, systemNamespace } from '../../api/names.ts'
import { createSingleFlight } from '../../domain/base/single-flight.ts'
import { ApiError, isAlreadyExists, isNamespaceTerminating, isNotFound } from './api-error.ts'
import type { KubeClient } from './client.ts'
import type { ListPage } from './list-page.ts'
import { readObject } from './read-object.ts'
import { namespaceResource, pathOf, type Resource } from './resource.ts'

const roleBindingResource: Resource = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
}
const reviewPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
/** The API server applies a new binding a moment later. */
const effectiveWithinMs = 5000
const pollMs = 25

type Account = 'operator' | 'gateway'
const accounts: readonly Account[] = ['operator', 'gateway']

/** The ClusterRole with the rights of a process to Secrets, and the RoleBindings to it. */
function roleOf(account: Account): string {
  return `quartermaster-${account}-secrets`
}

/**
 * Gives the rights to Secrets in single namespaces, for installations without these rights in the whole cluster. Admission
 * policies limit the operator to namespaces of organizations and of environments.
 */
export interface SecretBindings {
  /**
   * Binds both processes in the namespace of an organization. A finalizer keeps the RoleBindings while the namespace is
   * terminating: Kubernetes deletes RoleBindings first, and our finalizers on Secrets need the rights until the end.
   */
  bindOrganization(namespace: string): Promise<void>
  /** Deletes the RoleBindings of a namespace; those that do not exist are a success. */
  unbind(namespace: string): Promise<void>
  /**
   * Binds the operator in a namespace that it made or may use; resolves when the API server applies the binding. In the namespace
   * of an organization with the finalizer: its deletion can begin before `bindOrganization` adds it.
   */
  bindOperator(namespace: string, isOrganization: boolean): Promise<void>
  /** Whether a namespace is being deleted, as the API server has it. */
  isTerminating(namespace: string): Promise<boolean>
  /** The namespaces of all RoleBindings that a finalizer keeps. */
  bound(): Promise<readonly string[]>
}

export function createSecretBindings(client: KubeClient): SecretBindings {
  const pathIn = (namespace: string, account?: Account) =>
    pathOf(roleBindingResource, namespace, account && roleOf(account))

  async function bind(account: Account, namespace: string, finalizers: readonly string[]): Promise<void> {
    const name = roleOf(account)
    const body = {
      apiVersion: roleBindingResource.apiVersion,
      kind: roleBindingResource.kind,
      metadata: { name, namespace, labels: { [labels.managedBy]: manager }, finalizers },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: `quartermaster-${account}`, namespace: systemNamespace }],
    }
    try {
      await client.request('POST', pathIn(namespace), { body })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      if (finalizers.length > 0) await setFinalizers(account, namespace, finalizers)
    }
  }

  async function setFinalizers(account: Account, namespace: string, finalizers: readonly string[]) {
    await client.request('PATCH', pathIn(namespace, account), {
      body: { metadata: { finalizers } },
      contentType: 'application/merge-patch+json',
    })
  }

  async function unbindAccount(account: Account, namespace: string): Promise<void> {
    try {
      await setFinalizers(account, namespace, [])
      await client.request('DELETE', pathIn(namespace, account))
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  return {
    async bindOrganization(namespace) {
      await Promise.all(accounts.map((account) => bind(account, namespace, [finalizer])))
    },
    async unbind(namespace) {
      await Promise.all(accounts.map((account) => unbindAccount(account, namespace)))
    },
    async bindOperator(namespace, isOrganization) {
      await bind('operator', namespace, isOrganization ? [finalizer] : [])
      await waitUntilEffective(client, namespace)
    },
    async isTerminating(namespace) {
      const found = await readObject(client, namespaceResource, undefined, namespace)
      return found?.metadata.deletionTimestamp !== undefined
    },
    async bound() {
      const list = (await client.request('GET', `/apis/${roleBindingResource.apiVersion}/rolebindings`, {
        query: { labelSelector: `${labels.managedBy}=${manager}` },
      })) as ListPage<{ metadata: { namespace: string; finalizers?: readonly string[] } }>
      const kept = (list.items ?? []).filter(({ metadata }) => metadata.finalizers?.includes(finalizer))
      return [...new Set(kept.map(({ metadata }) => metadata.namespace))]
    },
  }
}

async function waitUntilEffective(client: KubeClient, namespace: string): Promise<void> {
  const resourceAttributes = { namespace, verb: 'get', resource: 'secrets' }
  const deadline = performance.now() + effectiveWithinMs
  while (performance.now() < deadline) {
    const answer = (await client.request('POST', reviewPath, { body: { spec: { resourceAttributes } } })) as {
      status?: { allowed?: boolean }
    } // a SelfSubjectAccessReview
    if (answer.status?.allowed === true) return
    await sleep(pollMs)
  }
}

const secretPath = /^\/api\/v1\/namespaces\/([^/]+)\/secrets(?:\/|$)/

/**
 * A client that binds the operator in a namespace in which a request for a Secret is forbidden, and repeats the request. In
 * a namespace that is gone it answers 404 as an API server does where the rights cover the whole cluster.
 */
export function withSecretBindings(client: KubeClient, bindings: SecretBindings): KubeClient {
  const shareBinding = createSingleFlight<void>()
  return {
    ...client,
    async request(method, path, options) {
      try {
        return await client.request(method, path, options)
      } catch (error) {
        const namespace = secretPath.exec(path)?.[1]
        if (namespace === undefined || !isForbidden(error)) throw error
        await shareBinding(namespace, async () => {
          const { labels: given } = await readOpenNamespace(client, namespace)
          const isOrganization = given?.[labels.organization] === namespace
          // The policy refuses a namespace that is not open: the first error says more.
          await bindings.bindOperator(namespace, isOrganization).catch(() => undefined)
        })
        return await client.request(method, path, options)
      }
    },
  }
}

/** Whether a right is missing; a terminating namespace refuses new objects with the same status. */
function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && !isNamespaceTerminating(error)
}

/** The metadata of a namespace; throws while it is terminating, and when it is gone. */
async function readOpenNamespace(client: KubeClient, namespace: string): Promise<KubeObject['metadata']> {
  const { metadata } = (await client.request(
    'GET',
    pathOf(namespaceResource, undefined, namespace),
  )) as KubeObject // a Namespace
  if (metadata.deletionTimestamp === undefined) return metadata
  throw new ApiError(
    403,
    'Forbidden',
    `the rights in namespace '${namespace}' are gone: it is being terminated`,
  )
}
