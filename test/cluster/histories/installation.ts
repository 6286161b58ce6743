import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import type { ApiAccess } from '../../../dev/control-plane/kubernetes.ts'
import { startEverything, startQuartermaster } from '../../../dev/quartermaster.ts'

/** A control plane with Quartermaster, whose operator can be killed. */
export interface Installation {
  readonly cluster: {
    readonly access: ControlPlane
    readonly gatewayUrl: string
    readonly adminToken: string
  }
  /** Access with the rights of the operator. */
  readonly operator: ApiAccess
  /** Kills the operator, and starts it again. */
  killOperator(): Promise<void>
  stop(): Promise<void>
}

const settings = {
  QUARTERMASTER_IDENTITY: 'operator', // a container that is started again is the same candidate
  QUARTERMASTER_LEASE_SECONDS: '30',
  QUARTERMASTER_SETTLE_SECONDS: '1',
  QUARTERMASTER_DEPLOYMENT_TIMEOUT_SECONDS: '20', // a missing Secret is waited for until then
  QUARTERMASTER_OUTBOUND_ALLOWED: '127.0.0.1',
  QUARTERMASTER_REQUESTS_PER_SECOND: '100000',
  QUARTERMASTER_REQUEST_BURST: '100000',
}

export async function startInstallation(): Promise<Installation> {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-histories-'))
  const access = await startControlPlane({ directory })
  const options = { directory, settings }
  const { gateway, adminToken, ...started } = await startEverything(access, options)
  let { operator } = started
  let restarted: Promise<void> | undefined
  return {
    cluster: { access, gatewayUrl: gateway.url, adminToken },
    operator: {
      url: access.url,
      caFile: access.caFile,
      adminToken: await access.tokenFor('quartermaster-system', 'quartermaster-operator', 36_000),
    },
    killOperator() {
      restarted ??= (async () => {
        await operator.kill()
        operator = await startQuartermaster(access, 'operator', options)
        restarted = undefined
      })()
      return restarted
    },
    async stop() {
      await restarted
      await Promise.all([operator.stop(), gateway.stop()])
      await access.stop()
    },
  }
}
