import { spawnSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { apiCall, eventually } from '../../../dev/control-plane/kubernetes.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const { access, kubectl, operatorKubeconfig, gatewayKubeconfig, kubeconfigPath } = sharedCluster()

interface FlowSchema {
  readonly metadata: { readonly name: string; readonly uid: string }
}

/** The FlowSchema under which the API server handles a request with this kubeconfig. */
async function schemaOf(kubeconfig: string, path: string): Promise<string | undefined> {
  const args = ['--kubeconfig', kubeconfig, 'get', '--raw', path, '-v=8']
  const { stderr } = spawnSync(kubectl, args, { encoding: 'utf8' })
  const [, uid] = /x-kubernetes-pf-flowschema-uid[="\s:[]+([\w-]+)/i.exec(stderr) ?? []
  const { items } = await apiCall<{ items: FlowSchema[] }>(
    access,
    'GET',
    '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  )
  return items.find(({ metadata }) => metadata.uid === uid)?.metadata.name
}

const applications = '/apis/quartermaster.dev/v1alpha1/namespaces/default/applications'
const lease = '/apis/coordination.k8s.io/v1/namespaces/quartermaster-system/leases/quartermaster-operator'

test.each([
  ['requests of the operator have their own share', operatorKubeconfig, applications, 'quartermaster'],
  ['requests of the gateway have their own share', gatewayKubeconfig, applications, 'quartermaster'],
  ['the lease has that of leader election', operatorKubeconfig, lease, 'quartermaster-leader-election'],
])('%s', async (_, kubeconfig, path, expected) => {
  await eventually(`the schema '${expected}'`, 30_000, async () =>
    (await schemaOf(kubeconfig, path)) === expected ? true : undefined,
  )
  expect(await schemaOf(kubeconfigPath, path)).not.toBe(expected)
})
