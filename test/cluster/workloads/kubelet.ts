import { setTimeout } from 'node:timers/promises'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { eventually } from '../support/client.ts'
import type { Stage } from './stage.ts'

/** Writes the status of each pod of a workload until there is one. With an image, only of the pods that have it. */
export type Play = (environment: string, workload: string, status: object, image?: string) => Promise<void>

/** The kubelet of a stage, whose cluster has no nodes. */
export function kubeletOf(stage: () => Stage): Play {
  return async (environment, workload, status, image) => {
    await eventually(`a pod of '${workload}'`, 30_000, async () => {
      const pods = (await stage().objects(environment, 'api/v1 pods')).filter(
        (each) =>
          each.metadata.labels?.['app.kubernetes.io/name'] === workload &&
          (image === undefined || JSON.stringify(each.spec).includes(image)),
      )
      for (const { metadata } of pods)
        await stage().request('PATCH', environment, `api/v1 pods/${metadata.name}/status`, { status })
      return pods.length > 0 || undefined
    })
  }
}

/** Writes the status of each new pod of an environment until it is stopped. */
export function startKubelet(stage: Stage, environment: string, statusOf: (pod: StoredObject) => object) {
  const seen = new Set<string>()
  const ending = new AbortController()
  async function look(): Promise<void> {
    for (const pod of await stage.objects(environment, 'api/v1 pods')) {
      const { name, uid } = pod.metadata
      if (seen.has(uid)) continue
      seen.add(uid)
      const status = statusOf(pod)
      await stage.request('PATCH', environment, `api/v1 pods/${name}/status`, { status })
    }
  }
  const looking = (async () => {
    while (!ending.signal.aborted) {
      // The namespace or the pod may not exist.
      await look().catch(() => undefined)
      await setTimeout(100)
    }
  })()
  return {
    async stop(): Promise<void> {
      ending.abort()
      await looking
    },
  }
}

/** The status of a pod that runs. */
export const running = {
  phase: 'Running',
  conditions: [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Ready', status: 'True' },
    { type: 'ContainersReady', status: 'True' },
  ],
  containerStatuses: [
    {
      name: 'main',
      ready: true,
      started: true,
      restartCount: 0,
      image: 'i',
      imageID: 'i',
      state: { running: {} },
    },
  ],
}

/** The status of a pod whose container ended with this code. */
export const ended = (exitCode: number, more: object = {}) => ({
  ...running,
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  containerStatuses: [
    {
      ...running.containerStatuses[0],
      ready: false,
      state: { terminated: { exitCode, startedAt: null, finishedAt: null, ...more } },
    },
  ],
})

/** The status of a pod whose container waits. */
export const waiting = (reason: string, more: object = {}) => ({
  phase: 'Pending',
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [
    {
      name: 'main',
      ready: false,
      restartCount: 3,
      image: 'i',
      imageID: '',
      state: { waiting: { reason, message: 'said the kubelet' } },
      ...more,
    },
  ],
})
