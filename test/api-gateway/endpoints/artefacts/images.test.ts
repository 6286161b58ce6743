import { instanceOfImageBuildResponse, instanceOfImageResponse } from '@humanitec/autogen'
import { describe, expect, test } from '@jest/globals'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway()
const name = 'registry.example.com/shop/web'
const digest = `sha256:${'0f'.repeat(32)}`
const build = { image: `${name}:1.2.7`, branch: 'main', commit: '884bccaa', tags: ['v1'] }

const post = (body: object, id = 'web') => gateway.send(`POST /orgs/acme/images/${id}/builds`, { body })
const get = async (path: string) => (await gateway.send(`GET /orgs/acme/images${path}`)).body
const versions = async () => (await gateway.send('GET /orgs/acme/artefact-versions')).body

describe('a build of an image', () => {
  test('is a version of an artefact', async () => {
    expect((await post(build)).status).toBe(204)
    expect(await versions()).toMatchObject([
      { type: 'container', name, version: '1.2.7', ref: 'refs/heads/main', commit: '884bccaa' },
    ])
  })

  test('that is registered again adds nothing', async () => {
    for (let i = 0; i < 2; i += 1) await post(build)
    expect(await versions()).toHaveLength(1)
  })

  test.each<[rule: string, body: object, expected: object]>([
    ['of a tag', { image: 'web:1', tags: ['v1'] }, { version: '1', ref: 'refs/tags/v1' }],
    ['without a tag in its name has that of the commit', { image: 'web', tags: ['v2'] }, { version: 'v2' }],
    ['with a digest', { image: `web:1@${digest}` }, { version: '1', digest }],
    ['without a name has that of the path', { branch: 'main' }, { name: 'web', ref: 'refs/heads/main' }],
  ])('%s', async (_, body, expected) => {
    expect((await post(body)).status).toBe(204)
    expect(await versions()).toMatchObject([expected])
  })

  test.each<[rule: string, status: number, image: string, id: string]>([
    ['needs the name of an image in its path', 404, '', 'a%00b'],
    ['has no tag in its path', 404, '', 'web:1'],
    ['refuses what is no reference to an image', 400, 'Web:1', 'web'],
    ['refuses a digest that is none', 400, 'web@sha256:0f', 'web'],
  ])('%s', async (_, status, image, id) => {
    expect((await post({ image }, id)).status).toBe(status)
    expect(await versions()).toEqual([])
  })

  test.each<[field: string, longest: object, longer: object]>([
    ["'branch'", { branch: 'b'.repeat(244) }, { branch: 'b'.repeat(245) }],
    ["'tags.0'", { tags: ['t'.repeat(245)] }, { tags: ['t'.repeat(246)] }],
  ])('has the length of a reference at most in %s', async (field, longest, longer) => {
    const refused = await post({ image: 'web:1', ...longer })
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(field)])
    expect((await post({ image: 'web:1', ...longest })).status).toBe(204)
  })

  test('needs a commit in hexadecimal digits', async () => {
    expect((await post({ ...build, commit: 'none' })).status).toBe(400)
  })
})

describe('an image', () => {
  test('has its builds, under its name with and without the registry', async () => {
    await post(build)
    await post({ image: `${name}:1.2.8`, tags: ['v2'] })
    for (const id of ['/web', '/shop%2Fweb', `/${encodeURIComponent(name)}`]) {
      const image = await get(id)
      expect(instanceOfImageResponse(image)).toBe(true)
      expect(image).toMatchObject({ id: name, source: name })
      expect(image.builds.every(instanceOfImageBuildResponse)).toBe(true)
      expect(await get(`${id}/builds`)).toEqual(image.builds)
      expect(image.builds).toMatchObject([
        { image: `${name}:1.2.8`, branch: '', tags: ['v2'] },
        { image: `${name}:1.2.7`, branch: 'main', commit: '884bccaa', tags: [] },
      ])
    }
    expect(await get('')).toEqual([await get('/web')])
  })

  test('is the one of exactly this name, if there is one', async () => {
    await post(build)
    await post({ image: 'web:2' })
    expect((await get('/web')).id).toBe('web')
  })

  test('has no builds that are archived', async () => {
    await post(build)
    const [{ artefact_id, id }] = await versions()
    const path = `/orgs/acme/artefacts/${artefact_id}/versions/${id}`
    expect((await gateway.send(`PATCH ${path}`, { body: { archived: true } })).status).toBe(200)
    expect(await get('')).toEqual([])
  })

  test('without builds does not exist', async () => {
    for (const path of ['/web', '/web/builds'])
      expect((await gateway.send(`GET /orgs/acme/images${path}`)).status).toBe(404)
    expect(await get('')).toEqual([])
  })
})
