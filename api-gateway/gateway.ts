import type { Server } from 'node:http'
import { productVersion } from '../operator/api/names.ts'
import type { DriverDescriptor } from '../operator/domain/resource/driver.ts'
import type { Cluster } from '../operator/kube/cache/cluster.ts'
import type { Log } from '../operator/log.ts'
import { createProcessMetrics, type ProcessMetrics } from '../operator/metrics/process-metrics.ts'
import { createPlanning } from '../operator/planning/planning.ts'
import { noTracing, type Tracing } from '../operator/tracing/tracing.ts'
import { createApp } from './app.ts'
import { createAudit } from './audit/audit.ts'
import { createChanges } from './changes/changes.ts'
import { createOpenStreams } from './changes/open-streams.ts'
import { createDriverInputsCheck } from './driver-inputs.ts'
import type { Endpoint, Gateway } from './endpoint.ts'
import { endpoints as allEndpoints } from './endpoints/index.ts'
import { closeServer, createHttpServer } from './http-server.ts'
import { createLongWork } from './long-work.ts'
import { createMetrics } from './metrics.ts'
import { openApiDocument } from './openapi/document.ts'
import { portalBesideBundle } from './pages/portal.ts'
import { createViewer } from './pages/viewer.ts'
import { defaultSettings, type GatewaySettings } from './settings.ts'
import { createOidc } from './sign-in/oidc.ts'
import { createSessions } from './sign-in/session.ts'
import { createSigner, readSessionKey } from './sign-in/signer.ts'

/** Dependencies and settings of a gateway. */
export interface GatewayOptions {
  readonly cluster: Cluster
  readonly log: Log
  /** Receives audit records at every log level. Defaults to `log`. */
  readonly auditLog?: Log
  readonly catalogue: readonly DriverDescriptor[]
  readonly settings?: Partial<GatewaySettings>
  readonly endpoints?: readonly Endpoint[]
  /** Metrics of the process, to which the gateway adds its own. */
  readonly metrics?: ProcessMetrics
  /** Defaults to none. */
  readonly tracing?: Tracing
  /** Folder with the built portal. Defaults to the one next to the bundle. */
  readonly portalDirectory?: URL
  /** Whether an operator is running. Defaults to true. */
  hasOperator?(): boolean
  /** Whether the process works, or must be restarted. Defaults to true. */
  isAlive?(): boolean
  /** Reads the private key that signs sessions, as PEM; undefined if it does not exist. */
  sessionKey?(): Promise<string | undefined>
  now?(): number
  /** The clock of the API server. Defaults to `now`. */
  serverNow?(): number
}

/** Creates the REST server of a cluster. */
export function createGateway(options: GatewayOptions) {
  const { cluster, log, catalogue, endpoints = allEndpoints, now = Date.now } = options
  const settings = { ...defaultSettings, ...options.settings }
  let document: string | undefined
  const planning = createPlanning(cluster.store, { catalogue, vendors: settings.vendors, log })
  const signer = createSigner(options.sessionKey ?? (() => readSessionKey(cluster.client)), log, now)
  const gateway: Gateway = {
    cluster,
    sessions: createSessions(signer, now),
    oidc: settings.oidc && createOidc(settings.oidc, { signer, log, now }),
    planning,
    checkDriverInputs: createDriverInputsCheck(planning, settings.vendors, now),
    criteriaLocks: new Map(),
    idempotencyLocks: new Map(),
    accountLocks: new Map(),
    settings,
    log,
    metrics: createMetrics(options.metrics ?? createProcessMetrics('gateway')),
    tracing: options.tracing ?? noTracing,
    changes: createChanges(cluster.store),
    streams: createOpenStreams(),
    longWork: createLongWork(),
    audit: createAudit({ log: options.auditLog ?? log, store: cluster.store, now }),
    hasOperator: options.hasOperator ?? (() => true),
    isAlive: options.isAlive ?? (() => true),
    document: () => (document ??= JSON.stringify(openApiDocument(endpoints, productVersion))),
    viewer: createViewer(),
    now,
    serverNow: options.serverNow ?? now,
  }
  const app = createApp(endpoints, gateway, options.portalDirectory ?? portalBesideBundle)
  let server: Server | undefined

  return {
    handle: app,
    /** Listens on a port (0 for any free port) and returns the port. */
    async listen(port: number, host?: string): Promise<number> {
      const started = createHttpServer(app)
      server = started
      await new Promise<void>((resolve, reject) => {
        started.once('error', reject)
        started.listen(port, host, resolve)
      })
      const address = started.address()
      return typeof address === 'object' && address ? address.port : port
    },
    /** Stops listening and waits for open requests. */
    async close(): Promise<void> {
      gateway.streams.close()
      if (server) await closeServer(server)
      gateway.audit.close()
    },
  }
}
