import {
  instanceOfArtefactResponse,
  instanceOfAutomationRuleResponse,
  instanceOfContainerArtefactVersion,
  instanceOfImageBuildResponse,
  instanceOfImageResponse,
  instanceOfRegistryCredsResponse,
  instanceOfRegistryResponse,
} from '@humanitec/autogen'
import { beforeAll, describe, expect } from '@jest/globals'
import { sharedCluster } from '../support/shared-cluster.ts'
import { followSteps, sdkOf, sdkOrganization } from './sdk-client.ts'

const api = sdkOf(sharedCluster())
let orgId = ''
const env = () => ({ orgId, appId: 'shop', envId: 'development' })
const name = 'registry.example.com/shop/web'
const ids: Record<string, string> = {}

/** Keeps the ids of an answer for later steps. */
async function keep<T>(
  answer: Promise<T>,
  fields: Readonly<Record<string, (body: T) => string>>,
): Promise<T> {
  const body = await answer
  for (const [key, idOf] of Object.entries(fields)) ids[key] = idOf(body)
  return body
}

beforeAll(async () => {
  orgId = (await sdkOrganization(api)).id
  await api.createApplication({ orgId, ApplicationCreationRequest: { id: 'shop', name: 'Shop' } })
})

describe('artefacts', () => {
  const version = {
    type: 'container',
    name,
    version: '1.2.7',
    ref: 'refs/heads/main',
    commit: '884bccaa',
  } as const
  followSteps([
    [
      'register a version as the build action does',
      () =>
        keep(api.createArtefactVersion({ orgId, CreateArtefactVersion: version }), {
          version: (body) => body?.id ?? '',
          artefact: (body) => body?.artefact_id ?? '',
        }),
      instanceOfContainerArtefactVersion,
      version,
    ],
    [
      'list the versions of the organization',
      () => api.listArtefactVersionsInOrg({ orgId, name }),
      instanceOfContainerArtefactVersion,
      [{ version: '1.2.7' }],
    ],
    [
      'list the artefacts by name',
      () => api.listArtefacts({ orgId, name }),
      instanceOfArtefactResponse,
      [{ name }],
    ],
    [
      'list the versions of the artefact',
      () => api.listArtefactVersions({ orgId, artefactId: ids['artefact'] ?? '', limit: 20 }),
      instanceOfContainerArtefactVersion,
      [{ commit: '884bccaa' }],
    ],
    [
      'get the version',
      () => api.getArtefactVersion({ orgId, artefactVersionId: ids['version'] ?? '' }),
      instanceOfContainerArtefactVersion,
      { archived: false },
    ],
    [
      'archive the version',
      () =>
        api.patchArtefactVersion({
          orgId,
          artefactId: ids['artefact'] ?? '',
          versionId: ids['version'] ?? '',
          UpdateArtefactVersionPayloadRequest: { archived: true },
        }),
      instanceOfContainerArtefactVersion,
      { archived: true },
    ],
    [
      'archive the version again',
      () =>
        api.patchArtefactVersion({
          orgId,
          artefactId: ids['artefact'] ?? '',
          versionId: ids['version'] ?? '',
          UpdateArtefactVersionPayloadRequest: { archived: true },
        }),
      instanceOfContainerArtefactVersion,
      { archived: true },
    ],
    [
      'find no version that is not archived',
      () => api.listArtefactVersionsInOrg({ orgId }),
      instanceOfContainerArtefactVersion,
      [],
    ],
    [
      'register a build as earlier actions do',
      () =>
        api.createDeprecatedImageBuild({
          orgId,
          imageId: 'shop/web',
          ImageBuildRequest: { image: `${name}:1.2.8`, branch: 'main', commit: '884bccaa', tags: [] },
        }),
    ],
    ['list the images', () => api.listDeprecatedImages({ orgId }), instanceOfImageResponse, [{ id: name }]],
    [
      'get the image',
      () => api.getDeprecatedImage({ orgId, imageId: 'shop/web' }),
      instanceOfImageResponse,
      { source: name },
    ],
    [
      'list its builds',
      () => api.listDeprecatedImageBuilds({ orgId, imageId: name }),
      instanceOfImageBuildResponse,
      [{ image: `${name}:1.2.8`, branch: 'main' }],
    ],
    ['delete the artefact', () => api.deleteArtefact({ orgId, artefactId: ids['artefact'] ?? '' })],
  ])
})

describe('automation rules', () => {
  const rule = { type: 'update', active: true, artefacts_filter: [name], match_ref: '^refs/heads/main$' }
  const ruleId = () => ids['rule'] ?? ''
  followSteps([
    [
      'create one',
      () =>
        keep(api.createAutomationRule({ ...env(), AutomationRuleRequest: rule }), { rule: ({ id }) => id }),
      instanceOfAutomationRuleResponse,
      rule,
    ],
    ['list them', () => api.listAutomationRules(env()), instanceOfAutomationRuleResponse, [rule]],
    [
      'get it',
      () => api.getAutomationRule({ ...env(), ruleId: ruleId() }),
      instanceOfAutomationRuleResponse,
      { exclude_artefacts_filter: false, created_at: expect.any(Date) },
    ],
    [
      'replace it',
      () =>
        api.updateAutomationRule({
          ...env(),
          ruleId: ruleId(),
          AutomationRuleRequest: { ...rule, active: false },
        }),
      instanceOfAutomationRuleResponse,
      { active: false },
    ],
    [
      'replace it by the same rule',
      () =>
        api.updateAutomationRule({
          ...env(),
          ruleId: ruleId(),
          AutomationRuleRequest: { ...rule, active: false },
        }),
      instanceOfAutomationRuleResponse,
      { active: false },
    ],
    ['delete it', () => api.deleteAutomationRule({ ...env(), ruleId: ruleId() })],
  ])
})

describe('registries', () => {
  const registry = { id: 'builds', registry: 'registry.example.com', type: 'basic' }
  const creds = { username: 'puller', password: 'not-to-be-seen' }
  const place = () => ({ orgId, regId: 'builds' })
  followSteps([
    [
      'create one',
      () => api.orgsOrgIdRegistriesPost({ orgId, RegistryRequest: { ...registry, creds } }),
      instanceOfRegistryResponse,
      { ...registry, enable_ci: false },
    ],
    ['list them', () => api.orgsOrgIdRegistriesGet({ orgId }), instanceOfRegistryResponse, [registry]],
    ['get it', () => api.orgsOrgIdRegistriesRegIdGet(place()), instanceOfRegistryResponse, registry],
    [
      'find where its credentials are, and no password',
      async () => {
        const answer = await api.orgsOrgIdRegistriesRegIdCredsGet(place())
        return { ...answer, hasPassword: answer.password !== undefined || answer.username !== undefined }
      },
      instanceOfRegistryCredsResponse,
      {
        registry: 'registry.example.com',
        hasPassword: false,
        secrets: { '*': { namespace: expect.any(String) } },
      },
    ],
    [
      'change it',
      () =>
        api.orgsOrgIdRegistriesRegIdPatch({
          ...place(),
          RegistryRequest: { ...registry, enable_ci: true, creds },
        }),
      instanceOfRegistryResponse,
      { enable_ci: true },
    ],
    [
      'change nothing of it',
      () =>
        api.orgsOrgIdRegistriesRegIdPatch({ ...place(), RegistryRequest: { ...registry, enable_ci: true } }),
      instanceOfRegistryResponse,
      { enable_ci: true },
    ],
    ['delete it', () => api.orgsOrgIdRegistriesRegIdDelete(place())],
  ])
})
