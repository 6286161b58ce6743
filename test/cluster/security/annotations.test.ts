import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { annotations, labels } from '../../../operator/api/names.ts'
import { makeTestOrganization, type Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
let organization: Organization

beforeAll(async () => {
  organization = await makeTestOrganization(cluster, 'misspelt')
  await organization.application('shop')
})

const annotate = (annotation: string) =>
  saidOf([
    '-n',
    organization.id,
    'annotate',
    '--overwrite',
    'applications.quartermaster.dev',
    'shop',
    annotation,
  ])

const label = (text: string) => saidOf(['label', '--overwrite', 'namespace', organization.id, text])

/** What kubectl says on its error stream. */
function saidOf(args: readonly string[]): string {
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

  test('of a label of a namespace that has no effect, and sets it', () => {
    const said = label('quartermaster.dev/organisation=true')
    label('quartermaster.dev/organisation-')
    expect(said).toMatch(
      /^Warning: .*the label 'quartermaster\.dev\/organisation' is not known, so it has no effect$/m,
    )
  })

  test('not of those of others', () => {
    expect(annotate('example.org/detatch=true')).toBe('')
    expect(label('example.org/organisation=true')).toBe('')
  })
})

test.each([labels.organization, labels.accepts])('kubectl does not warn of the label %s', (name) => {
  expect(label(`${name}=${organization.id}`)).toBe('')
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
