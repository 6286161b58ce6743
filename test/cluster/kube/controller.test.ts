import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { apiCall, apiRequest, eventually } from '../../../dev/control-plane/kubernetes.ts'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import { pathOf, resourceOf } from '../../../operator/kube/client/resource.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { activeResourceSample } from '../support/samples.ts'
import { firstBackoffMs, openLoops, pathIn } from './controller-loops.ts'
import { type OwnControlPlane, startOwnControlPlane } from './support.ts'

let own: OwnControlPlane
let loops: Awaited<ReturnType<typeof openLoops>>

beforeAll(async () => {
  own = await startOwnControlPlane()
  loops = await openLoops(own)
})

afterEach(() => loops.end())

afterAll(async () => {
  await loops?.close()
  await own?.stop()
})

describe('a reconcile that succeeds', () => {
  test('writes the status once, is not enqueued by it, and writes nothing without changes', async () => {
    const { looks, until, writes, lookAgain, idle, current } = await loops.start(
      () => ({ outputs: { host: 'h' } }),
      {
        finalize: async () => {},
      },
    )
    const ready = await until('Ready', 'True')
    expect(ready.status).toMatchObject({ outputs: { host: 'h' }, observedGeneration: 1 })
    expect(ready.metadata.finalizers).toHaveLength(1)
    await sleep(300)
    expect({ looks: looks.length, status: writes('/status'), all: writes() }).toEqual({
      looks: 1,
      status: 1,
      all: 2,
    })
    lookAgain()
    await eventually('another look', 30_000, async () => looks.length === 2 || undefined)
    await idle()
    expect({ all: writes(), version: current()?.metadata.resourceVersion }).toEqual({
      all: 2,
      version: ready.metadata.resourceVersion,
    })
  })

  test('removes absent fields from the status', async () => {
    let outputs: Record<string, string> = { a: '1', b: '2' }
    const { until, current, change } = await loops.start(() => ({ outputs }))
    await until('Ready', 'True')
    outputs = { b: '2' }
    await change({ metadata: { annotations: { look: 'again' } } })
    await eventually(
      'the status follows',
      30_000,
      async () => !('a' in (current()?.status?.outputs ?? {})) || undefined,
    )
    expect(current()?.status?.outputs).toEqual({ b: '2' })
  })

  test('of an object that was replaced meanwhile is not written to its successor: the loop reconciles again', async () => {
    const seen = new Set<string | undefined>()
    const { until, versions } = await loops.start(async ({ metadata }, count) => {
      seen.add(metadata.uid)
      const { namespace, uid } = metadata
      if (count > 1) return { inputsHash: uid }
      await apiCall(own.controlPlane, 'DELETE', pathIn(namespace))
      const collection = pathOf(resourceOf(ActiveResource), namespace)
      await loops.cluster.client.request('POST', collection, { body: activeResourceSample(namespace) })
      return { inputsHash: uid }
    })
    await until('Ready', 'True')
    const hashes = versions.filter(({ status }) => status?.inputsHash)
    expect(hashes.map(({ metadata, status }) => status?.inputsHash === metadata.uid)).toEqual([true])
    expect(seen.size).toBe(2)
  })
})

