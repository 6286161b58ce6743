import { readFileSync } from 'node:fs'
import { operatorLease, systemNamespace } from '../operator/api/names.ts'
import { type OidcConfig, readConfig } from '../operator/config.ts'
import { catalogue } from '../operator/drivers/catalogue.ts'
import { openCluster } from '../operator/kube/cache/cluster.ts'
import { kindsInStore } from '../operator/kube/cache/kinds-in-store.ts'
import { createWatchHealth, probeOver } from '../operator/kube/cache/watch-health.ts'
import { createClient } from '../operator/kube/client/client.ts'
import { loadConnection } from '../operator/kube/client/connection.ts'
import { ServerClock } from '../operator/kube/client/server-clock.ts'
import { watchLease } from '../operator/kube/lease/lease-watch.ts'
import { createLog, logProcess } from '../operator/log.ts'
import { createProcessMetrics } from '../operator/metrics/process-metrics.ts'
import { openTracing } from '../operator/tracing/open-tracing.ts'
import { createGateway } from './gateway.ts'
import type { OidcSettings } from './settings.ts'

logProcess(createLog('gateway', 'warn'))
const config = readConfig()
const oidc = config.oidc && oidcSettings(config.oidc)
const log = createLog('gateway', config.logLevel)
for (const message of config.misspelt) log.warn(message)
const auditLog = createLog('gateway', 'info') // audit records are written at every log level
const metrics = createProcessMetrics('gateway')
const tracing = await openTracing(config.tracing, 'gateway', log)
const connection = await loadConnection(config)
const serverClock = new ServerClock()
const client = createClient(connection, { onResponse: metrics.onResponse, serverClock })
const cluster = openCluster({ client, log, kinds: kindsInStore })
metrics.watchStore(cluster.store)
const { requestsPerSecond, requestBurst: burst, deploymentTimeoutSeconds } = config
const { vendors, allowedOrigins, trustedProxies } = config
const limits = { requestsPerSecond, burst, deploymentTimeoutSeconds }
const settings = { ...limits, vendors, allowedOrigins, trustedProxies, oidc }
const lease = watchLease(client, log, { namespace: systemNamespace, name: operatorLease })
const hasOperator = () => lease.isHeld() !== false
const watchHealth = createWatchHealth(cluster.store, () => probeOver(() => createClient(connection)))
const gateway = createGateway({
  cluster,
  log,
  auditLog,
  catalogue,
  settings,
  metrics,
  tracing,
  hasOperator,
  isAlive: () => watchHealth.isWell(),
  serverNow: () => serverClock.now(),
})
const gracePeriodMs = 25_000

/** Reads the client secret once, at startup. */
function oidcSettings({ clientSecretFile, ...rest }: OidcConfig): OidcSettings {
  if (clientSecretFile === undefined) return rest
  const clientSecret = readText(clientSecretFile)?.trim()
  if (!clientSecret)
    throw new Error(
      `QUARTERMASTER_OIDC_CLIENT_SECRET_FILE names '${clientSecretFile}', which is empty or cannot be read`,
    )
  return { ...rest, clientSecret }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Waits for open requests and exits. */
async function shutDown() {
  setTimeout(() => process.exit(0), gracePeriodMs).unref()
  await gateway.close()
  lease.stop()
  await Promise.all([cluster.close(), tracing.close()])
  log.info('stopped')
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void shutDown())

const port = await gateway.listen(config.gatewayPort, config.gatewayHost)
log.info('started', { port })
await cluster.ready
log.info('working')
