import type { Organization } from '../support/client.ts'

/** A write over REST, and how to see by the API server that all of it is there. */
export interface Write {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
  /** Whether it makes something that must not be there yet. */
  readonly isNew?: boolean
  isThere(): Promise<boolean>
}

type Found = { readonly spec: Record<string, any> } // oxlint-disable-line typescript/no-explicit-any -- of many kinds

/** The objects that the changes of every round need. */
export async function prepareWrites(organization: Organization): Promise<void> {
  await organization.application('shop')
  await organization.environment('shop', 'dev')
  await organization.define('changed', {
    type: 's3',
    driverType: 'quartermaster/echo',
    driverInputs: { values: {} },
  })
}

/** The writes of a round, each on a separate object; `round` is unique in the organization. */
export async function writesOf(organization: Organization, round: string): Promise<Write[]> {
  const id = (what: string) => `${what}-${round}`
  const secret = (what: string) => `secret of ${what} ${round}`
  const spec = async (plural: string, name: string) => (await organization.get<Found>(plural, name))?.spec
  const holds = (name: unknown, content: object) => holdsExactly(organization, name, content)
  await organization.apply('environmenttypes', 'EnvironmentType', id('doomed'), {})
  return [
    {
      method: 'POST',
      isNew: true,
      path: '/apps',
      body: { id: id('app'), name: 'App', env: { id: 'first', name: 'First', type: 'development' } },
      isThere: async () =>
        (await spec('applications', id('app')))?.displayName === 'App' &&
        (await spec('environments', `${id('app')}.first`))?.typeName === 'development',
    },
    {
      method: 'POST',
      isNew: true,
      path: '/apps/shop/envs',
      body: { id: id('env'), name: 'Env', type: 'production' },
      isThere: async () => (await spec('environments', `shop.${id('env')}`))?.typeName === 'production',
    },
    {
      method: 'POST',
      isNew: true,
      path: '/resources/accounts',
      body: { id: id('account'), name: 'Account', type: 'any', credentials: { token: secret('account') } },
      isThere: async () =>
        holds((await spec('resourceaccounts', id('account')))?.credentialsSecretName, {
          token: secret('account'),
        }),
    },
    {
      method: 'POST',
      isNew: true,
      path: '/resources/defs',
      body: {
        id: id('definition'),
        name: 'Definition',
        type: 'postgres',
        driver_type: 'quartermaster/echo',
        driver_inputs: { values: { host: id('host') }, secrets: { password: secret('definition') } },
        criteria: [{ env_id: id('env') }],
      },
      async isThere() {
        const { driverInputs, criteria } = (await spec('resourcedefinitions', id('definition'))) ?? {}
        const reference = driverInputs?.secretRefs?.password
        return (
          driverInputs?.values?.host === id('host') &&
          criteria?.[0]?.envId === id('env') &&
          (await holds(reference?.secret, { [String(reference?.key)]: secret('definition') }))
        )
      },
    },
    {
      method: 'POST',
      isNew: true,
      path: '/apps/shop/values',
      body: { key: `KEY_${round}`, description: '', is_secret: true, value: secret('value') },
      async isThere() {
        const all = await organization.list<Found>('sharedvalues')
        const found = all.find((each) => each.spec.key === `KEY_${round}`)
        return holds(found?.spec.secret?.secret, { [String(found?.spec.secret?.key)]: secret('value') })
      },
    },
    {
      method: 'POST',
      isNew: true,
      path: '/apps/shop/deltas',
      body: {
        metadata: { name: id('delta') },
        modules: { add: { web: { spec: { round }, externals: {} } } },
      },
      async isThere() {
        const all = await organization.list<Found>('deploymentdeltas')
        return all.some(({ spec: each }) => JSON.stringify(each).includes(`"round":"${round}"`))
      },
    },
    {
      method: 'POST',
      isNew: true,
      path: '/apps/shop/envs/dev/deploys',
      body: { comment: id('deployment') },
      async isThere() {
        const all = await organization.list<Found>('environmentdeployments')
        return all.some(({ spec: each }) => each.comment === id('deployment'))
      },
    },
    {
      method: 'PATCH',
      path: '/resources/defs/changed',
      body: {
        name: 'Changed',
        driver_inputs: { values: { host: id('host') }, secrets: { key: secret('change') } },
      },
      async isThere() {
        const { driverInputs } = (await spec('resourcedefinitions', 'changed')) ?? {}
        const reference = driverInputs?.secretRefs?.key
        return (
          driverInputs?.values?.host === id('host') &&
          (await holds(reference?.secret, { [String(reference?.key)]: secret('change') }))
        )
      },
    },
    {
      method: 'DELETE',
      path: `/env-types/${id('doomed')}`,
      // Deleted, or being deleted: the operator that removes the finalizer may be the killed process.
      async isThere() {
        const found = await organization.get('environmenttypes', id('doomed'))
        return found === undefined || found.metadata.deletionTimestamp !== undefined
      },
    },
  ]
}

/** Whether a Secret of the organization holds exactly this. */
async function holdsExactly(organization: Organization, secret: unknown, content: object): Promise<boolean> {
  const path = `/api/v1/namespaces/${organization.id}/secrets/${String(secret)}`
  const { status, body } = await organization.kube<{ data: Record<string, string> }>('GET', path)
  if (status !== 200) return false
  const plain = Object.entries(body.data).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64').toString(),
  ])
  return JSON.stringify(Object.fromEntries(plain)) === JSON.stringify(content)
}
