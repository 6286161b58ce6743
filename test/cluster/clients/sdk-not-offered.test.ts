import { beforeAll, expect, test } from '@jest/globals'
import { makeWalker, type Walker } from './client-steps.ts'

const env = '~/apps/shop/envs/development'
const version = '~/resources/defs/redis/versions/one'
let walker: Walker

beforeAll(async () => {
  walker = await makeWalker('sdk humanitec-ts-autogen/latest')
  await walker.send('POST ~/apps', { id: 'shop', name: 'Shop' })
})

test.each([
  ['restoring values', 'POST ~/apps/shop/value-set-versions/one/restore'],
  ['restoring a value', `POST ${env}/value-set-versions/one/restore/KEY`],
  ['purging a value', 'POST ~/apps/shop/value-set-versions/one/purge/KEY'],
  ['promoting a version of a definition', `POST ${version}/actions/promote`],
  ['archiving a version of a definition', `POST ${version}/actions/archive`],
  ['pinning an active resource to a version', `POST ${env}/resources/redis/shared.cache/actions/pin`],
  ['logs, which kubectl shows', `GET ${env}/logs`],
  ['groups', 'POST ~/groups'],
  ['groups of a user', 'GET ~/users/admin/groups'],
  ['invitations', 'GET ~/invitations'],
  ['pipelines', 'GET ~/apps/shop/pipelines'],
  ['runs of pipelines', 'GET ~/apps/shop/pipelines/default/runs'],
  ['agents', 'GET ~/agents'],
  ['keys', 'GET ~/keys'],
])('%s: not offered, 404 with the error object', async (_, request) => {
  const body = request.startsWith('POST') ? {} : undefined
  const error = { error: 'NotFound', message: expect.any(String) }
  expect(await walker.send(request, body)).toEqual({ status: 404, body: error })
})

test('the graph of an id that no answer gave: 404', async () => {
  const error = { error: 'NotFound', message: expect.any(String) }
  expect(await walker.send(`GET ${env}/resources/graphs/one`)).toEqual({ status: 404, body: error })
})
