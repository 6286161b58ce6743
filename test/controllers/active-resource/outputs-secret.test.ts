import { describe, expect, test } from '@jest/globals'
import { apiVersion } from '../../../operator/api/names.ts'
import { writeOutputsSecret } from '../../../operator/controllers/active-resource/outputs.ts'
import { Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import { activeResource } from '../../support/builders.ts'
import { createFakeObjects } from '../support/fake-objects.ts'

const resource = activeResource({ type: 'redis', resourceId: 'shared.main' }, {}, { uid: 'uid-new' })
const { name: guResId, namespace } = resource.metadata
const name = `${guResId}-outputs`
const secrets = { password: 'canary' }

/** A Secret of that name, with these owner references. */
function world(metadata: object) {
  const objects = createFakeObjects()
  objects.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, ...metadata }, data: {} })
  return objects
}
const ownedBy = (owner: string, uid: string) => ({
  ownerReferences: [{ apiVersion, kind: 'ActiveResource', name: owner, uid }],
})
const ownerOf = (objects: ReturnType<typeof world>) =>
  objects.get('Secret', name)?.metadata.ownerReferences?.[0]?.uid

describe('the Secret of the outputs, when something has its name', () => {
  test('overwrites the Secret of an earlier resource of the same GUResID', async () => {
    const objects = world(ownedBy(guResId, 'uid-old'))
    const written = await writeOutputsSecret(resource, secrets, objects.open())
    expect(written).toEqual({ outputsSecretName: name, outputsSecretVersion: expect.any(String) })
    expect(ownerOf(objects)).toBe('uid-new')
    expect(objects.log).toEqual([`remove Secret ${name}`, `apply Secret ${name}`])
  })

  test('waits while that cannot go yet', async () => {
    const objects = world({ ...ownedBy(guResId, 'uid-old'), finalizers: ['example.org/hold'] })
    await expect(writeOutputsSecret(resource, secrets, objects.open())).rejects.toThrow(Waiting)
    expect(ownerOf(objects)).toBe('uid-old')
  })

  test.each([
    ['no owner', {}],
    ['another resource', ownedBy('other', 'uid-other')],
  ])('does not change a Secret of %s', async (_, metadata) => {
    const objects = world(metadata)
    await expect(writeOutputsSecret(resource, secrets, objects.open())).rejects.toThrow(Stalled)
    expect(objects.log).toEqual([])
  })

  test('is created without a look when nothing has', async () => {
    const objects = createFakeObjects()
    const read = async () => {
      throw new Error('not expected')
    }
    const written = await writeOutputsSecret(resource, secrets, { ...objects.open(), read })
    expect(written).toEqual({ outputsSecretName: name, outputsSecretVersion: expect.any(String) })
    expect(ownerOf(objects)).toBe('uid-new')
    expect(objects.log).toEqual([`create Secret ${name}`])
  })

  test('loses keys of other clients, and is not written again when it is as it should be', async () => {
    const objects = world(ownedBy(guResId, 'uid-new'))
    objects.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      data: { other: '' },
    })
    const known = { ...resource, status: { outputsSecretName: name } }
    const written = await writeOutputsSecret(known, secrets, objects.open())
    expect(Object.keys(objects.get('Secret', name)?.data ?? {})).toEqual(['password'])
    expect(await writeOutputsSecret(known, secrets, objects.open())).toEqual(written)
  })

  test('is created again when another client deleted it', async () => {
    const objects = createFakeObjects()
    await writeOutputsSecret({ ...resource, status: { outputsSecretName: name } }, secrets, objects.open())
    expect(objects.log).toEqual([`apply Secret ${name}`])
  })

  test('is deleted when no output is secret any more', async () => {
    const objects = world(ownedBy(guResId, 'uid-new'))
    const known = { ...resource, status: { outputsSecretName: name } }
    expect(await writeOutputsSecret(known, {}, objects.open())).toEqual({})
    expect(objects.log).toEqual([`remove Secret ${name}`])
  })

  test('stays when it is its own', async () => {
    const objects = world(ownedBy(guResId, 'uid-new'))
    const written = await writeOutputsSecret(resource, secrets, objects.open())
    expect(written).toEqual({ outputsSecretName: name, outputsSecretVersion: expect.any(String) })
    expect(objects.log).toEqual([`merge Secret ${name}`])
  })
})
