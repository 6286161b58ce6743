import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Application } from '../../../operator/api/application.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject, type ObjectMeta } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { startRequestTime } from '../../../operator/domain/deployment/deployment-base.ts'
import { historyOf } from '../../../operator/domain/deployment/deployment-history.ts'
import { guResId } from '../../../operator/domain/resource/identity.ts'
import type { TestGateway } from './gateway.ts'

/** Conditions of an object that is well. */
export const ready = {
  observedGeneration: 1,
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      lastTransitionTime: '2026-02-01T00:00:00Z',
    },
  ],
}

/** Conditions of a run that failed. */
export const stalled = {
  conditions: [
    {
      type: 'Ready',
      status: 'False',
      reason: 'Failed',
      message: 'it failed',
      lastTransitionTime: '2026-02-01T00:00:00Z',
    },
    {
      type: 'Stalled',
      status: 'True',
      reason: 'Failed',
      message: 'it failed',
      lastTransitionTime: '2026-02-01T00:00:00Z',
    },
  ],
}

/** Application `shop` of `acme` with an environment of that id and type, which the operator has seen. */
export function addEnvironment(
  { cluster }: TestGateway,
  id = 'development',
  type = id,
  application = 'shop',
  namespace = 'acme',
) {
  const finalizers = [finalizer]
  if (!cluster.store.get(Application, namespace, application)) {
    cluster.put(Application, newObject(Application, { namespace, name: application, finalizers }, {}))
  }
  const spec = { applicationName: application, typeName: type }
  const metadata = { namespace, name: `${application}.${id}`, finalizers }
  cluster.put(Environment, newObject(Environment, metadata, spec))
}

/** Lets a deployment end as the operator does, whose environment remembers it by then. */
export function finish({ cluster }: TestGateway, name: string, outcome: object = ready, namespace = 'acme') {
  const { spec } = cluster.store.get(EnvironmentDeployment, namespace, name) ?? {}
  if (!spec) throw new Error(`no deployment '${name}'`)
  const environment = cluster.store.get(Environment, namespace, spec.environmentName) as Environment // of the deployment
  const status = {
    setName: spec.setName,
    environmentFromName: environment.spec.fromDeploymentName,
    environmentFromTime: startRequestTime(environment),
    startTime: '2026-02-01T00:00:00Z',
    ...outcome,
  }
  const index = `${namespace}/${spec.environmentName}`
  cluster.setStatus(EnvironmentDeployment, namespace, name, { ...status, conditions: [] })
  const deployments = cluster.store.byIndex(EnvironmentDeployment, 'environment', index)
  const memory = { ...environment.status, ...historyOf(environment, deployments) }
  cluster.setStatus(Environment, namespace, spec.environmentName, memory)
  const finishTime = '2026-02-01T00:01:00Z'
  cluster.setStatus(EnvironmentDeployment, namespace, name, { finishTime, ...status })
}

/** An active resource, of `shop.development` by default. */
export function addResource(
  { cluster }: TestGateway,
  {
    type = 'dns',
    class: resourceClass = 'default',
    resourceId = 'shared.main',
    definition = 'dns-any',
    environment = 'development',
    application = 'shop',
    organization = 'acme',
  } = {},
  changes: { spec?: Partial<ActiveResource['spec']>; metadata?: Partial<ObjectMeta>; status?: object } = {},
): string {
  const context = {
    organizationId: organization,
    applicationId: application,
    environmentId: environment,
    environmentType: environment,
  }
  const name = guResId(context, { type, class: resourceClass, resourceId })
  const spec = {
    environmentName: `${application}.${environment}`,
    deploymentName: `${application}.${environment}.1`,
    context,
    type,
    class: resourceClass,
    resourceId,
    definition: {
      definitionName: definition,
      driverType: 'quartermaster/echo',
      criterion: { class: 'default' },
    },
    signature: 'signature',
    ...changes.spec,
  }
  cluster.put(
    ActiveResource,
    newObject(ActiveResource, { namespace: organization, name, ...changes.metadata }, spec),
  )
  if (changes.status) cluster.setStatus(ActiveResource, organization, name, changes.status)
  return name
}
