import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { moduleWith, type Organization } from './client.ts'
import { resourceIn } from './observing.ts'

/** The secret input `password` of every definition. */
export const templateCanary = 'canary-in-a-template'

/** Environments of the application `shop` in which templates create the resources of type `postgres`. */
export interface TemplateResources {
  /** The application, and the Secret of the secret input. */
  prepare(): Promise<void>
  define(environment: string, templates: object, values?: object): Promise<unknown>
  /** Defines, and deploys a new environment. */
  deploy(environment: string, templates: object, values?: object): Promise<EnvironmentDeployment>
  redeploy(environment: string): Promise<EnvironmentDeployment>
  databaseIn(environment: string): Promise<ActiveResource>
}

export function templateResourcesOf(organization: Organization): TemplateResources {
  const type = 'postgres'
  const resources: TemplateResources = {
    async prepare() {
      await organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
        metadata: { name: 'login' },
        stringData: { password: templateCanary },
      })
      await organization.application('shop')
    },
    define: (environment, templates, values = {}) =>
      organization.define(environment, {
        type,
        driverType: 'quartermaster/template',
        driverInputs: {
          values: { templates, ...values },
          secretRefs: { password: { secret: 'login', key: 'password' } },
        },
        criteria: [{ envId: environment }],
      }),
    async deploy(environment, templates, values) {
      await resources.define(environment, templates, values)
      await organization.environment('shop', environment)
      return resources.redeploy(environment)
    },
    redeploy: (environment) =>
      organization.deploy(`shop.${environment}`, { modules: { web: moduleWith({ db: { type } }) } }),
    databaseIn: (environment) => resourceIn(organization, environment, type),
  }
  return resources
}

/** A manifest of a ConfigMap. */
export function configMap(name: string, data: FreeForm = { size: 3 }) {
  return { data: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data } }
}
