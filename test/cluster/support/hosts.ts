import { moduleWith, type Organization } from './client.ts'
import { namespaceOf, objectAt, resourceIn } from './observing.ts'

/** The fields of an Ingress that tests read. */
export interface SeenIngress {
  readonly metadata: { readonly uid: string; readonly annotations: Readonly<Record<string, string>> }
  readonly spec: {
    readonly rules: readonly { readonly host?: string }[]
    readonly tls?: readonly { readonly hosts: readonly string[]; readonly secretName: string }[]
  }
}

/** A dns with an ingress, for one environment of the application `shop`. */
export async function defineDns(
  organization: Organization,
  environment: string,
  driverType: string,
  driverInputs: object,
): Promise<void> {
  await organization.define(`dns-${environment}`, {
    type: 'dns',
    driverType,
    driverInputs,
    provision: { ingress: {} },
    criteria: [{ envId: environment }],
  })
}

/** The definition of all ingresses of an organization, and its application. */
export async function prepareIngresses(organization: Organization): Promise<void> {
  const driverType = 'quartermaster/ingress'
  await organization.define('ingress', { type: 'ingress', driverType, criteria: [{}] })
  await organization.application('shop')
}

/** Deploys a new environment in which a workload is reached under a host. */
export async function deployHost(organization: Organization, environment: string) {
  await organization.environment('shop', environment)
  const rules = { 'externals.dns': { http: { '/': { type: 'prefix', port: 8080 } } } }
  const web = moduleWith({ dns: { type: 'dns' } }, { ingress: { rules } })
  return organization.deploy(`shop.${environment}`, { modules: { web } })
}

/** Deploys a new environment in which a workload is reached under this host. */
export async function claimHost(organization: Organization, environment: string, host: string) {
  await defineDns(organization, environment, 'quartermaster/echo', { values: { host } })
  return deployHost(organization, environment)
}

/** The Ingress of an environment, if it exists. */
export async function ingressIn(
  organization: Organization,
  environment: string,
): Promise<SeenIngress | undefined> {
  const { name } = (await resourceIn(organization, environment, 'ingress')).metadata
  const namespace = namespaceOf(organization, environment)
  return objectAt(
    organization,
    `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses/${name}-ingress`,
  )
}
