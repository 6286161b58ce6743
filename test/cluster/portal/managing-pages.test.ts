import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import { hostileTexts } from '../../support/portal-texts.ts'
import { eventually, type Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { makeManagedOrganization } from './managed-organization.ts'
import { expectSoundPage, visit } from './visitor.ts'

const cluster = sharedCluster()
const canary = 'canary-3b8e44d9a0'
const hostile = hostileTexts.join(' ')
let browser: Browser
let organization: Organization

beforeAll(async () => {
  browser = await openBrowser()
  organization = await makeManagedOrganization(cluster, 'portal-pages')
})
afterAll(() => browser.close())

const pages = [
  ['a new definition', '/definitions?new', 'New definition'],
  ['criteria', '/definitions/any-bucket?edit=criteria', 'Criteria of any-bucket'],
  ['a deletion', '/definitions/any-bucket?edit=delete', 'Delete any-bucket'],
  ['a new service user', '/users?new', 'New service user'],
  ['roles', '/users/ROBOT/roles', 'Roles of ROBOT'],
  ['webhooks', '/apps/shop/webhooks', 'Webhooks of shop'],
  ['a new webhook', '/apps/shop/webhooks?new', 'New webhook of shop'],
  ['a webhook', '/apps/shop/webhooks/ORG-hook', 'Webhook ORG-hook'],
  ['values of an application', '/apps/shop/values', 'Shared values of shop'],
  ['values of an environment', '/apps/shop/envs/staging/values', 'Shared values of shop staging'],
  ['a new value', '/apps/shop/values?new', 'New shared value of shop'],
  ['a secret value', '/apps/shop/values?edit=PASSWORD', 'Shared value PASSWORD of shop'],
  ['a built-in type', '/types?type=s3', 'Type s3'],
  ['a new type', '/types?new', 'New type'],
  ['a type of the organization', '/types?type=ORG%2Fshown', 'Type ORG/shown'],
  ['types', '/types', 'Types of ORG'],
  ['accounts', '/accounts', 'Accounts of ORG'],
  ['users', '/users', 'Users of ORG'],
  ['a new account', '/accounts?new', 'New account'],
  ['an account', '/accounts?account=shown', 'Account shown'],
  ['a new driver', '/drivers?new', 'New driver'],
] as const

/** Creates what the pages show, with texts that would run a script as markup; returns the ID of a service user. */
async function createShown(): Promise<string> {
  const create = async (path: string, body: object) => {
    const answer = await organization.rest('POST', path, body)
    expect({ path, problem: answer.status < 300 ? undefined : answer.body }).toEqual({ path })
    return answer.body
  }
  const credentials = { token: canary }
  await create('/resources/accounts', { id: 'shown', name: hostile, type: 'cloudflare', credentials })
  await create('/apps/shop/webhooks', {
    id: `${organization.id}-hook`,
    url: 'hooks.example.com/a',
    headers: { 'x-a': hostileTexts[0] },
    payload: { text: hostile },
  })
  await create('/apps/shop/values', { key: 'PASSWORD', value: canary, is_secret: true, description: hostile })
  await create('/apps/shop/values', { key: 'TEXT', value: hostile, description: null })
  const outputs = { title: hostile, description: hostile, type: 'string' }
  await create('/resources/types', {
    type: `${organization.id}/shown`,
    use: 'direct',
    name: hostile,
    outputs_schema: { properties: { values: { type: 'object', properties: { [hostile]: outputs } } } },
  })
  return (await create('/users', { name: hostile, role: 'member' })).id
}

test('every page has a title and an address, is accessible, fits 360 and 1440 pixels, and runs no markup', async () => {
  const robot = await createShown()
  const start = `${cluster.gatewayUrl}/o/${organization.id}`
  const { page, faults, foreign } = await visit(browser, start, cluster.adminToken)
  for (const [name, path, title] of pages) {
    const named = (text: string) => text.replace('ORG', organization.id).replace('ROBOT', robot)
    await page.goto(start + named(path))
    const wanted = `${named(title)} – Quartermaster`
    await eventually(`the content of '${wanted}'`, 60_000, async () => {
      const isComplete = (await page.locator('.loading').count()) === 0
      return ((await page.title()) === wanted && isComplete) || undefined
    })
    await expectSoundPage(page, name)
    expect(await page.content()).not.toContain(canary)
    expect(await page.evaluate('window.hacked')).toBeUndefined()
  }
  expect({ faults, foreign }).toEqual({ faults: [], foreign: [] })
})
