// What `helm test` runs: deploys one resource over REST in an organization of its own, and deletes it.
const { GATEWAY_URL, TOKEN, ORGANIZATION } = process.env
const organization = `/orgs/${ORGANIZATION}`
const application = `${organization}/apps/shop`
const environment = `${application}/envs/trial`
const withinMs = Number(process.env.WITHIN_MS ?? 60_000)

await eventually('the administrator has access', async () => (await send('GET', `${organization}/apps`)).ok)
await call('POST', `${organization}/env-types`, { id: 'development' })
await call('POST', `${organization}/resources/defs`, {
  id: 'redis',
  name: 'Redis',
  type: 'redis',
  driver_type: 'quartermaster/echo',
  driver_inputs: { values: { host: 'redis.example.test', port: 6379 } },
  criteria: [{}],
})
await call('POST', `${organization}/apps`, {
  id: 'shop',
  name: 'Shop',
  env: { id: 'trial', name: 'Trial', type: 'development' },
})
const delta = await call('POST', `${application}/deltas`, {
  metadata: { env_id: 'trial' },
  modules: {
    add: {
      backend: {
        profile: 'quartermaster/default-module',
        spec: {},
        externals: { cache: { type: 'redis' } },
      },
    },
  },
})
const { id } = await call('POST', `${environment}/deploys`, { delta_id: delta.id, comment: 'helm test' })
await eventually(`deployment '${id}' succeeds`, async () => {
  const { status } = await call('GET', `${environment}/deploys/${id}`)
  if (status === 'failed') throw new Error(JSON.stringify(await call('GET', `${environment}/deploys/${id}/errors`)))
  return status === 'succeeded'
})
const resources = await call('GET', `${environment}/resources`)
const types = resources.map(({ type }) => type)
if (!types.includes('redis')) throw new Error(`the environment has no redis, only: ${types.join(', ')}`)
await call('DELETE', application)
await eventually('the application is gone', async () => (await send('GET', application)).status === 404)
console.log(`deployment '${id}' succeeded with ${types.join(', ')}; deleted`)

async function call(method, path, body) {
  const { ok, status, answer } = await send(method, path, body)
  if (!ok) throw new Error(`${method} ${path} was answered with ${status}: ${JSON.stringify(answer)}`)
  return answer
}

async function send(method, path, body) {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const response = await fetch(GATEWAY_URL + path, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  return { ok: response.ok, status: response.status, answer: text === '' ? undefined : JSON.parse(text) }
}

async function eventually(what, check) {
  const deadline = performance.now() + withinMs
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
