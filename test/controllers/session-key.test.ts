import { createPrivateKey } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { KubeObject } from '../../operator/api/kind.ts'
import { sessionKeySecret } from '../../operator/api/names.ts'
import { ensureSessionKey } from '../../operator/controllers/session-key.ts'
import type { Cluster } from '../../operator/kube/cache/cluster.ts'
import { ApiError } from '../../operator/kube/client/api-error.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'

const fake = createFakeCluster()
let existing: KubeObject | undefined

beforeEach(() => {
  fake.reset()
  existing = undefined
})

/** The fake cluster with a client that knows the one Secret. */
const cluster = {
  ...fake,
  client: {
    async request() {
      if (existing) return existing
      throw new ApiError(404, 'NotFound', 'not found')
    },
  },
} as unknown as Cluster // nothing else of the client is used

describe('the key of sessions', () => {
  test('is an Ed25519 key in a Secret of the system namespace, made at the first start', async () => {
    await ensureSessionKey(cluster)
    const [secret] = fake.secrets
    expect(secret?.metadata).toMatchObject({
      name: 'quartermaster-session-key',
      namespace: 'quartermaster-system',
    })
    const content = (secret?.['stringData'] as Record<string, string> | undefined)?.[sessionKeySecret.key] // a Secret
    expect(createPrivateKey(content ?? '').asymmetricKeyType).toBe('ed25519')
  })

  test('stays as it is when it is there', async () => {
    existing = { apiVersion: 'v1', kind: 'Secret', metadata: { name: sessionKeySecret.name } }
    await ensureSessionKey(cluster)
    expect(fake.secrets).toEqual([])
  })

  test('may be made by another process at the same moment', async () => {
    fake.failNext('create Secret', new ApiError(409, 'AlreadyExists', 'already exists'))
    await ensureSessionKey(cluster)
    expect(fake.secrets).toEqual([])
  })
})
