import type { ComponentType } from 'preact'
import type { PageProps } from './page-props.ts'

/** A page and the addresses that show it. */
export interface Route {
  readonly pattern: string
  /** Loads the code of the page on first use. */
  readonly load: () => Promise<ComponentType<PageProps>>
}

const environment = '/o/:org/apps/:app/envs/:env'

/** All pages; the first pattern that fits is shown. */
export const routes: readonly Route[] = [
  {
    pattern: '/',
    load: async () => (await import('../pages/organizations/organizations.tsx')).Organizations,
  },
  {
    pattern: '/o/:org',
    load: async () => (await import('../pages/applications/applications.tsx')).Applications,
  },
  {
    pattern: '/o/:org/apps/:app',
    load: async () => (await import('../pages/applications/application.tsx')).ApplicationPage,
  },
  {
    pattern: '/o/:org/apps/:app/webhooks',
    load: async () => (await import('../pages/webhooks/webhooks.tsx')).Webhooks,
  },
  {
    pattern: '/o/:org/apps/:app/webhooks/:webhook',
    load: async () => (await import('../pages/webhooks/webhook.tsx')).WebhookPage,
  },
  {
    pattern: '/o/:org/apps/:app/values',
    load: async () => (await import('../pages/values/values.tsx')).Values,
  },
  {
    pattern: `${environment}/values`,
    load: async () => (await import('../pages/values/values.tsx')).Values,
  },
  {
    pattern: environment,
    load: async () => (await import('../pages/environments/overview.tsx')).Overview,
  },
  {
    pattern: `${environment}/resources`,
    load: async () => (await import('../pages/resources/resources.tsx')).Resources,
  },
  {
    pattern: `${environment}/graph`,
    load: async () => (await import('../pages/resources/graph.tsx')).GraphPage,
  },
  {
    pattern: `${environment}/deployments`,
    load: async () => (await import('../pages/deployments/deployments.tsx')).Deployments,
  },
  {
    pattern: `${environment}/deployments/:deploy`,
    load: async () => (await import('../pages/deployments/deployment.tsx')).DeploymentPage,
  },
  {
    pattern: `${environment}/deploy`,
    load: async () => (await import('../pages/deploy/deploy.tsx')).DeployPage,
  },
  {
    pattern: '/o/:org/definitions',
    load: async () => (await import('../pages/definitions/definitions.tsx')).Definitions,
  },
  {
    pattern: '/o/:org/definitions/:def',
    load: async () => (await import('../pages/definitions/definition.tsx')).DefinitionPage,
  },
  {
    pattern: '/o/:org/types',
    load: async () => (await import('../pages/types/types.tsx')).Types,
  },
  {
    pattern: '/o/:org/users',
    load: async () => (await import('../pages/users/users.tsx')).Users,
  },
  {
    pattern: '/o/:org/users/:user',
    load: async () => (await import('../pages/users/tokens.tsx')).Tokens,
  },
  {
    pattern: '/o/:org/users/:user/roles',
    load: async () => (await import('../pages/users/roles.tsx')).UserRoles,
  },
  {
    pattern: '/o/:org/accounts',
    load: async () => (await import('../pages/accounts/accounts.tsx')).Accounts,
  },
  {
    pattern: '/o/:org/drivers',
    load: async () => (await import('../pages/drivers/drivers.tsx')).Drivers,
  },
  {
    pattern: '/o/:org/audit',
    load: async () => (await import('../pages/audit/audit.tsx')).Audit,
  },
]
