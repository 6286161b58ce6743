import { describe, expect, test } from '@jest/globals'
import { ArtefactVersion } from '../../../../operator/api/artefact-version.ts'
import { DeploymentSet } from '../../../../operator/api/deployment-set.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => addEnvironment(gateway))

const versions = '/orgs/acme/artefact-versions'
const web = {
  type: 'container',
  name: 'registry.example.com/shop/web',
  version: '1.2.7',
  ref: 'refs/heads/main',
  commit: '884bccaa807ea27cc1997a7492a3b6279fd7bd55',
  digest: `sha256:${'0f'.repeat(32)}`,
}
const workload = {
  type: 'workload',
  name: 'backend',
  image: 'registry.example.com/backend:1',
  spec: { apiVersion: 'score.dev/v1b1', metadata: { name: 'backend' }, containers: { main: { image: '.' } } },
}

async function register(body: object = {}) {
  const { status, body: answer } = await gateway.send(`POST ${versions}`, { body: { ...web, ...body } })
  expect(status).toBe(200)
  return answer
}
const idsOf = (list: { id: string }[]) => list.map(({ id }) => id)

describe('registering a version', () => {
  test('answers what was sent, with who registered it', async () => {
    expect(await register()).toEqual({
      ...web,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      artefact_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      archived: false,
      created_at: expect.any(String),
      created_by: 'admin',
      updated_at: expect.any(String),
      updated_by: 'admin',
    })
  })

  test('with the name alone gives empty texts, and no version', async () => {
    const { body } = await gateway.send(`POST ${versions}`, { body: { type: 'container', name: 'web' } })
    expect(body).toMatchObject({ ref: '', commit: '', digest: '' })
    expect(body).not.toHaveProperty('version')
  })

  test('again returns the same version, and writes nothing', async () => {
    const first = await register()
    const writes = gateway.cluster.writes.length
    expect(await register()).toEqual(first)
    expect(gateway.cluster.writes).toHaveLength(writes)
  })

  test('treats empty texts as absent', async () => {
    const first = await register({ commit: undefined })
    expect((await register({ commit: '' })).id).toBe(first.id)
  })

  test('with dry_run writes nothing', async () => {
    const writes = gateway.cluster.writes.length
    expect((await gateway.send(`POST ${versions}?dry_run=true`, { body: web })).status).toBe(204)
    expect(gateway.cluster.writes).toHaveLength(writes)
  })

  test.each<[rule: string, query: string, body: object, status: number]>([
    ['a reference of git begins with refs/', '', { ref: 'main' }, 400],
    ['and of another system with anything', '?vcs=svn', { ref: 'trunk' }, 200],
    ['a commit is hexadecimal', '', { commit: 'main' }, 400],
    ['a type is known', '', { type: 'chart' }, 400],
    ['a version is a tag', '', { version: '1.0+build' }, 400],
    ['and no placeholder', '', { version: '${values.TAG}' }, 400],
    ['a digest is that of an image', '', { digest: 'sha256:0f' }, 400],
    ['a name has no spaces', '', { name: 'a b' }, 400],
    ['a workload has a Score document', '', { type: 'workload' }, 400],
    ['a Score document is valid', '', { type: 'workload', spec: { apiVersion: 'score.dev/v1b1' } }, 400],
    ['a reference has a maximum length', '', { ref: `refs/${'a'.repeat(300)}` }, 400],
    ['a version with an error is not registered even in a dry run', '?dry_run=true', { ref: 'main' }, 400],
  ])('%s', async (_, query, body, status) => {
    const answer = await gateway.send(`POST ${versions}${query}`, { body: { ...web, ...body } })
    expect([answer.status, answer.body]).toEqual([status, expect.anything()])
  })
})

