import { expect } from '@jest/globals'
import { hostileText } from '../../support/portal-texts.ts'
import type { CanaryClient } from '../security/canary-client.ts'
import { moduleWith, type Organization } from '../support/client.ts'
import type { ParameterValues } from './page-addresses.ts'

/** A text that a user controls. */
export interface PlantedText {
  /** A word in the text by which it is found. */
  readonly mark: string
  /** Whether a page is known to show it. */
  readonly isShown: boolean
}

/** An organization with hostile texts in everything that takes a text. */
export interface HostileOrganization {
  readonly texts: readonly PlantedText[]
  readonly parameters: ParameterValues
  /** Further addresses: pages with something selected, and addresses that are hostile themselves. */
  readonly addresses: readonly string[]
}

const json = { 'content-type': 'application/merge-patch+json' }['content-type']
const echo = 'quartermaster/echo'
const app = '/apps/shop'

/** Plants hostile texts; the organization has the application `shop` with the environments `works` and `broken`. */
export async function plantHostileTexts(
  client: CanaryClient,
  gateway: { readonly gatewayUrl: string; readonly adminToken: string },
): Promise<HostileOrganization> {
  const { organization } = client
  const texts: PlantedText[] = []
  /** A text for a place; a text that a page is known to show has to be seen there. */
  const text = (mark: string, { maxLength = 1000, isShown = true } = {}) => {
    texts.push({ mark, isShown })
    return hostileText(mark, maxLength)
  }
  const hidden = (mark: string, maxLength = 1000) => text(mark, { maxLength, isShown: false })
  const send = (operation: string, body?: unknown) => sendTo(organization, operation, body)
  await nameEverything(organization, text, hidden)
  const type = await defineType(organization, text)
  await plantManagedObjects(organization, text, hidden)
  const user = await send('POST /users', { name: text('user-name'), role: 'member' })
  await fetch(`${gateway.gatewayUrl}/users/${user.id}/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'night', description: text('token-description') }),
  })
  // Refused requests are in the audit log with their paths.
  await organization.rest(
    'DELETE',
    `${app}/values/${encodeURIComponent(text('audit-path', { maxLength: 200 }))}`,
  )
  await define(organization, text)
  const resources = await deploy(organization, client, text)
  const failed = await failDeployment(organization, text)
  const root = `/o/${organization.id}`
  const environment = `${root}${app}/envs/works`
  const odd = encodeURIComponent(hostileText('address', 200))
  return {
    texts,
    addresses: [
      ...resources.map((id) => `${environment}/graph?resource=${id}`),
      `${environment}/resources?resource=${resources[0]}&find=s3`,
      `${environment}/resources?find=${odd}`,
      `${root}${app}/envs/broken/deployments/${failed}`,
      `${root}/types?type=${encodeURIComponent(type)}`,
      `${root}/definitions/${odd}`,
      `/o/${odd}`,
    ],
    parameters: {
      org: [organization.id],
      app: ['shop'],
      env: ['works', 'broken'],
      deploy: ['shop.works.1'],
      def: ['hostile', 'failing', 'secretive'],
      user: [user.id],
      type: [type],
      account: ['hostile'],
      driver: ['hostile'],
      webhook: ['hostile'],
    },
  }
}

type TextFor = (mark: string, options?: { readonly maxLength?: number; readonly isShown?: boolean }) => string
type HiddenText = (mark: string, maxLength?: number) => string

async function sendTo({ rest }: Organization, operation: string, body?: unknown) {
  const [method = '', path = ''] = operation.split(' ')
  const answer = await rest(method, path, body)
  expect([operation, answer.status < 300, answer.body]).toEqual([operation, true, answer.body])
  return answer.body
}

async function nameEverything(organization: Organization, text: TextFor, hidden: HiddenText): Promise<void> {
  const annotations = { 'quartermaster.dev/display-name': hidden('organization-name', 200) }
  await organization.kube(
    'PATCH',
    `/api/v1/namespaces/${organization.id}`,
    { metadata: { annotations } },
    json,
  )
  await sendTo(organization, `PATCH ${app}`, { name: text('application-name') })
  await sendTo(organization, `PATCH ${app}/envs/works`, { name: text('environment-name') })
  await sendTo(organization, 'PATCH /env-types/development', { description: hidden('type-description') })
}

/** A type whose schemas carry hostile texts in every keyword that the portal reads. */
async function defineType(organization: Organization, text: TextFor): Promise<string> {
  const type = `${organization.id}/hostile`
  const fieldsOf = (place: string) => ({
    one: { type: 'string', title: text(`${place}-title`), description: text(`${place}-description`) },
    two: { enum: [text(`${place}-enum`), 'b'], uiHints: { group: 'g', order: '<b>', width: '<b>' } },
    three: { type: 'string', default: text(`${place}-default`) },
    [text(`${place}-key`, { maxLength: 300 })]: { type: 'boolean' },
  })
  await sendTo(organization, 'POST /resources/types', {
    type,
    use: 'direct',
    name: text('type-name'),
    category: text('type-category', { maxLength: 63 }),
    inputs_schema: { type: 'object', properties: fieldsOf('input') },
    outputs_schema: {
      type: 'object',
      properties: {
        values: {
          type: 'object',
          properties: fieldsOf('output'),
          uiGroups: { g: { title: text('group-title'), type: 'row', section: '<i>', order: '<i>' } },
        },
      },
    },
  })
  return type
}

async function plantManagedObjects(
  organization: Organization,
  text: TextFor,
  hidden: HiddenText,
): Promise<void> {
  const account = { id: 'hostile', name: text('account-name'), type: 'any', credentials: { key: 'x' } }
  await sendTo(organization, 'POST /resources/accounts', account)
  await sendTo(organization, 'POST /resources/drivers', {
    id: 'hostile',
    type: 's3',
    target: 'https://driver.example.test/%22%3E%3Csvg%20onload=1%3E',
    account_types: [text('account-type', { maxLength: 63 })],
    inputs_schema: { type: 'object', title: hidden('driver-title') },
  })
  await sendTo(organization, `POST ${app}/values`, {
    key: 'HOSTILE',
    description: text('value-description', { maxLength: 4000 }),
    value: text('value'),
  })
  await sendTo(organization, `POST ${app}/webhooks`, {
    id: 'hostile',
    url: 'hooks.example.com/"><svg/onload=window.hacked=1>?javascript:window.hacked=1',
    headers: { 'x-text': 'javascript:window.hacked=1 <b>webhook-header</b>' },
    payload: { text: text('webhook-payload') },
  })
  await sendTo(organization, `POST ${app}/deltas`, {
    metadata: { env_id: 'works', name: hidden('delta-name') },
  })
}

async function define(organization: Organization, text: TextFor): Promise<void> {
  await organization.define('hostile', {
    type: 's3',
    displayName: text('definition-name'),
    driverType: echo,
    driverInputs: { values: { bucket: text('output-value'), region: 'eu', [text('output-name')]: 1 } },
    criteria: [{ appId: 'shop' }],
  })
  await organization.define('other', {
    type: 's3',
    driverType: echo,
    criteria: [
      { resId: text('criterion', { maxLength: 253 }) },
      { envType: text('criterion-type', { maxLength: 63 }) },
    ],
  })
  await organization.define('failing', {
    type: 'redis',
    driverType: 'quartermaster/template',
    driverInputs: {
      values: { templates: { outputs: '{{ fail .driver.values.text }}' }, text: text('status-message') },
    },
    criteria: [{}],
  })
  await organization.define('workload', { type: 'workload', driverType: echo, criteria: [{}] })
}

/** Deploys resources with secrets, and one that fails; the IDs of the resources. */
async function deploy(organization: Organization, { of }: CanaryClient, text: TextFor): Promise<string[]> {
  await organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
    metadata: { name: 'output' },
    stringData: { password: of('secret output') },
  })
  await organization.define('secretive', {
    type: 'postgres',
    driverType: echo,
    driverInputs: {
      values: { host: 'db' },
      secretRefs: { password: { secret: 'output', key: 'password' } },
    },
    criteria: [{}],
  })
  await organization.untilRest('/resources/defs', (list) => list.length >= 5)
  const variables = { PASSWORD: '${externals.db.password}', TOKEN: '${values.TOKEN}' }
  const image = `registry.example.com/web:1 ${text('image')}`
  const spec = { containers: { main: { id: 'main', image, variables } } }
  const modules = {
    web: moduleWith({ files: { type: 's3' }, db: { type: 'postgres' }, cache: { type: 'redis' } }, spec),
  }
  const delta = await sendTo(organization, `POST ${app}/deltas`, { modules: { add: modules } })
  await sendTo(organization, `POST ${app}/envs/works/deploys`, {
    delta_id: delta.id,
    comment: text('comment', { maxLength: 4000 }),
  })
  const list: Listed[] = await organization.untilRest(`${app}/envs/works/resources`, (all: Listed[]) =>
    all.some(({ status_message: message = '' }) => message.includes('status-message')),
  )
  return list.map(({ gu_res_id }) => gu_res_id)
}

interface Listed {
  readonly gu_res_id: string
  readonly status_message?: string
}

/** Deploys, as GitOps tools do, what has problems that quote the texts of users. */
async function failDeployment(organization: Organization, text: TextFor): Promise<string> {
  const external = { type: text('dependency-type', { maxLength: 400 }) }
  const module = moduleWith({ [text('dependency-name', { maxLength: 400 })]: external })
  const { metadata } = await organization.deploy('shop.broken', { modules: { web: module } })
  return metadata.name
}
