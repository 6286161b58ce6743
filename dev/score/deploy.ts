import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isReady } from '../../operator/kube/loop/outcome.ts'
import { eventually } from '../control-plane/kubernetes.ts'
import { workloadsOf } from './workloads.ts'

const readyWithinMs = 60_000

/** Applies a Score file as a Workload of the sample application, and waits until it is ready. Yields what to show. */
export async function* deployScore(
  file: string,
  kubectl: (input: string, ...args: string[]) => string,
): AsyncGenerator<string> {
  const folder = dirname(file)
  yield `$ make -s score FILE=examples/score/${basename(file)} APP=shop ENV=staging ORG=acme | kubectl apply -f -`
  const target = { application: 'shop', environments: ['staging'], organization: 'acme' }
  const read = (path: string) => readFileSync(join(folder, path))
  const items = workloadsOf(readFileSync(file, 'utf8'), target, read)
  kubectl(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }), 'apply', '-f', '-')
  const name = 'workloads.quartermaster.dev/shop.orders'
  yield `$ kubectl wait --for=condition=Ready ${name} -n acme`
  // Not by kubectl: a process that blocks does not see that the gateway closes idle connections.
  const status = await eventually('the Workload', readyWithinMs, async () => {
    const { status: now, metadata } = JSON.parse(kubectl('', 'get', name, '-n', 'acme', '-o', 'json'))
    return isReady({ metadata, status: now }) ? now : undefined
  })
  for (const { deploymentName, state, resources = [] } of status.environments) {
    yield `  deployment '${deploymentName}' ${state}`
    for (const { object, outputs = [] } of resources) yield `      ${object}  ${outputs.join(', ')}`
  }
  yield ''
}
