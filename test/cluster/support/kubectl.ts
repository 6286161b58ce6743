import { execFileSync } from 'node:child_process'
import { sharedCluster } from './shared-cluster.ts'

/** Runs kubectl on the shared cluster, with `input` as JSON on stdin; answers its output. */
export function kubectl(args: readonly string[], input?: object): string {
  const { kubectl: program, kubeconfigPath } = sharedCluster()
  return execFileSync(program, ['--kubeconfig', kubeconfigPath, ...args], {
    encoding: 'utf8',
    ...(input ? { input: JSON.stringify(input) } : {}),
  })
}
