// `make up`: a control plane, the operator, the gateway and two organizations on this machine, left running.
import { mkdirSync, rmSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { buildBundles } from './build.ts'
import { type Cluster, clusterOf, currentCluster } from './cluster.ts'
import { startControlPlane } from './control-plane/control-plane.ts'
import { eventually } from './control-plane/kubernetes.ts'
import { freePorts } from './control-plane/processes.ts'
import { ensureDevelopmentAuthority } from './development-authority.ts'
import { outsideWorld, startCloudflare, stopCloudflare } from './fake-cloudflare/process.ts'
import { makeAda } from './identity-provider/first-person.ts'
import { startIdentityProviderProcess } from './identity-provider/process.ts'
import { makeOrganization } from './organization.ts'
import { directory, formatEnvironment, places, type Running, serviceNames } from './places.ts'
import { installInto, readAdminToken, startQuartermaster, stopQuartermaster } from './quartermaster.ts'
import { giveSampleSecrets } from './sample-secrets.ts'
import { watchRestarts } from './supervision.ts'
import { startReceiverProcess } from './webhook-receiver/process.ts'

const developmentSettings = {
  // With a fixed identity, an operator that restarts after a crash takes over its own lease at once.
  QUARTERMASTER_IDENTITY: 'development',
  QUARTERMASTER_REQUESTS_PER_SECOND: '5000',
  QUARTERMASTER_REQUEST_BURST: '10000',
}

/** Starts everything that does not run yet; writes `.dev/env` last. */
export async function bringUp(log: (line: string) => void, isCurrent = false): Promise<Running> {
  mkdirSync(directory, { recursive: true })
  rmSync(places.environment, { force: true })
  const restarts = await watchRestarts(directory, serviceNames, log)
  await ensureDevelopmentAuthority(directory)
  const cluster = isCurrent ? await currentCluster() : await embeddedCluster(log)
  try {
    const running = await bringUpIn(cluster, log, isCurrent ? { QUARTERMASTER_ROLLOUT: 'wait' } : {})
    await restarts.check()
    return running
  } finally {
    cluster.close()
  }
}

async function bringUpIn(
  cluster: Cluster,
  log: (line: string) => void,
  ofCluster: Readonly<Record<string, string>>,
): Promise<Running> {
  log('building Quartermaster and installing it into the cluster')
  await Promise.all([buildBundles(directory), installInto(cluster), stopCloudflare(directory)])
  const [port = 0] = await freePorts(1)
  const [cloudflare, receiver, identityProvider] = await Promise.all([
    startCloudflare(directory, true),
    startReceiverProcess(directory, true),
    startIdentityProviderProcess(directory, `http://127.0.0.1:${port}`),
  ])
  const settings = {
    ...developmentSettings,
    ...ofCluster,
    ...outsideWorld(cloudflare, directory),
    ...identityProvider.settings,
  }
  const options = { directory, detached: true, settings }
  // Processes of an earlier run may be of an older build.
  await Promise.all([stopQuartermaster('operator', options), stopQuartermaster('gateway', options)])
  const [, gateway] = await Promise.all([
    startQuartermaster(cluster, 'operator', options),
    startQuartermaster(cluster, 'gateway', { ...options, port }),
  ])
  await Promise.all([
    makeOrganization(cluster, 'acme', 'Acme', log),
    makeOrganization(cluster, 'globex', 'Globex', log),
  ])
  const running = {
    kubeconfig: cluster.kubeconfigPath,
    gatewayUrl: gateway.url,
    adminToken: await readAdminToken(cluster),
    kubectl: cluster.kubectl,
    cloudflare,
    receiver,
    identityProvider,
  }
  await Promise.all(
    ['acme', 'globex'].map((organization) => giveSampleSecrets(cluster, organization, directory)),
  )
  await awaitAccess(running)
  // After the first administrator, whom an organization gets only while it has no other.
  await makeAda(cluster, ['acme', 'globex'])
  await writeEnvironment(running)
  return running
}

async function embeddedCluster(log: (line: string) => void): Promise<Cluster> {
  const controlPlane = await startControlPlane({
    directory: places.controlPlane,
    logDirectory: directory,
    pidDirectory: directory,
    auditLog: true,
    keepData: true,
    detached: true,
    log,
  })
  return clusterOf(controlPlane)
}

/** Waits until the token works in both organizations, so that `.dev/env` is valid when it appears. */
async function awaitAccess({ gatewayUrl, adminToken }: Running): Promise<void> {
  await eventually('access to the organizations', 30_000, async () => {
    const answers = await Promise.all(
      ['acme', 'globex'].map((organization) =>
        fetch(`${gatewayUrl}/orgs/${organization}/env-types`, {
          headers: { authorization: `Bearer ${adminToken}` },
        }),
      ),
    )
    return answers.every(({ ok }) => ok) || undefined
  })
}

async function writeEnvironment(running: Running): Promise<void> {
  const { kubeconfig, gatewayUrl, adminToken, cloudflare, receiver, identityProvider } = running
  const text = formatEnvironment({
    KUBECONFIG: kubeconfig,
    GATEWAY_URL: gatewayUrl,
    ADMIN_TOKEN: adminToken,
    FAKE_CLOUDFLARE_URL: cloudflare.url,
    FAKE_CLOUDFLARE_ZONE: cloudflare.zoneId,
    FAKE_CLOUDFLARE_TOKEN: cloudflare.token,
    FAKE_CLOUDFLARE_DNS: `127.0.0.1:${cloudflare.dnsPort}`,
    WEBHOOK_RECEIVER_URL: receiver.url,
    IDENTITY_PROVIDER_URL: identityProvider.url,
  })
  await writeFile(places.environment, text, { mode: 0o600 })
  await chmod(places.environment, 0o600)
}

if (import.meta.main) {
  const [name = 'embedded'] = process.argv.slice(2)
  if (!['embedded', 'current'].includes(name)) {
    console.error(`CLUSTER must be embedded or current, not '${name}'`)
    process.exit(1)
  }
  const { gatewayUrl } = await bringUp((line) => console.log(line), name === 'current')
  console.log(
    `\nQuartermaster runs; the portal is at ${gatewayUrl}; addresses and an API token are in .dev/env`,
  )
}
