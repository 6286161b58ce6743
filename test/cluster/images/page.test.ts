import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from '@jest/globals'
import type { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { makeTestOrganization, type Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const run = promisify(execFile)
const cluster = sharedCluster()
const page = readFileSync(join(import.meta.dirname, '../../../docs/images.md'), 'utf8')
const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, text = '']) => text)
let organization: Organization

beforeAll(async () => {
  organization = await makeTestOrganization(cluster, 'page')
  await organization.application('shop')
  await organization.environment('shop', 'staging')
  await organization.define('workload', {
    type: 'workload',
    driverType: 'quartermaster/echo',
    criteria: [{}],
  })
  const containers = { main: { image: 'registry.example.com/shop/web:1.2.6' } }
  await organization.deploy('shop.staging', { modules: { web: { spec: { containers } } } })
})

test('the commands of docs/images.md work, one after the other', async () => {
  expect(blocks.length).toBeGreaterThan(4)
  const env = {
    PATH: [dirname(cluster.kubectl), process.env.PATH].join(delimiter),
    KUBECONFIG: cluster.kubeconfigPath,
    HOME: cluster.directory, // kubectl keeps a cache in it
    GATEWAY_URL: cluster.gatewayUrl,
    TOKEN: cluster.adminToken,
  }
  for (const block of blocks) {
    const script = block.replaceAll(/\bacme\b/g, organization.id)
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { env })
    expect(stdout).not.toBe('')
    expect(stdout).not.toContain('not-to-be-seen')
  }
  const [version] = await organization.list<ArtefactVersion>('artefactversions')
  expect(version?.status?.environments).toMatchObject([
    { environmentName: 'shop.staging', outcome: 'Deployed' },
  ])
})
