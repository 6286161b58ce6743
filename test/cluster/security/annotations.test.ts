import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { annotations } from '../../../operator/api/names.ts'
import { makeTestOrganization, type Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
let organization: Organization

beforeAll(async () => {
  organization = await makeTestOrganization(cluster, 'misspelt')
  await organization.application('shop')
})

/** What kubectl says on its error stream. */
function annotate(annotation: string): string {
  const args = [
    '-n',
    organization.id,
    'annotate',
    '--overwrite',
    'applications.quartermaster.dev',
    'shop',
    annotation,
  ]
  const { status, stderr } = spawnSync(cluster.kubectl, ['--kubeconfig', cluster.kubeconfigPath, ...args], {
    encoding: 'utf8',
  })
  expect(status).toBe(0)
  return stderr
}

describe('kubectl warns', () => {
  test('of an annotation that has no effect, and sets it', () => {
    const said = annotate('quartermaster.dev/detatch=true')
    annotate('quartermaster.dev/detatch-')
    expect(said).toMatch(
      /^Warning: .*the annotation 'quartermaster\.dev\/detatch' is not known, so it has no effect$/m,
    )
  })

  test('not of those of others', () => {
    expect(annotate('example.org/detatch=true')).toBe('')
  })
})

/** Those of objects of other kinds. */
const ofOtherObjects: ReadonlySet<string> = new Set([
  annotations.resource,
  annotations.descriptor,
  annotations.environment,
])

test.each(Object.values(annotations).filter((each) => !ofOtherObjects.has(each)))(
  'kubectl does not warn of %s',
  (name) => {
    const isPrefix = name === annotations.newSecret
    expect(annotate(`${name}${isPrefix ? '-0000' : ''}=true`)).toBe('')
  },
)