describe('the list of versions', () => {
  test.each<[rule: string, query: string, expected: string[]]>([
    ['omits archived ones, newest first', '', ['2', '1']],
    ['contains archived ones on request', '?archived=true', ['3', '2', '1']],
    ['can be of one name', '?name=registry.example.com/shop/web', ['2', '1']],
    ['can be of an unknown name', '?name=web', []],
    ['can be of one reference', '?reference=registry.example.com/shop/web:2', ['2']],
    ['can be of one type', '?type=workload', []],
    ['knows the type in the plural', '?type=containers', ['2', '1']],
    ['has pages', '?limit=1', ['2']],
  ])('%s', async (_, query, expected) => {
    await register({ version: '1' })
    await register({ version: '2' })
    const { id, artefact_id } = await register({ version: '3' })
    const path = `/orgs/acme/artefacts/${artefact_id}/versions/${id}`
    expect((await gateway.send(`PATCH ${path}`, { body: { archived: true } })).status).toBe(200)
    const { body } = await gateway.send(`GET ${versions}${query}`)
    expect(body.map(({ version }: { version: string }) => version)).toEqual(expected)
  })

  test('has versions of one second in the order of their numbers, also for one artefact', async () => {
    const { cluster } = gateway
    const artefact = await register({ version: '0' })
    for (const version of ['1.10', '1.9', '1.2']) {
      const { id } = await register({ version })
      const { spec } = cluster.store.get(ArtefactVersion, 'acme', id) as ArtefactVersion // just registered
      const metadata = { namespace: 'acme', name: id, creationTimestamp: '2050-01-01T00:00:00Z' }
      cluster.put(ArtefactVersion, newObject(ArtefactVersion, metadata, spec))
    }
    for (const path of [versions, `/orgs/acme/artefacts/${artefact.artefact_id}/versions`]) {
      const { body } = await gateway.send(`GET ${path}`)
      expect(body.map(({ version }: { version: string }) => version)).toEqual(['1.10', '1.9', '1.2', '0'])
    }
  })

  test('cannot be of a name and a reference', async () => {
    expect((await gateway.send(`GET ${versions}?name=a&reference=a:1`)).status).toBe(400)
  })

  test('can be of the images that an application runs', async () => {
    const { id } = await register()
    await register({ name: 'registry.example.com/shop/api' })
    const image = 'registry.example.com/shop/web:1'
    const modules = { web: { spec: { containers: { main: { image } } } } }
    const set = { applicationName: 'shop', modules, shared: {} }
    const { cluster } = gateway
    cluster.put(DeploymentSet, newObject(DeploymentSet, { namespace: 'acme', name: 'shop.one' }, set))
    cluster.setStatus(Environment, 'acme', 'shop.development', {
      lastPlanned: { deploymentName: 'shop.development.1', setName: 'shop.one' },
    })
    expect(idsOf((await gateway.send(`GET ${versions}?app=shop`)).body)).toEqual([id])
    expect((await gateway.send(`GET ${versions}?app=missing`)).status).toBe(404)
  })

  test('shows the images of an application to those alone who have a role on it', async () => {
    gateway.addUser('mo')
    gateway.addMember('acme', 'mo', { role: 'member' })
    for (const app of ['shop', 'missing'])
      expect((await gateway.send(`GET ${versions}?app=${app}`, { as: 'mo' })).status).toBe(403)
    expect((await gateway.send(`GET ${versions}`, { as: 'mo' })).status).toBe(200)
  })
})

describe('a version', () => {
  test('is found by its id', async () => {
    const version = await register()
    expect((await gateway.send(`GET ${versions}/${version.id}`)).body).toEqual(version)
    expect((await gateway.send(`GET ${versions}/missing`)).status).toBe(404)
  })

  test('is archived and restored, with who did it', async () => {
    const { id, artefact_id } = await register()
    const path = `/orgs/acme/artefacts/${artefact_id}/versions/${id}`
    expect((await gateway.send(`PATCH ${path}`, { body: { archived: true } })).body.archived).toBe(true)
    expect((await gateway.send(`PATCH ${path}`, { body: { archived: false } })).body.archived).toBe(false)
    const other = `/orgs/acme/artefacts/${'0'.repeat(36)}/versions/${id}`
    expect((await gateway.send(`PATCH ${other}`, { body: { archived: true } })).status).toBe(404)
  })

  test('of type workload gives its Score document and its module, and an image none', async () => {
    const { body } = await gateway.send(`POST ${versions}`, { body: workload })
    expect(body).not.toHaveProperty('digest')
    const document = await gateway.send(`GET ${versions}/${body.id}/workload-spec`)
    expect(document.body).toEqual(workload.spec)
    const set = await gateway.send(`GET ${versions}/${body.id}/workload-deployment-set`)
    expect(set.body.modules.backend.spec.containers.main.image).toBe(workload.image)
    const { id } = await register()
    for (const part of ['workload-spec', 'workload-deployment-set'])
      expect((await gateway.send(`GET ${versions}/${id}/${part}`)).status).toBe(400)
  })
})

describe('an artefact', () => {
  test('is all versions of one name and type', async () => {
    const first = await register({ version: '1' })
    await register({ version: '2' })
    await register({ name: 'registry.example.com/shop/api' })
    const { body } = await gateway.send('GET /orgs/acme/artefacts?name=registry.example.com/shop/web')
    expect(body).toEqual([
      expect.objectContaining({ id: first.artefact_id, name: web.name, type: 'container' }),
    ])
    expect((await gateway.send('GET /orgs/acme/artefacts?type=container')).body).toHaveLength(2)
    const list = await gateway.send(`GET /orgs/acme/artefacts/${first.artefact_id}/versions?limit=20`)
    expect(list.body.map(({ version }: { version: string }) => version)).toEqual(['2', '1'])
  })

  test('is deleted with its versions', async () => {
    const { id, artefact_id } = await register()
    expect((await gateway.send(`DELETE /orgs/acme/artefacts/${artefact_id}`)).status).toBe(204)
    expect((await gateway.send(`GET ${versions}/${id}`)).status).toBe(404)
    expect((await gateway.send(`DELETE /orgs/acme/artefacts/${artefact_id}`)).status).toBe(404)
  })
})