describe('a reconcile that fails', () => {
  test('Waiting is not written when its end is near', async () => {
    const { until, writes, lookAgain } = await loops.start((_, count) => {
      if (count > 1) return {}
      setTimeout(() => lookAgain(), 50)
      throw new Waiting('DependencyNotReady', 'waiting for x')
    })
    await until('Ready', 'True')
    expect(writes('/status')).toBe(1)
  })

  test('Waiting is written once when it lasts', async () => {
    const { looks, until, writes, lookAgain, idle } = await loops.start(() => {
      throw new Waiting('DependencyNotReady', 'waiting for x')
    })
    const object = await until('Reconciling', 'True')
    expect(conditionOf(object, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'DependencyNotReady' })
    const before = looks.length
    lookAgain()
    await eventually('another look', 30_000, async () => looks.length > before || undefined)
    await idle()
    expect(writes('/status')).toBe(1)
  })

  test('Waiting with a time reconciles again then', async () => {
    const { looks, until } = await loops.start((_, count) => {
      if (count < 3) throw new Waiting('SecretNotFound', 'waiting for a Secret', 0.2)
      return {}
    })
    await until('Ready', 'True')
    expect((looks[1] ?? 0) - (looks[0] ?? 0)).toBeGreaterThan(150)
  })

  test('Stalled is written, and retried only after a change', async () => {
    let isCorrected = false
    const { looks, until, change } = await loops.start(() => {
      if (!isCorrected) throw new Stalled('Conflict', 'another owner has it', { outputs: { seen: 'yes' } })
      return {}
    })
    const object = await until('Stalled', 'True')
    expect(conditionOf(object, 'Ready')).toMatchObject({ status: 'False', reason: 'Conflict' })
    expect(object.status?.outputs).toEqual({ seen: 'yes' })
    await sleep(800)
    expect(looks).toHaveLength(1)
    isCorrected = true
    await change({ metadata: { annotations: { look: 'again' } } })
    const corrected = await until('Ready', 'True')
    expect(conditionOf(corrected, 'Stalled')).toBeUndefined()
  })

  test('an error is tried again, ever later, and counted until it is over', async () => {
    const { looks, until, versions } = await loops.start((_, count) => {
      if (count <= 4) throw new Error('broken')
      return {}
    })
    const ready = await until('Ready', 'True')
    const attempts = versions.map(({ status }) => status?.attempts).filter((each) => each !== undefined)
    expect(attempts).toEqual([1, 2, 3, 4])
    expect(versions.filter(({ status }) => status?.nextAttemptTime)).toHaveLength(4)
    expect([ready.status?.attempts, ready.status?.nextAttemptTime]).toEqual([undefined, undefined])
    const pauses = looks.slice(1).map((at, i) => at - (looks[i] ?? 0))
    // Never before its time; later is possible on a busy machine.
    expect(pauses[3]).toBeGreaterThan(3 * firstBackoffMs)
  })
})

describe('the loop', () => {
  test('keeps the finalizer of an object until its external object is deleted', async () => {
    let isGone = false
    let ends = 0
    const { until, current, namespace, looks } = await loops.start(() => ({}), {
      async finalize() {
        ends += 1
        if (!isGone) throw new Waiting('DependentsRemain', 'waiting for dependents', 0.1)
      },
    })
    await until('Ready', 'True')
    const before = looks.length
    await apiCall(own.controlPlane, 'DELETE', pathIn(namespace))
    await eventually('two tries', 30_000, async () => ends >= 2 || undefined)
    expect(current()?.metadata.deletionTimestamp).toBeDefined()
    isGone = true
    await eventually(
      'the object is gone',
      30_000,
      async () => (await apiRequest(own.controlPlane, 'GET', pathIn(namespace))).status === 404 || undefined,
    )
    await eventually('the news of it', 30_000, async () => current() === undefined || undefined)
    expect(looks.length).toBe(before)
  })

  test('restores its finalizer after another client removed it', async () => {
    const { until, current, change } = await loops.start(() => ({}), { finalize: async () => {} })
    const { metadata } = await until('Ready', 'True')
    await change({ metadata: { finalizers: null } })
    await eventually('it is back', 30_000, async () => {
      const now = current()?.metadata
      return (now?.resourceVersion !== metadata.resourceVersion && now?.finalizers?.length === 1) || undefined
    })
  })

  test('stops all work on an organization whose label is removed, and continues when it is restored', async () => {
    const { looks, until, change, label } = await loops.start(() => ({}))
    await until('Ready', 'True')
    await label(false)
    await change({ metadata: { annotations: { look: 'again' } } })
    await sleep(500)
    expect(looks).toHaveLength(1)
    await label(true)
    await eventually('another look', 30_000, async () => looks.length === 2 || undefined)
  })

  test('begins and writes nothing while another process may lead', async () => {
    let leads = true
    const { looks, writes, lookAgain, idle } = await loops.start(
      () => {
        leads = false
        return {}
      },
      { isActive: () => leads },
    )
    await eventually('a look', 30_000, async () => looks.length === 1 || undefined)
    lookAgain()
    await idle()
    expect({ looks: looks.length, writes: writes() }).toEqual({ looks: 1, writes: 0 })
  })
})
