import { stringify } from 'yaml'
import type { NodeNetwork } from './network.ts'
import { registriesIn } from './registries.ts'

/** The name of the image of the container that holds the namespaces of a pod. */
export const pauseImage = 'docker.io/library/quartermaster-pause:1'

/** Paths of files that the configuration names. */
interface Files {
  readonly directory: string
  /** Authority of the API server's client certificate. */
  readonly clientCa: string
}

/** The configuration files of the node, by their names. */
export function configurationOf(network: NodeNetwork, files: Files): Record<string, string> {
  return {
    'containerd.toml': containerd(files),
    'cni/10-bridge.conflist': JSON.stringify(cni(network)),
    'kubelet.yaml': stringify(kubelet(network, files)),
    'kube-proxy.yaml': stringify(kubeProxy(files)),
  }
}

// Format 2 is read by containerd from 1.3 on. `restrict_oom_score_adj` is needed where root lacks CAP_SYS_RESOURCE.
function containerd({ directory }: Files): string {
  return `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
]
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${directory}/cni"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${registriesIn(directory)}"
`
}

function cni({ podRange }: NodeNetwork) {
  return {
    cniVersion: '0.4.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        isDefaultGateway: true,
        hairpinMode: true,
        ipMasq: false,
        ipam: { type: 'host-local', ranges: [[{ subnet: podRange }]] },
      },
    ],
  }
}

function kubelet({ name, hostAddress }: NodeNetwork, { clientCa }: Files) {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: clientCa },
    },
    authorization: { mode: 'Webhook' },
    clusterDomain: 'cluster.local',
    clusterDNS: [hostAddress],
    // Pods resolve names of the cluster only.
    resolvConf: '',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${name}`,
    failCgroupV1: false,
    failSwapOn: false,
    oomScoreAdj: 0,
    volumePluginDir: '/var/lib/kubelet/volume-plugins',
    serializeImagePulls: false,
    // No registry has the images, so none is deleted.
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%' },
  }
}

function kubeProxy({ directory }: Files) {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    oomScoreAdj: 0,
    clientConnection: { kubeconfig: `${directory}/kube-proxy.kubeconfig` },
    // Otherwise it changes settings of the whole machine.
    conntrack: {
      maxPerCore: 0,
      min: 0,
      tcpEstablishedTimeout: '0s',
      tcpCloseWaitTimeout: '0s',
      udpTimeout: '0s',
      udpStreamTimeout: '0s',
    },
  }
}
