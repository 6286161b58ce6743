import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { apiCall } from '../../dev/control-plane/kubernetes.ts'
import { renderManifests } from '../../dev/manifests.ts'
import { kinds } from '../../operator/api/kinds.ts'
import { group } from '../../operator/api/names.ts'
import { sample, sampleDeployment, samplePath, startEmptyCluster } from './cluster.ts'
import { chart, render, systemNamespace } from './support.ts'

const crdsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const crdPath = `${crdsPath}/applications.quartermaster.dev`
const { controlPlane, directory, release, install, read, exists, kubectl } = await startEmptyCluster()
afterAll(() => controlPlane.stop())

describe('the phases of a release', () => {
  let uid = ''
  beforeAll(async () => {
    await install()
    uid = (await read(sampleDeployment)).metadata.uid
  })

  test('an older version than the kinds in the cluster is refused, also in a rollback', async () => {
    const next = join(directory, 'newer')
    await cp(chart, next, { recursive: true })
    const file = join(next, 'Chart.yaml')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replaceAll(/^(version|appVersion): .*$/gm, '$1: 99.1.0'))
    await release('upgrade', next)
    const isRefused = 'the kinds of version 99.1.0'
    await expect(release('upgrade', chart)).rejects.toThrow(isRefused)
    await expect(release('rollback', '1')).rejects.toThrow(isRefused)
    const kindsOnly = await readFile(join(chart, 'files/crds.yaml'), 'utf8')
    await expect(kubectl(kindsOnly, 'apply', '--server-side', '--force-conflicts')).rejects.toThrow(isRefused)
    const { labels = {} } = (await read(crdPath)).metadata
    expect(labels['app.kubernetes.io/version']).toBe('99.1.0')
    // For the next tests: a kind without a version may get every version.
    const withoutVersion = { metadata: { labels: { 'app.kubernetes.io/version': null } } }
    for (const { plural } of kinds) {
      const path = `${crdsPath}/${plural}.${group}`
      await apiCall(controlPlane, 'PATCH', path, withoutVersion, 'application/merge-patch+json')
    }
    await release('upgrade', chart)
  })

  test('an upgrade changes the kinds and leaves the objects', async () => {
    const { generation = 0 } = (await read(crdPath)).metadata
    const next = join(directory, 'next')
    await cp(chart, next, { recursive: true })
    const file = join(next, 'files/crds.yaml')
    const crds = await readFile(file, 'utf8')
    await writeFile(file, crds.replaceAll('maxLength: 1024', 'maxLength: 2048'))
    await release('upgrade', next)
    expect(crds).toContain('maxLength: 1024')
    expect(JSON.stringify(await read(crdPath))).toContain('"maxLength":2048')
    expect((await read(crdPath)).metadata.generation).toBe(generation + 1)
    expect((await read(sampleDeployment)).metadata.uid).toBe(uid)
  })

  test('an upgrade completes the sample, and leaves what was changed in it', async () => {
    const application = `${samplePath}/applications/shop`
    const renamed = { spec: { displayName: 'Mine' } }
    await apiCall(controlPlane, 'PATCH', application, renamed, 'application/merge-patch+json')
    const type = `${samplePath}/environmenttypes/development`
    await apiCall(controlPlane, 'DELETE', type)
    await release('upgrade', chart, ...sample)
    expect((await read(application)).spec).toMatchObject(renamed.spec)
    expect(await exists(type)).toBe(true)
  })

  test('an uninstallation keeps the kinds, all objects and the sample, and nothing else', async () => {
    await release('uninstall')
    expect(await exists(crdPath)).toBe(true)
    expect((await read(sampleDeployment)).metadata.uid).toBe(uid)
    const installed = await render()
    const left = await Promise.all(
      installed
        .filter(({ kind, metadata }) => kind !== 'CustomResourceDefinition' && !metadata.annotations)
        .map(async (manifest) => {
          const answer = await kubectl(JSON.stringify(manifest), 'get', '--ignore-not-found', '-o', 'name')
          return answer.trim()
        }),
    )
    expect(left.filter(Boolean)).toEqual([])
  })

  test('a second installation adopts the kinds and leaves the sample alone', async () => {
    await install()
    expect((await read(sampleDeployment)).metadata.uid).toBe(uid)
    expect(JSON.stringify(await read(crdPath))).toContain('"maxLength":1024')
    await release('uninstall')
  })

  test('without Helm, one file installs the same, and applying it again changes nothing', async () => {
    const text = await renderManifests()
    await kubectl(text, 'apply', '--server-side')
    const versions = async () => {
      return kubectl(
        text,
        'get',
        '-o',
        'jsonpath={range .items[*]}{.metadata.uid} {.metadata.generation}{"\\n"}{end}',
      )
    }
    const before = await versions()
    await kubectl(text, 'apply', '--server-side')
    expect(await versions()).toBe(before)
    expect(
      await exists(`/apis/apps/v1/namespaces/${systemNamespace}/deployments/quartermaster-operator`),
    ).toBe(true)
  })
})
