#!/usr/bin/env bash
# PID 1 of the node, in namespaces that end with it: prepares them, and runs containerd, kubelet and kube-proxy. Any of them
# that ends, ends the node. SIGUSR1 restarts the node: all processes and pods end, the disks of the node are kept.
# Usage: init.sh DIRECTORY
set -euo pipefail
shopt -s nullglob
directory=${1%/}
restart=
trap 'restart=yes' USR1
trap 'exit 0' TERM INT

say() { echo "node: $*"; }

# Nothing is left on the disk of this machine.
prepare_disks() {
  for path in /run /var/lib /var/log; do mount -t tmpfs -o mode=755 tmpfs "$path"; done
}

# The kubelet sets these for the whole machine, so it gets copies.
prepare_settings() {
  mkdir -p /run/sysctl
  for path in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
    [ -e "/proc/sys/$path" ] || continue
    cat "/proc/sys/$path" >"/run/sysctl/${path//\//-}"
    mount --bind "/run/sysctl/${path//\//-}" "/proc/sys/$path"
  done
  # Each start of the node is a boot.
  cat /proc/sys/kernel/random/uuid >/run/sysctl/boot_id
  mount --bind /run/sysctl/boot_id /proc/sys/kernel/random/boot_id
}

prepare_cgroups() {
  for controller in /sys/fs/cgroup/*/; do
    [ "$(stat -f -c %T "$controller")" = cgroupfs ] || continue
    mkdir -p "$controller$name"
    if [ -e "${controller}cpuset.cpus" ]; then
      cat "${controller}cpuset.cpus" >"$controller$name/cpuset.cpus"
      cat "${controller}cpuset.mems" >"$controller$name/cpuset.mems"
    fi
  done
}

# The kubelet waits seconds for each container whose cgroup outlived it.
remove_cgroups() {
  for _ in {1..50}; do
    find /sys/fs/cgroup/*/"$name" -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null && return
    sleep 0.1
  done
}

prepare_network() {
  ip link set lo up
  ip address add "$address/24" dev eth0
  ip link set eth0 up
  ip route add default via "$gateway"
  echo 1 >/proc/sys/net/ipv4/ip_forward
}

start_services() {
  say "starting containerd"
  containerd --config "$directory/containerd.toml" >>"$directory/containerd.log" 2>&1 &
  until ctr version >/dev/null 2>&1; do sleep 0.1; kill -0 $! || return 1; done
  if [ -z "$(ctr -n k8s.io images ls -q)" ]; then ctr -n k8s.io images import "$directory/pause.oci.tar"; fi
  ctr -n k8s.io images label "$pause_image" io.cri-containerd.pinned=pinned >/dev/null
  # Written after the API server has started.
  until [ -e "$directory/kube-proxy.kubeconfig" ]; do sleep 0.1; done
  say "starting kubelet and kube-proxy"
  "$kubelet" --config="$directory/kubelet.yaml" --kubeconfig="$directory/kubelet.kubeconfig" \
    --hostname-override="$name" --node-ip="$address" >>"$directory/kubelet.log" 2>&1 &
  "$kube_proxy" --config="$directory/kube-proxy.yaml" --hostname-override="$name" >>"$directory/kube-proxy.log" 2>&1 &
}

# As in a power failure: all processes end; mounts, bridges and rules are gone.
end_everything() {
  kill -KILL -1 || true
  wait || true
  while read -r _ _ _ _ path _; do echo "$path"; done </proc/self/mountinfo |
    grep -E '^/(run/.|var/lib/kubelet/|proc/sys/)' | sort -r |
    while read -r path; do umount -l "$path" || true; done
  find /run -mindepth 1 -delete || true
  for link in /sys/class/net/*/bridge; do ip link delete "$(basename "${link%/bridge}")"; done
  nft flush ruleset
  remove_cgroups
}

# Written once the interface to this machine exists: sets `name`, `address`, `gateway`, `kubelet`, `kube_proxy` and `pause_image`.
until [ -e "$directory/network" ]; do sleep 0.05; done
# shellcheck source=/dev/null
. "$directory/network"
prepare_disks
prepare_cgroups
prepare_network
while true; do
  prepare_settings
  start_services
  restart=
  # A signal interrupts `wait`.
  wait -n || true
  [ "$restart" = yes ] || exit 1
  say "restarting"
  end_everything
done
