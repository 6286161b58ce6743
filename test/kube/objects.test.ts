import { describe, expect, test } from '@jest/globals'
import { Stalled } from '../../operator/domain/base/errors.ts'
import { ApiError, type KubeClient } from '../../operator/kube/client/client.ts'
import { type Objects, openObjects } from '../../operator/kube/objects.ts'
import { silentLog } from '../../operator/log.ts'

const reference = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'acme--shop--live', name: 'settings' }
const secret = { ...reference, kind: 'Secret' }
const user = 'system:serviceaccount:quartermaster-system:quartermaster-operator'

/** As the authorizer words it. */
const lacking = (verb: string) =>
  `configmaps "settings" is forbidden: User "${user}" cannot ${verb} resource "configmaps" in API group "" in the namespace "acme--shop--live"`

/** A cluster that knows these kinds and answers every request for an object with the error that the test says. */
function objectsRefusedWith(refusal: ApiError, discovery?: ApiError): Objects {
  const client: KubeClient = {
    async request(_, path) {
      if (path !== '/api/v1') throw refusal
      if (discovery) throw discovery
      const kinds = ['ConfigMap', 'Secret'].map((kind) => ({
        name: `${kind.toLowerCase()}s`,
        kind,
        namespaced: true,
      }))
      return { resources: kinds }
    },
    // oxlint-disable-next-line eslint/require-yield -- refused before the first line
    async *watch() {
      throw refusal
    },
    close: async () => {},
  }
  return openObjects(client, silentLog)
}

const calls: Record<string, (objects: Objects, target: typeof reference) => Promise<unknown>> = {
  get: (objects, target) => objects.read(target),
  delete: (objects, target) => objects.remove(target, 'uid'),
  watch: (objects, target) => objects.watch(target),
  apply: (objects, { apiVersion, kind, namespace, name }) =>
    objects.apply({ apiVersion, kind, metadata: { namespace, name } }),
}

async function thrown(verb: string, refusal: ApiError, target = reference): Promise<unknown> {
  const objects = objectsRefusedWith(refusal)
  try {
    return await calls[verb]?.(objects, target).then(
      () => undefined,
      (error: unknown) => error,
    )
  } finally {
    objects.close()
  }
}

describe.each(Object.keys(calls))('a request to %s an object', (verb) => {
  test('that the operator has no right to is Stalled, names the missing rule, and is repeated', async () => {
    const error = await thrown(verb, new ApiError(403, 'Forbidden', lacking(verb)))
    expect(error).toMatchObject({ reason: 'NotAllowed', retryAfterSeconds: expect.any(Number) })
    expect(error).toBeInstanceOf(Stalled)
    for (const part of [`let the operator ${verb}`, "'ConfigMap'", `cannot ${verb}`, 'resource "configmaps"'])
      expect((error as Stalled).message).toContain(part)
  })

  test('that admission refuses is no lack of a right: Stalled, Rejected, and repeated', async () => {
    const quota = 'configmaps "settings" is forbidden: exceeded quota: all, requested: configmaps=1'
    const error = await thrown(verb, new ApiError(403, 'Forbidden', quota))
    expect(error).toMatchObject({ reason: 'Rejected', retryAfterSeconds: expect.any(Number) })
    expect(error).toBeInstanceOf(Stalled)
  })

  test('that a terminating namespace refuses is tried again', async () => {
    const message = 'unable to create new content in namespace acme because it is being terminated'
    const refusal = new ApiError(403, 'Forbidden', message)
    if (verb !== 'watch') expect(await thrown(verb, refusal)).toBe(refusal)
  })

  test('whose refusal quotes a Secret does not quote it', async () => {
    const error = await thrown(verb, new ApiError(403, 'Forbidden', 'value canary is refused'), secret)
    expect((error as Stalled).message).not.toContain('canary')
  })
})

test('a kind that the operator may not discover is Stalled, and names the path', async () => {
  const message = `forbidden: User "${user}" cannot get path "/api/v1"`
  const refusal = new ApiError(403, 'Forbidden', message)
  const error = await objectsRefusedWith(refusal, refusal)
    .read(reference)
    .catch((reason: unknown) => reason)
  expect(error).toMatchObject({ reason: 'NotAllowed', message: expect.stringContaining('"/api/v1"') })
})
