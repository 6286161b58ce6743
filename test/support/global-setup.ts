import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startControlPlane } from '../../dev/control-plane/control-plane.ts'
import { ensureDevelopmentAuthority } from '../../dev/development-authority.ts'
import { outsideWorld, startCloudflare } from '../../dev/fake-cloudflare/process.ts'
import { startEverything } from '../../dev/quartermaster.ts'
import { environmentVariable, type SharedCluster } from './shared-cluster.ts'

/** One control plane, one operator and one gateway for all test files of the project `cluster`. */
export default async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-test-'))
  await ensureDevelopmentAuthority(directory)
  const [controlPlane, cloudflare] = await Promise.all([
    startControlPlane({ directory, auditLog: true }),
    startCloudflare(directory),
  ])
  const { operator, gateway, adminToken } = await startEverything(controlPlane, {
    directory,
    settings: {
      ...outsideWorld(cloudflare, directory),
      QUARTERMASTER_REQUESTS_PER_SECOND: '5000',
      QUARTERMASTER_REQUEST_BURST: '10000',
      QUARTERMASTER_SETTLE_SECONDS: '10',
    },
  })
  const { url, caFile, adminToken: clusterToken, kubeconfigPath, auditLogPath = '', binaries } = controlPlane
  const shared: SharedCluster = {
    directory,
    access: { url, caFile, adminToken: clusterToken },
    kubeconfigPath,
    operatorKubeconfig: join(directory, 'operator.kubeconfig'),
    gatewayKubeconfig: join(directory, 'gateway.kubeconfig'),
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
    },
  })
}
