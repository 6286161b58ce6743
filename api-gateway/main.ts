import { readConfig } from '../operator/config.ts'
import { catalogue } from '../operator/drivers/catalogue.ts'
import { createClient } from '../operator/kube/client.ts'
import { openCluster } from '../operator/kube/cluster.ts'
import { loadConnection } from '../operator/kube/connection.ts'
import { kindsInStore } from '../operator/kube/kinds-in-store.ts'
import { createLog } from '../operator/log.ts'
import { createGateway } from './app.ts'

const config = readConfig()
const log = createLog('gateway', config.logLevel)
const auditLog = createLog('gateway', 'info') // at whatever level the other one writes
const client = createClient(loadConnection(config.kubeconfig))
const cluster = openCluster({ client, log, kinds: kindsInStore })
const { requestsPerSecond, requestBurst: burst, vendors } = config
const settings = { requestsPerSecond, burst, vendors }
const gateway = createGateway({ cluster, log, auditLog, catalogue, settings })
const gracePeriodMs = 25_000

/** Finishes the requests under way, and exits. */
async function shutDown() {
  setTimeout(() => process.exit(0), gracePeriodMs).unref()
  await gateway.close()
  await cluster.close()
  log.info('stopped')
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void shutDown())

const port = await gateway.listen(config.gatewayPort, config.gatewayHost)
log.info('started', { port })
await cluster.ready
log.info('working')
