import type { NodeAccess, ProcessName, Settings } from './files.ts'
import { etcdUrlOf, loopback, pathsIn } from './files.ts'

/** The arguments of each process. */
export const argumentsOf: Record<ProcessName, (settings: Settings) => string[]> = {
  etcd(settings) {
    const client = etcdUrlOf(settings)
    const peer = `http://127.0.0.1:${settings.etcdPeerPort}`
    return [
      `--data-dir=${pathsIn(settings.directory).etcdData}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ]
  },

  'kube-apiserver'(settings) {
    const paths = pathsIn(settings.directory)
    const address = settings.node?.address ?? loopback
    return [
      `--etcd-servers=${etcdUrlOf(settings)}`,
      `--secure-port=${settings.apiServerPort}`,
      `--bind-address=${address}`,
      `--cert-dir=${paths.certificates}`,
      // Otherwise it looks for the address of a network interface, and a machine without a network has none.
      `--advertise-address=${address}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${paths.publicKey}`,
      `--service-account-signing-key-file=${paths.privateKey}`,
      `--service-cluster-ip-range=${settings.node?.serviceRange ?? '10.96.0.0/16'}`,
      ...(settings.node ? argumentsForNode(settings.node) : argumentsWithoutNode),
      `--token-auth-file=${paths.tokens}`,
      ...emulation(settings),
      ...(settings.auditLog
        ? [`--audit-policy-file=${paths.auditPolicy}`, `--audit-log-path=${paths.audit}`]
        : []),
    ]
  },

  'kube-controller-manager'(settings) {
    const paths = pathsIn(settings.directory)
    return [
      `--kubeconfig=${paths.kubeconfig}`,
      '--controllers=*,-nodeipam,-cloud-node-lifecycle',
      `--service-account-private-key-file=${paths.privateKey}`,
      `--root-ca-file=${paths.ca}`,
      '--use-service-account-credentials=true',
      '--leader-elect=false',
      ...emulation(settings),
      // At its default of 20 requests per second it takes 4 s longer to start, and namespaces longer to end.
      '--kube-api-qps=200',
      '--kube-api-burst=400',
      // Serves nothing, so that two of them never want the same port.
      '--secure-port=0',
    ]
  },
}

function emulation({ emulatedVersion }: Settings): string[] {
  return emulatedVersion === undefined ? [] : [`--emulated-version=${emulatedVersion}`]
}

// Without pods, nothing uses the endpoints of the Service `kubernetes`.
const argumentsWithoutNode = ['--authorization-mode=RBAC', '--endpoint-reconciler-type=none']

function argumentsForNode({ kubeletCertificate }: NodeAccess): string[] {
  return [
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    `--kubelet-client-certificate=${kubeletCertificate.certFile}`,
    `--kubelet-client-key=${kubeletCertificate.keyFile}`,
    '--kubelet-preferred-address-types=InternalIP',
  ]
}
