import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import {
  type Behaviour,
  type HttpDriverServer,
  startHttpDriverServer,
} from '../../drivers/support/http-driver-server.ts'
import { moduleWith, type Organization, type RestAnswer } from './client.ts'
import { resourceIn } from './observing.ts'

/** Drivers of an organization for resources of type `s3`, and environments of the application `shop` that use them. */
export interface ThirdParty {
  /** A driver on a separate port; `close` ends it with the others. */
  serve(behaviour?: Behaviour): Promise<HttpDriverServer>
  registerByRest(id: string, target: string, more?: object): Promise<RestAnswer>
  registerByKubectl(id: string, target: string, more?: object): Promise<unknown>
  /** Deploys a new environment in which `s3` uses a driver of the organization; `definition` adds fields of the definition. */
  deploy(environment: string, driver: string, definition?: object): Promise<EnvironmentDeployment>
  redeploy(environment: string): Promise<EnvironmentDeployment>
  bucketIn(environment: string): Promise<ActiveResource>
  close(): Promise<void>
}

export function thirdPartyOf(organization: Organization): ThirdParty {
  const servers: HttpDriverServer[] = []
  const type = 's3'
  const thirdParty: ThirdParty = {
    async serve(behaviour) {
      const server = await startHttpDriverServer(behaviour)
      servers.push(server)
      return server
    },
    registerByRest(id, target, more = {}) {
      const driver = { id, type, target, inputs_schema: {}, account_types: [], ...more }
      return organization.rest('POST', '/resources/drivers', driver)
    },
    registerByKubectl: (id, target, more = {}) =>
      organization.apply('resourcedrivers', 'ResourceDriver', id, { type, target, ...more }),
    async deploy(environment, driver, definition = {}) {
      await organization.define(environment, {
        type,
        driverType: `${organization.id}/${driver}`,
        criteria: [{ envId: environment }],
        ...definition,
      })
      await organization.environment('shop', environment)
      return thirdParty.redeploy(environment)
    },
    redeploy: (environment) =>
      organization.deploy(`shop.${environment}`, {
        modules: { web: moduleWith({ files: { type, params: { size: 3 } } }) },
      }),
    bucketIn: (environment) => resourceIn(organization, environment, type),
    async close() {
      await Promise.all(servers.map((each) => each.close()))
    },
  }
  return thirdParty
}
