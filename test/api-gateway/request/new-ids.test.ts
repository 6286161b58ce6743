import { describe, expect, test } from '@jest/globals'
import { addEnvironment } from '../support/objects.ts'
import { setUpGateway } from '../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const org = '/orgs/acme'
const driver = { type: 's3', target: 'https://example.com', inputs_schema: {}, account_types: [] }
const bodies: Readonly<Record<string, object>> = {
  [`${org}/resources/defs`]: { name: 'A', type: 's3', driver_type: 'quartermaster/echo' },
  [`${org}/resources/accounts`]: { name: 'A', type: 'local', credentials: {} },
  [`${org}/registries`]: { registry: 'r.test', type: 'public' },
  [`${org}/apps/shop/webhooks`]: { url: 'example.com' },
}
const withWords: Readonly<Record<string, object>> = {
  [`${org}/resources/drivers`]: driver,
  [`${org}/apps`]: { name: 'A' },
  [`${org}/apps/shop/envs`]: { name: 'A' },
  [`${org}/env-types`]: {},
}

const create = (path: string, id: string) =>
  gateway.send(`POST ${path}`, { body: { id, ...(bodies[path] ?? withWords[path]) } })

describe('an id that is no part of the name of a namespace, type or driver may have several hyphens together', () => {
  test.each(Object.keys(bodies))('%s', async (path) => {
    expect((await create(path, 'tf--a---b')).body).toMatchObject({ id: 'tf--a---b' })
    expect((await gateway.send(`GET ${path}/tf--a---b`)).status).toBe(200)
  })

  test.each(Object.keys(withWords))('%s: one that is, may not', async (path) => {
    expect((await create(path, 'tf--a')).status).toBe(400)
    expect((await create(path, 'tf-a')).status).toBeLessThan(300)
  })
})

describe('no id begins or ends with a hyphen, or has another character', () => {
  const paths = Object.keys({ ...bodies, ...withWords })
  test.each(paths.flatMap((path) => ['-a1', 'a1-', '--', 'A1', 'a.b', 'a_b'].map((id) => [path, id])))(
    '%s: %s',
    async (path, id) => {
      const { status, body } = await create(path, id)
      expect([status, body.message]).toEqual([
        400,
        expect.stringContaining("'id' must have only lower-case letters"),
      ])
    },
  )
})
