import { describe, expect, test } from '@jest/globals'
import type { ProvisionRequest } from '../../operator/drivers/driver.ts'
import { createWorkload } from '../../operator/drivers/workload/driver.ts'
import { driverContract, moduleSettings, provisionRequest } from './support/contract.ts'

const workload = createWorkload(moduleSettings)

const params = {
  id: 'api',
  spec: {
    containers: {
      main: { variables: { URL: 'postgres://u:hunter2@db', HOST: 'db' }, args: ['-p', 'hunter2'] },
    },
    'a/b.json': 'hunter2',
  },
}
const secretParams = [
  '/spec/containers/main/variables/URL',
  '/spec/containers/main/args/1',
  '/spec/a~1b.json',
]

driverContract(workload, (changes) => provisionRequest('workload', { params, ...changes }))

test('a module without secrets is kept as it is', async () => {
  const { outputs } = await workload.provision(provisionRequest('workload', { params }))
  expect(outputs).toEqual({ values: params, secrets: {} })
})

test('texts with secrets are secret outputs, and are shown by reference', async () => {
  const { outputs } = await workload.provision(provisionRequest('workload', { params, secretParams }))
  const { values, secrets } = outputs
  expect(JSON.stringify(values)).not.toContain('hunter2')
  expect(Object.values(secrets)).toEqual(['postgres://u:hunter2@db', 'hunter2', 'hunter2'])
  const names = Object.keys(secrets)
  expect(values).toMatchObject({
    id: 'api',
    spec: {
      containers: {
        main: {
          variables: { URL: { secretOutput: names[0] }, HOST: 'db' },
          args: ['-p', { secretOutput: names[1] }],
        },
      },
      'a/b.json': { secretOutput: names[2] },
    },
  })
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9._-]+$/)
})

test('parts of pods that many schedules would repeat are refused before they are rendered', async () => {
  const schedules = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`s${i}`, { schedule: '0 4 * * *' }]),
  )
  const spec = { containers: { main: { image: 'api:1' } }, schedules }
  const job = { id: 'api', profile: 'quartermaster/default-cronjob', spec }
  const provisioned = (characters: number) => {
    const agent = { name: 'agent', image: 'agent:1', args: ['x'.repeat(characters)] }
    const parts = [{ guResId: 'a', names: [], descriptor: 'a', containers: [agent], volumes: [] }]
    return workload.provision(provisionRequest('workload', { params: job, parts }))
  }
  expect((await provisioned(1000)).objects).toHaveLength(301)
  await expect(provisioned(20_000)).rejects.toMatchObject({
    reason: 'TooLarge',
    message: expect.stringMatching(/^the schedules repeat \d+ characters of the pods 300 times/),
  })
})

describe('files fit when their ConfigMap can hold their bytes', () => {
  const mebibyte = 1_048_576
  const objectsOf = async (files: object) => {
    const spec = { containers: { main: { image: 'api:1', files } } }
    const { objects } = await workload.provision(
      provisionRequest('workload', { params: { id: 'api', spec } }),
    )
    return objects.map(({ kind }) => kind)
  }

  test.each<[rule: string, files: object]>([
    ['text that is longer as JSON', { '/a': { value: '"'.repeat(mebibyte) } }],
    ['binary content', { '/a': { binary_value: Buffer.alloc(mebibyte).toString('base64') } }],
    ['no content', { '/a': { value: '' } }],
  ])('%s', async (_, files) => {
    expect(await objectsOf(files)).toContain('ConfigMap')
  })
})

describe('a module is not rendered', () => {
  const moduleOf = (container: object) => ({
    id: 'api',
    spec: { containers: { main: { image: 'api:1', ...container } } },
  })
  const mounting = { params: moduleOf({ volume_mounts: { '/a': { id: 'externals.data' } } }) }
  const part = { guResId: 'a', names: ['externals.data'], descriptor: 'db', volumes: [], containers: [] }
  const volume = { name: 'data', emptyDir: {} }
  test.each<[rule: string, changes: Partial<ProvisionRequest>, reason: string, text: RegExp]>([
    [
      'with a problem',
      { params: moduleOf({ image: 'API 1' }) },
      'InvalidModule',
      /is not the name of an image/,
    ],
    [
      'without the volume of a dependency',
      { ...mounting, parts: [part] },
      'InvalidModule',
      /gives no volume/,
    ],
    [
      'with a mount of several volumes',
      { ...mounting, parts: [{ ...part, volumes: [volume, { ...volume, name: 'other' }] }] },
      'InvalidModule',
      /gives several volumes/,
    ],
    [
      'with a container of a dependency that has no image',
      { params: moduleOf({}), parts: [{ ...part, containers: [{ name: 'proxy' }] }] },
      'InvalidModule',
      /has no 'name' or no 'image'/,
    ],
    [
      'with a container of a dependency that has no name',
      { params: moduleOf({}), parts: [{ ...part, containers: [{ image: 'proxy:1' }] }] },
      'InvalidModule',
      /has no 'name' or no 'image'/,
    ],
    [
      'with variables that no Secret can hold',
      {
        params: moduleOf({ variables: { A: 'a'.repeat(600_000), B: 'b'.repeat(600_000) } }),
        secretParams: ['/spec/containers/main/variables/A', '/spec/containers/main/variables/B'],
      },
      'TooLarge',
      /the Secret 'api-secrets' would have 1200000 bytes/,
    ],
  ])('%s', async (_, changes, reason, text) => {
    await expect(workload.provision(provisionRequest('workload', changes))).rejects.toMatchObject({
      reason,
      message: expect.stringMatching(text),
    })
  })

  test('but with plain variables of any length', async () => {
    const variables = { A: 'a'.repeat(600_000), B: 'b'.repeat(600_000) }
    const request = provisionRequest('workload', { params: moduleOf({ variables }) })
    expect((await workload.provision(request)).objects).toHaveLength(2)
  })
})

test('the outputs are none when the definition says so, also without a secret', async () => {
  const values = { outputs: 'none' }
  const { outputs } = await workload.provision(provisionRequest('workload', { params, secretParams, values }))
  expect(outputs).toEqual({ values: {}, secrets: {} })
})
