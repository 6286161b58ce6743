import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { provideBundles } from '../../../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { type ApiAccess, apiCall } from '../../../dev/control-plane/kubernetes.ts'
import { isOurs } from '../../../dev/control-plane/processes.ts'
import { ensureDevelopmentAuthority } from '../../../dev/development-authority.ts'
import {
  outsideWorld,
  type RunningCloudflare,
  startCloudflare,
} from '../../../dev/fake-cloudflare/process.ts'
import {
  installInto,
  type RunningProcess,
  readAdminToken,
  startQuartermaster,
} from '../../../dev/quartermaster.ts'
import { type FaultProxy, proxiedKubeconfig, startFaultProxy } from '../support/fault-proxy.ts'
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts'

/** A control plane with a gateway and two operators, which can be ended. */
export interface Installation {
  readonly cluster: {
    readonly access: ControlPlane
    readonly gatewayUrl: string
    readonly adminToken: string
    readonly directory: string
    readonly cloudflare: RunningCloudflare
  }
  /** Access with the rights of the operator. */
  readonly operator: ApiAccess
  /** The logs of the gateway and the operators. */
  readonly logFiles: readonly string[]
  /** Receives the calls of webhooks. */
  readonly receiver: Receiver
  /** Between the operators and the API server. */
  readonly proxy: FaultProxy
  /** Between the gateway and the API server. */
  readonly gatewayProxy: FaultProxy
  /** Ends the operator that leads, in order or by a kill, and starts it again. */
  endOperator(isOrderly: boolean): Promise<void>
  stop(): Promise<void>
}

const commonSettings = {
  QUARTERMASTER_LOG_LEVEL: 'debug', // explains a failure, and may show no secret either
  QUARTERMASTER_LEASE_SECONDS: '30',
  QUARTERMASTER_SETTLE_SECONDS: '1',
  QUARTERMASTER_WORKLOAD_SETTLE_SECONDS: '1',
  QUARTERMASTER_DEPLOYMENT_TIMEOUT_SECONDS: '20', // a missing Secret is waited for until then
  QUARTERMASTER_REQUESTS_PER_SECOND: '100000',
  QUARTERMASTER_REQUEST_BURST: '100000',
}

const restartEveryMs = 1000
const identities = ['operator-0', 'operator-1']

const leasePath = '/apis/coordination.k8s.io/v1/namespaces/quartermaster-system/leases/quartermaster-operator'

export async function startInstallation(more: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-histories-'))
  await ensureDevelopmentAuthority(directory)
  const [access, cloudflare, receiver] = await Promise.all([
    startControlPlane({ directory }),
    startCloudflare(directory),
    startReceiver(directory),
  ])
  const settings = { ...commonSettings, ...outsideWorld(cloudflare, directory), ...more }
  await Promise.all([provideBundles(directory), installInto(access)])
  const proxy = await startFaultProxy(access)
  const gatewayProxy = await startFaultProxy(access)
  const kubeconfig = await proxiedKubeconfig(proxy, access, directory)
  const gatewayKubeconfig = await proxiedKubeconfig(gatewayProxy, access, directory, 'gateway')
  const operators = new Map<string, RunningProcess>()

  /** An operator that is started again under its identity is the same candidate. */
  async function startOperator(identity: string): Promise<void> {
    const own = join(directory, identity)
    await mkdir(own, { recursive: true })
    operators.set(
      identity,
      await startQuartermaster(access, 'operator', {
        directory,
        logDirectory: own,
        pidDirectory: own,
        settings: { ...settings, QUARTERMASTER_KUBECONFIG: kubeconfig, QUARTERMASTER_IDENTITY: identity },
      }),
    )
  }

  /** As a cluster does: an operator that cannot renew its lease ends itself. */
  async function restartEnded(): Promise<void> {
    for (const [identity, { pid }] of operators)
      if (!(await isOurs(pid, directory))) await startOperator(identity)
  }

  async function replaceLeader(isOrderly: boolean): Promise<void> {
    const { spec } = await apiCall<{ spec: { holderIdentity: string } }>(access, 'GET', leasePath)
    const leader = operators.get(spec.holderIdentity)
    if (!leader) return // between two leaders
    await (isOrderly ? leader.stop() : leader.kill())
    await startOperator(spec.holderIdentity)
  }

  const gateway = await startQuartermaster(access, 'gateway', {
    directory,
    settings: { ...settings, QUARTERMASTER_KUBECONFIG: gatewayKubeconfig },
  })
  await Promise.all(identities.map(startOperator))
  const adminToken = await readAdminToken(access)
  let replacing: Promise<void> | undefined
  let restarting = Promise.resolve()
  const restarts = setInterval(() => {
    if (replacing) return
    // An operator that is late may still run: a second one of its identity would lead beside it.
    restarting = restarting.then(restartEnded).catch(() => clearInterval(restarts))
  }, restartEveryMs)
  return {
    cluster: { access, gatewayUrl: gateway.url, adminToken, directory, cloudflare },
    operator: {
      url: access.url,
      caFile: access.caFile,
      adminToken: await access.tokenFor('quartermaster-system', 'quartermaster-operator', 36_000),
    },
    logFiles: [
      join(directory, 'gateway.log'),
      ...identities.map((each) => join(directory, each, 'operator.log')),
    ],
    receiver,
    proxy,
    gatewayProxy,
    endOperator(isOrderly) {
      replacing ??= restarting
        .then(() => replaceLeader(isOrderly))
        .finally(() => {
          replacing = undefined
        })
      return replacing
    },
    async stop() {
      clearInterval(restarts)
      await restarting
      await replacing
      await Promise.all([...operators.values(), gateway].map((each) => each.stop()))
      await Promise.all([proxy, gatewayProxy, receiver].map((each) => each.close()))
      await cloudflare.stop()
      await access.stop()
    },
  }
}
