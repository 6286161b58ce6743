import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { type ApiAccess, apiCall, eventually } from '../../../dev/control-plane/kubernetes.ts'
import { ensureDevelopmentAuthority } from '../../../dev/development-authority.ts'
import { outsideWorld, startCloudflare } from '../../../dev/fake-cloudflare/process.ts'
import { kubeconfigOf, startEverything } from '../../../dev/quartermaster.ts'
import { recordUseOfRights, tokenIdIn } from '../../rights/record.ts'
import { environmentVariable, type SharedCluster } from './shared-cluster.ts'

/** The objects whose contents name Secrets; the audit log holds the bodies of their writes. */
const auditBodiesOf = [
  {
    group: 'quartermaster.dev',
    resources: [
      'activeresources',
      'activeresources/status',
      'registries',
      'registries/status',
      'resourceaccounts',
      'resourcedefinitions',
      'sharedvalues',
      'webhooks',
    ],
  },
]

/** One control plane, one operator and one gateway for all test files of the project `cluster`. */
export default async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-test-'))
  await ensureDevelopmentAuthority(directory)
  const [controlPlane, cloudflare] = await Promise.all([
    startControlPlane({ directory, auditLog: true, auditBodiesOf }),
    startCloudflare(directory),
  ])
  const { operator, gateway, adminToken } = await startEverything(controlPlane, {
    directory,
    settings: {
      ...outsideWorld(cloudflare, directory),
      QUARTERMASTER_REQUESTS_PER_SECOND: '5000',
      QUARTERMASTER_REQUEST_BURST: '10000',
      // The time that kubectl needs for all examples on a busy machine.
      QUARTERMASTER_SETTLE_SECONDS: '30',
      QUARTERMASTER_IMAGE_SETTLE_SECONDS: '1',
      QUARTERMASTER_WORKLOAD_SETTLE_SECONDS: '2',
      // The only operator has no supervisor that would restart it.
      QUARTERMASTER_LEASE_SECONDS: '60',
    },
  })
  await stampInForce(controlPlane)
  // Tests act under the same accounts with other tokens, so that the audit log tells them from the processes.
  const tokenIds = await Promise.all(
    ['operator', 'gateway'].map((name) => tokenIdIn(join(directory, `${name}.kubeconfig`))),
  )
  const testDirectory = join(directory, 'kubeconfigs')
  await mkdir(testDirectory)
  const { url, caFile, adminToken: clusterToken, kubeconfigPath, auditLogPath = '', binaries } = controlPlane
  const shared: SharedCluster = {
    directory,
    access: { url, caFile, adminToken: clusterToken },
    kubeconfigPath,
    operatorKubeconfig: await kubeconfigOf(controlPlane, 'operator', testDirectory),
    gatewayKubeconfig: await kubeconfigOf(controlPlane, 'gateway', testDirectory),
    auditLogPath,
    kubectl: binaries.kubectl,
    gatewayUrl: gateway.url,
    operatorUrl: operator.url,
    adminToken,
    cloudflare,
  }
  process.env[environmentVariable] = JSON.stringify(shared)
  Object.assign(globalThis, {
    tearDownCluster: async () => {
      await Promise.all([operator.stop(), gateway.stop(), cloudflare.stop()])
      await controlPlane.stop()
      await recordUseOfRights(directory, tokenIds)
    },
  })
}

/** Waits until the API server records the user of writes, which begins a moment after the request. */
async function stampInForce(access: ApiAccess): Promise<void> {
  const path = '/apis/quartermaster.dev/v1alpha1/namespaces/default/environments?dryRun=All'
  const probe = {
    apiVersion: 'quartermaster.dev/v1alpha1',
    kind: 'Environment',
    metadata: { name: 'probe.probe' },
    spec: { applicationName: 'probe', typeName: 'development' },
  }
  await eventually('the stamp on what is made', 60_000, async () => {
    const { metadata } = await apiCall<{ metadata: { annotations?: object } }>(access, 'POST', path, probe)
    return 'quartermaster.dev/triggered-by' in (metadata.annotations ?? {}) || undefined
  })
}
