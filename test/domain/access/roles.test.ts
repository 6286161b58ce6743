import { describe, expect, test } from '@jest/globals'
import type { Membership } from '../../../operator/api/access.ts'
import { allows, type Requirement, type RoleTarget } from '../../../operator/domain/access/roles.ts'

const shop: RoleTarget = { applicationId: 'shop', environmentType: 'production' }
const member: Membership['spec'] = { role: 'member' }
const manager: Membership['spec'] = { role: 'manager' }
const administrator: Membership['spec'] = { role: 'administrator' }
const orgViewer: Membership['spec'] = { role: 'orgViewer' }
const contributor: Membership['spec'] = { role: 'artefactContributor' }
const viewer = onShop('viewer')
const developer = onShop('developer')
const owner = onShop('owner')
const deployer: Membership['spec'] = {
  ...developer,
  environmentTypes: [{ environmentTypeName: 'production', role: 'deployer' }],
}

function onShop(role: 'viewer' | 'developer' | 'owner'): Membership['spec'] {
  return { role: 'member', applications: [{ applicationName: 'shop', role }] }
}

describe('roles', () => {
  test.each<[string, Membership['spec'] | undefined, Requirement, RoleTarget, boolean]>([
    ['a user outside of the organization may do nothing', undefined, { organization: 'member' }, {}, false],
    ['a member is a member', member, { organization: 'member' }, {}, true],
    ['a member is no manager', member, { organization: 'manager' }, {}, false],
    ['a manager is no administrator', manager, { organization: 'administrator' }, {}, false],
    ['an administrator is a manager', administrator, { organization: 'manager' }, {}, true],
    ['an organization viewer is a member', orgViewer, { organization: 'member' }, {}, true],
    ['an organization viewer is no manager', orgViewer, { organization: 'manager' }, {}, false],
    ['an organization viewer views every application', orgViewer, { application: 'viewer' }, shop, true],
    ['an organization viewer develops none', orgViewer, { application: 'developer' }, shop, false],
    [
      'an organization viewer may develop where it has the role',
      { ...orgViewer, applications: [{ applicationName: 'shop', role: 'developer' }] },
      { application: 'developer' },
      shop,
      true,
    ],
    ['an artefact contributor is a member', contributor, { organization: 'member' }, {}, true],
    ['an artefact contributor is no manager', contributor, { organization: 'manager' }, {}, false],
    ['an artefact contributor views no application', contributor, { application: 'viewer' }, shop, false],
    ['a viewer views', viewer, { application: 'viewer' }, shop, true],
    ['a viewer does not develop', viewer, { application: 'developer' }, shop, false],
    ['an owner develops', owner, { application: 'developer' }, shop, true],
    [
      'a role counts on its application only',
      owner,
      { application: 'viewer' },
      { applicationId: 'other' },
      false,
    ],
    [
      'a member without a role on the application does not see it',
      member,
      { application: 'viewer' },
      shop,
      false,
    ],
    ['a manager has no role on applications', manager, { application: 'viewer' }, shop, false],
    ['an administrator is owner everywhere', administrator, { application: 'owner' }, shop, true],
    [
      'endpoint 11: a manager will do',
      manager,
      { application: 'owner', orOrganization: 'manager' },
      shop,
      true,
    ],
    ['endpoint 11: an owner will do', owner, { application: 'owner', orOrganization: 'manager' }, shop, true],
    [
      'endpoint 11: a developer will not',
      developer,
      { application: 'owner', orOrganization: 'manager' },
      shop,
      false,
    ],
    [
      'a developer alone does not deploy',
      developer,
      { application: 'developer', deployer: true },
      shop,
      false,
    ],
    [
      'a developer who is deployer deploys',
      deployer,
      { application: 'developer', deployer: true },
      shop,
      true,
    ],
    [
      'a deployer deploys to that environment type only',
      deployer,
      { application: 'developer', deployer: true },
      { ...shop, environmentType: 'staging' },
      false,
    ],
    [
      'an administrator is deployer everywhere',
      administrator,
      { application: 'developer', deployer: true },
      shop,
      true,
    ],
  ])('%s', (_, membership, requirement, target, expected) => {
    expect(allows(membership, requirement, target)).toBe(expected)
  })
})
