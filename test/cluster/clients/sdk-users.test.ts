import {
  instanceOfTokenInfoResponse,
  instanceOfTokenResponse,
  instanceOfUserProfileExtendedResponse,
  instanceOfUserProfileResponse,
  instanceOfUserRoleResponse,
} from '@humanitec/autogen'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { sharedCluster } from '../support/shared-cluster.ts'
import { expectAnswer, followSteps, refusalOf, sdkOf, sdkOrganization } from './sdk-client.ts'

const cluster = sharedCluster()
const api = sdkOf(cluster)
let orgId = ''
const app = () => ({ orgId, appId: 'shop' })

beforeAll(async () => {
  orgId = (await sdkOrganization(api)).id
  await api.createApplication({ orgId, ApplicationCreationRequest: { id: 'shop', name: 'Shop' } })
})

describe('users and tokens', () => {
  let userId = ''
  const user = () => ({ orgId, userId })
  const deployer = { role: 'deployer' }

  test('createServiceUserInOrg', async () => {
    const call = api.createServiceUserInOrg({
      orgId,
      NewServiceUserRequest: { name: 'CI', role: 'member', email: 'ci@example.com' },
    })
    await expectAnswer(call, instanceOfUserProfileResponse, {
      name: 'CI',
      type: 'service',
      email: 'ci@example.com',
    })
    userId = (await call).id
  })

  followSteps([
    [
      'listUserRolesInOrg',
      () => api.listUserRolesInOrg({ orgId }),
      instanceOfUserRoleResponse,
      [{ name: 'CI' }],
    ],
    ['getUserRoleInOrg', () => api.getUserRoleInOrg(user()), instanceOfUserRoleResponse, { role: 'member' }],
    [
      'updateUserRoleInOrg',
      () => api.updateUserRoleInOrg({ ...user(), RoleRequest: { role: 'manager' } }),
      instanceOfUserRoleResponse,
      { role: 'manager' },
    ],
    [
      'createUserRoleInApp',
      () => api.createUserRoleInApp({ ...app(), UserRoleRequest: { id: userId, role: 'developer' } }),
      instanceOfUserRoleResponse,
      { role: 'developer' },
    ],
    [
      'updateUserRoleInApp',
      () => api.updateUserRoleInApp({ ...app(), userId, RoleRequest: { role: 'owner' } }),
      instanceOfUserRoleResponse,
      { role: 'owner' },
    ],
    [
      'getUserRoleInApp',
      () => api.getUserRoleInApp({ ...app(), userId }),
      instanceOfUserRoleResponse,
      { role: 'owner' },
    ],
    ['listUserRolesInApp', () => api.listUserRolesInApp(app()), instanceOfUserRoleResponse, [{ name: 'CI' }]],
    ['deleteUserRoleInApp', () => api.deleteUserRoleInApp({ ...app(), userId })],
    [
      'createUserRoleInEnvType',
      () =>
        api.createUserRoleInEnvType({
          orgId,
          envType: 'production',
          UserRoleRequest: { id: userId, ...deployer },
        }),
      instanceOfUserRoleResponse,
      deployer,
    ],
    [
      'updateUserRoleInEnvType',
      () => api.updateUserRoleInEnvType({ ...user(), envType: 'production', RoleRequest: deployer }),
      instanceOfUserRoleResponse,
      deployer,
    ],
    [
      'getUserRoleInEnvType',
      () => api.getUserRoleInEnvType({ ...user(), envType: 'production' }),
      instanceOfUserRoleResponse,
      deployer,
    ],
    [
      'listUserRolesInEnvType',
      () => api.listUserRolesInEnvType({ orgId, envType: 'production' }),
      instanceOfUserRoleResponse,
      [deployer],
    ],
    ['deleteUserRoleInEnvType', () => api.deleteUserRoleInEnvType({ ...user(), envType: 'production' })],
    [
      'getCurrentUser',
      () => api.getCurrentUser(),
      instanceOfUserProfileExtendedResponse,
      { id: 'admin', type: 'user' },
    ],
    [
      'createUserToken',
      () => api.createUserToken({ userId, TokenDefinitionRequest: { id: 'ci', type: 'static' } }),
      instanceOfTokenResponse,
    ],
    [
      'getUserToken',
      () => api.getUserToken({ userId, tokenId: 'ci' }),
      instanceOfTokenInfoResponse,
      { id: 'ci', type: 'static', description: '', created_by: 'admin', expires_at: undefined },
    ],
    ['listUserTokens', () => api.listUserTokens({ userId }), instanceOfTokenInfoResponse, [{ id: 'ci' }]],
    ['deleteUserToken', () => api.deleteUserToken({ userId, tokenId: 'ci' })],
  ])

  test('updateCurrentUser, with a separate token', async () => {
    const { token } = await api.createUserToken({
      userId,
      TokenDefinitionRequest: { id: 'own', type: 'static', expires_at: '2099-01-01T00:00:00Z' },
    })
    const call = sdkOf(cluster, token).updateCurrentUser({ UserProfileExtendedRequest: { name: 'Robot' } })
    const roles = { [`/orgs/${orgId}`]: 'manager' }
    await expectAnswer(call, instanceOfUserProfileExtendedResponse, { id: userId, name: 'Robot', roles })
  })

  test('deleteUserRoleInOrg: the user, its roles and its tokens are deleted', async () => {
    await expectAnswer(api.deleteUserRoleInOrg(user()))
    // In sequence: a rejection during another await would be unhandled.
    for (const call of [() => api.getUserRoleInOrg(user()), () => api.listUserTokens({ userId })])
      expect(await refusalOf(call())).toMatchObject({ status: 404, body: { error: expect.any(String) } })
  })
})
