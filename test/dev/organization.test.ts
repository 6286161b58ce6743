import { expect, test } from '@jest/globals'
import { apiCall, eventually } from '../../dev/control-plane/kubernetes.ts'
import { makeOrganization } from '../../dev/organization.ts'
import { sharedCluster } from '../cluster/support/shared-cluster.ts'

const { access } = sharedCluster()
const name = `organization-${process.pid}`
const holder = `/api/v1/namespaces/${name}/configmaps/holder`

test('an organization whose namespace is being deleted is created again afterwards, and the remaining objects are printed', async () => {
  await makeOrganization(access, name)
  await apiCall(access, 'POST', `/api/v1/namespaces/${name}/configmaps`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'holder', finalizers: ['example.test/holder'] },
  })
  const first = await apiCall<{ metadata: { uid: string } }>(access, 'GET', `/api/v1/namespaces/${name}`)
  await apiCall(access, 'DELETE', `/api/v1/namespaces/${name}`)
  const said: string[] = []
  const made = makeOrganization(access, name, name, (line) => said.push(line))
  await eventually('the reason of the wait', 60_000, async () =>
    said.some((line) => line.includes('example.test/holder')) ? true : undefined,
  )
  expect(said[0]).toContain(`waiting for the namespace '${name}' to be deleted`)
  expect(new Set(said).size).toBe(said.length)
  await apiCall(access, 'PATCH', holder, { metadata: { finalizers: null } }, 'application/merge-patch+json')
  await made
  const second = await apiCall<{ metadata: { uid: string } }>(access, 'GET', `/api/v1/namespaces/${name}`)
  expect(second.metadata.uid).not.toBe(first.metadata.uid)
  const types = `/apis/quartermaster.dev/v1alpha1/namespaces/${name}/environmenttypes`
  expect((await apiCall<{ items: unknown[] }>(access, 'GET', types)).items).toHaveLength(3)
})
