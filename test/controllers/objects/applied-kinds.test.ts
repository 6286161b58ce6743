import { beforeEach, expect, test } from '@jest/globals'
import { openAppliedKinds } from '../../../operator/controllers/objects/applied-kinds.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient, RequestOptions } from '../../../operator/kube/client/client.ts'

const configMap = { apiVersion: 'v1', kind: 'ConfigMap' }
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment' }
const path = '/api/v1/namespaces/quartermaster-system/configmaps'

let stored: Record<string, string> | undefined
let writes: string[]
/** Called before each request. */
let before: (method: string) => void

const client: Pick<KubeClient, 'request'> = {
  async request(method: string, at: string, { body }: RequestOptions = {}) {
    await Promise.resolve()
    before(method)
    expect(at.startsWith(path)).toBe(true)
    const { data } = (body ?? {}) as { data?: Record<string, string> } // a ConfigMap
    if (method !== 'GET') writes.push(method)
    if (method === 'POST' && stored) throw new ApiError(409, 'AlreadyExists', 'exists')
    if (method !== 'POST' && !stored) throw new ApiError(404, 'NotFound', 'not found')
    stored = { ...stored, ...data }
    return { data: stored }
  },
}
const open = () => openAppliedKinds(client as KubeClient) // the rest is not called

beforeEach(() => {
  stored = undefined
  writes = []
  before = () => {}
})

test('a kind is stored once, and another process reads it', async () => {
  const kinds = await open()
  await Promise.all([kinds.remember(configMap), kinds.remember(configMap)])
  await kinds.remember(configMap)
  await kinds.remember(deployment)
  expect([...kinds.all()]).toEqual([configMap, deployment])
  expect([...(await open()).all()]).toEqual([configMap, deployment])
  expect(writes).toEqual(['PATCH', 'POST', 'PATCH'])
})

test('a kind counts as remembered only when the cluster has stored it', async () => {
  const kinds = await open()
  before = () => {
    throw new Error('reset')
  }
  await expect(kinds.remember(configMap)).rejects.toThrow('reset')
  expect([...kinds.all()]).toEqual([])
  before = () => {}
  await kinds.remember(configMap)
  expect([...(await open()).all()]).toEqual([configMap])
})

test('two processes add to the stored list of each other', async () => {
  const [first, second] = [await open(), await open()]
  await Promise.all([first.remember(configMap), second.remember(deployment)])
  expect([...(await open()).all()].length).toBe(2)
})

test('a deleted ConfigMap is created again with all kinds', async () => {
  const kinds = await open()
  await kinds.remember(configMap)
  stored = undefined
  await kinds.remember(deployment)
  expect([...(await open()).all()]).toEqual([configMap, deployment])
})
