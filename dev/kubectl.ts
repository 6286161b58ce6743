import { execFileSync } from 'node:child_process'
import type { Running } from './places.ts'

/** Runs kubectl in the cluster of `make up`; returns what it prints. */
export function kubectl(at: Running, ...args: string[]): string {
  return kubectlWith(at, '', ...args)
}

/** Runs kubectl with this standard input. */
export function kubectlWith(at: Running, input: string, ...args: string[]): string {
  return execFileSync(at.kubectl, ['--kubeconfig', at.kubeconfig, ...args], {
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}
