import { expect, test } from '@jest/globals'
import { NewResources } from '../../../operator/controllers/shared/new-resources.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import { activeResource } from '../../support/builders.ts'

const resource = activeResource({ type: 's3', resourceId: 'shared.files' })
const key = keyOf(resource)

test('a resource is new once, after the answer to its creation', async () => {
  const resources = new NewResources()
  await resources.add(key, Promise.resolve(resource))
  expect(await resources.take(resource)).toBe(true)
  expect(await resources.take(resource)).toBe(false)
})

test('a resource that the watch reports before the answer arrives is new', async () => {
  const resources = new NewResources()
  const answer = Promise.withResolvers<typeof resource>()
  const added = resources.add(key, answer.promise)
  const isNew = resources.take(resource)
  answer.resolve(resource)
  expect(await isNew).toBe(true)
  await added
})

test('a resource of the same name that another process created meanwhile is not new', async () => {
  const resources = new NewResources()
  const answer = Promise.withResolvers<typeof resource>()
  const added = resources.add(key, answer.promise)
  const isNew = resources.take({ metadata: { ...resource.metadata, uid: 'another' } })
  answer.reject(new Error('AlreadyExists'))
  await expect(added).rejects.toThrow('AlreadyExists')
  expect(await isNew).toBe(false)
})
