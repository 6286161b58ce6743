// `make node`: a control plane with a node on this machine, and Quartermaster in its pods, left running.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureHelm } from '../helm/helm.ts'
import { makeRestrictedNamespace, releaseOn } from '../helm/installation.ts'
import { formatEnvironment, places } from '../places.ts'
import { readAdminToken } from '../quartermaster.ts'
import { gatewayUrlOf } from './gateway.ts'
import { startNode } from './node.ts'
import { reasonAgainstNode } from './requirements.ts'

const reason = await reasonAgainstNode()
if (reason) {
  console.error(reason)
  process.exit(1)
}
await ensureHelm()
const node = await startNode({ directory: places.node, detached: true })
const { controlPlane } = node
console.log('composing the image and importing it')
await node.importImage()
console.log('installing the chart')
await makeRestrictedNamespace(controlPlane)
await releaseOn(controlPlane.kubeconfigPath).install()
const gatewayUrl = await gatewayUrlOf(controlPlane)
const text = formatEnvironment({
  KUBECONFIG: controlPlane.kubeconfigPath,
  GATEWAY_URL: gatewayUrl,
  ADMIN_TOKEN: await readAdminToken(controlPlane),
})
await writeFile(join(places.node, 'env'), text, { mode: 0o600 })
console.log(
  `\nQuartermaster runs in pods of the node '${node.network.name}'; the gateway is at ${gatewayUrl}`,
)
console.log('  . .dev/node/env && export KUBECONFIG && kubectl -n quartermaster-system get pods')
console.log('  make node-down')
