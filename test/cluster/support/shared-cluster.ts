/** Where the set-up leaves the description of the cluster for the test files. */
export const environmentVariable = 'QUARTERMASTER_TEST_CLUSTER'

/** The cluster that all test files of one run share. */
export interface SharedCluster {
  readonly directory: string
  readonly access: { readonly url: string; readonly caFile: string; readonly adminToken: string }
  readonly kubeconfigPath: string
  readonly operatorKubeconfig: string
  readonly gatewayKubeconfig: string
  readonly auditLogPath: string
  readonly kubectl: string
  readonly gatewayUrl: string
  readonly operatorUrl: string
  readonly adminToken: string
  /** The provider of the outside world, and a DNS server over its records. */
  readonly cloudflare: {
    readonly url: string
    readonly dnsPort: number
    readonly zoneId: string
    readonly token: string
  }
}

/** The shared cluster of this run. */
export function sharedCluster(): SharedCluster {
  const text = process.env[environmentVariable]
  if (!text) throw new Error('run this file with the jest project `cluster`')
  return JSON.parse(text)
}
