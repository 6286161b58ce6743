import { admitsObjects } from './admission.ts'
import { operatorLease, systemNamespace } from './api/names.ts'
import { readConfig } from './config.ts'
import { openDrivers } from './drivers/drivers.ts'
import { serveHealth } from './health.ts'
import { openCluster } from './kube/cache/cluster.ts'
import { kindsInStore } from './kube/cache/kinds-in-store.ts'
import { createWatchHealth, probeOver } from './kube/cache/watch-health.ts'
import { createClient } from './kube/client/client.ts'
import { loadConnection } from './kube/client/connection.ts'
import { createSecretBindings, withSecretBindings } from './kube/client/secret-bindings.ts'
import { ServerClock } from './kube/client/server-clock.ts'
import { electionTimes, startElection } from './kube/lease/leader.ts'
import { createLog, logProcess } from './log.ts'
import { createOperatorMetrics } from './metrics/operator-metrics.ts'
import { type Operator, startOperator } from './operator.ts'
import { createOutbound } from './outbound/create-outbound.ts'
import { openTracing } from './tracing/open-tracing.ts'

logProcess(createLog('operator', 'warn'))
const config = readConfig()
const log = createLog('operator', config.logLevel)
for (const message of config.misspelt) log.warn(message)
const connection = await loadConnection(config)
const election = startElection({
  connection,
  log,
  namespace: systemNamespace,
  name: operatorLease,
  identity: config.identity,
  times: electionTimes(config.leaseSeconds * 1000),
})
const metrics = createOperatorMetrics(election.isLeader)
const tracing = await openTracing(config.tracing, 'operator', log)
const serverClock = new ServerClock()
const directClient = createClient(connection, { onResponse: metrics.onResponse, serverClock })
const secretBindings =
  config.secretsScope === 'organizations' ? createSecretBindings(directClient) : undefined
const client = secretBindings ? withSecretBindings(directClient, secretBindings) : directClient
const cluster = openCluster({ client, log, kinds: kindsInStore })
metrics.watchStore(cluster.store)
const watchHealth = createWatchHealth(cluster.store, () => probeOver(() => createClient(connection)))
/** Each request and call of a reconcile has a deadline of at most minutes, so a reconcile that runs for longer hangs. */
const runLimitSeconds = 3600
const gracePeriodMs = 25_000
const outbound = createOutbound({ allowed: config.outboundAllowed })
let operator: Operator | undefined
let isAdmitted = false
void admitsObjects(client, log).then(() => {
  isAdmitted = true
})

await serveHealth(
  {
    livez: {
      'watches work': () => watchHealth.isWell(),
      'no reconcile hangs': () => metrics.longestRunSeconds() < runLimitSeconds,
    },
    readyz: {
      'the API server admits objects of the kinds': () => isAdmitted,
      'all objects are read': () => cluster.store.synced,
    },
  },
  metrics.registry,
  config.healthPort,
  config.healthHost,
)
log.info('started', { port: config.healthPort })

/** Stops the loops, releases the lease, and exits. */
async function shutDown(code: number) {
  setTimeout(() => process.exit(code), gracePeriodMs).unref()
  await operator?.stop()
  await election.release()
  await Promise.all([cluster.close(), outbound.close(), tracing.close()])
  log.info('stopped')
  process.exit(code)
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void shutDown(0))
// Another process may lead now: end at once.
void election.lost.then(() => process.exit(1))

await election.elected
operator = await startOperator({
  cluster,
  config,
  outbound,
  secretBindings,
  openDrivers: (installationId, hash) => openDrivers({ installationId, hash, outbound, ...config }),
  log,
  metrics,
  tracing,
  isActive: election.isLeader,
  serverNow: () => serverClock.now(),
})
log.info('working')
