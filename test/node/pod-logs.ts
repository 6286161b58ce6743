import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlPlane } from '../../dev/control-plane/control-plane.ts'
import { apiCall } from '../../dev/control-plane/kubernetes.ts'
import { type Pod, podsPath } from './pods.ts'

const lookEveryMs = 200

/** Collects the logs of all pods of a release, also of those that are deleted meanwhile. */
export function collectLogs(access: ControlPlane) {
  const following = new Set<string>()
  /** By pod and time, so that a line is there once when its log is read again. */
  const lines = new Set<string>()
  const ending = new AbortController()

  async function follow({ metadata: { name } }: Pod): Promise<void> {
    const ca = await readFile(access.caFile)
    const path = `${podsPath}/${name}/log?follow=true&timestamps=true`
    const headers = { authorization: `Bearer ${access.adminToken}` }
    await new Promise<void>((resolve) => {
      const call = request(new URL(path, access.url), { ca, headers, agent: false })
      // While the pod exists, the log is read again.
      call.on('error', () => resolve())
      call.on('response', (response) => {
        if (response.statusCode !== 200) {
          response.resume()
          resolve()
          return
        }
        response.on('error', () => resolve())
        const reader = createInterface({ input: response })
        // Other lines are of the kubelet: that it has removed the container.
        reader.on('line', (line) => {
          if (/^\d{4}-\d\d-\d\dT/.test(line)) lines.add(`${name} ${line}`)
        })
        reader.on('close', () => resolve())
      })
      call.end()
    })
  }

  async function look(): Promise<void> {
    const { items } = await apiCall<{ items: Pod[] }>(access, 'GET', podsPath)
    for (const pod of items) {
      const { uid } = pod.metadata
      const isStarted = pod.status.containerStatuses?.every(({ containerID }) => containerID) ?? false
      if (following.has(uid) || !isStarted) continue
      following.add(uid)
      void follow(pod).finally(() => following.delete(uid))
    }
  }

  const looking = (async () => {
    while (!ending.signal.aborted) {
      await look().catch(() => undefined)
      await sleep(lookEveryMs)
    }
  })()

  return {
    /** The lines of the operator and the gateway that are errors, or are not lines of their log. */
    errors: () => [...lines].filter(isError).sort(),
    count: () => lines.size,
    text: () => [...lines].join('\n'),
    async stop(): Promise<void> {
      ending.abort()
      await looking
    },
  }
}

function isError(line: string): boolean {
  const text = line.split(' ').slice(2).join(' ')
  if (line.startsWith('quartermaster-test ')) return false
  try {
    return JSON.parse(text).level === 'error'
  } catch {
    return true
  }
}
