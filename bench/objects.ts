import { ActiveResource } from '../operator/api/active-resource.ts'
import { Application } from '../operator/api/application.ts'
import { DeploymentDelta } from '../operator/api/deployment-delta.ts'
import { Environment } from '../operator/api/environment.ts'
import { EnvironmentDeployment } from '../operator/api/environment-deployment.ts'
import { type KubeObject, newObject } from '../operator/api/kind.ts'
import { finalizer } from '../operator/api/names.ts'
import { ResourceDefinition } from '../operator/api/resource-definition.ts'
import { guResId } from '../operator/domain/resource/identity.ts'

/** The organization in which everything is deployed. */
export const organization = 'bench'
export const application = 'shop'
const environmentType = 'development'
const workload = 'backend'

const bucket = {
  bucket: 'bucket-${context.res.guresid}',
  region: 'eu-north-1',
  arn: 'arn:aws:s3:::${context.org.id}-${context.app.id}-${context.env.id}-${context.res.guresid}',
}

function definition(name: string, type: string, values: object, criterion: object): ResourceDefinition {
  const driverInputs = { values: { ...values } }
  const spec = { type, driverType: 'quartermaster/echo', driverInputs, criteria: [criterion] }
  return newObject(ResourceDefinition, { name, namespace: organization }, spec)
}

/** The application and the definitions of independent resources and of a chain of `chainLength`. */
export function foundations(chainLength: number): KubeObject[] {
  const links = Array.from({ length: chainLength - 1 }, (_, index) => {
    const values = { value: index === 0 ? 'first' : valueOfLink(index - 1) }
    return definition(`chain-${index}`, 'config', values, { resId: `r-${index}` })
  })
  const head = definition(
    'chain-head',
    's3',
    { ...bucket, region: valueOfLink(chainLength - 2) },
    { class: 'chain' },
  )
  return [
    newObject(Application, { name: application, namespace: organization }, { displayName: 'Shop' }),
    definition('s3-independent', 's3', bucket, {}),
    ...links,
    head,
  ]
}

function valueOfLink(index: number): string {
  // The class is named, because a reference without one takes over that of the resource that it stands in.
  return `\${resources['config.default#r-${index}'].outputs.value}`
}

/** An environment of the application. */
export function environment(id: string): Environment {
  const spec = { applicationName: application, typeName: environmentType }
  return newObject(Environment, { name: `${application}.${id}`, namespace: organization }, spec)
}

function delta(name: string, modules: DeploymentDelta['spec']['modules']): DeploymentDelta {
  return newObject(
    DeploymentDelta,
    { name, namespace: organization },
    { applicationName: application, modules },
  )
}

function addModule(name: string, externals: Record<string, object>): DeploymentDelta {
  const container = { image: 'images.example.test/backend:1.0' }
  const module = {
    profile: 'quartermaster/default-module',
    spec: { containers: { main: container } },
    externals,
  }
  return delta(name, { add: { [workload]: module } })
}

/** A workload that needs `count` resources which need nothing themselves. */
export function independentDelta(count: number): DeploymentDelta {
  const externals = Array.from({ length: count }, (_, index) => [`bucket-${index}`, { type: 's3' }])
  return addModule(`independent-${count}`, Object.fromEntries(externals))
}

/** A workload that needs the head of the chain. */
export function chainDelta(): DeploymentDelta {
  return addModule('chain', { head: { type: 's3', class: 'chain' } })
}

/** Another parameter for one of the independent resources. */
export function changeDelta(): DeploymentDelta {
  const operation = { op: 'add' as const, path: '/externals/bucket-0/params', value: { revision: 2 } }
  return delta('change-one', { update: { [workload]: [operation] } })
}

/** A run, as somebody with kubectl writes it. */
export function deployment(environmentId: string, name: string, deltaName?: string): EnvironmentDeployment {
  const environmentName = `${application}.${environmentId}`
  const spec = { environmentName, ...(deltaName === undefined ? {} : { deltaName }) }
  return newObject(
    EnvironmentDeployment,
    { name: `${environmentName}.${name}`, namespace: organization },
    spec,
  )
}

/** An active resource and its status like those that the operator writes, for the floor. */
export function likeActiveResource(
  namespace: string,
  index: number,
): { object: ActiveResource; status: object } {
  const context = {
    organizationId: namespace,
    applicationId: application,
    environmentId: 'floor',
    environmentType,
  }
  const descriptor = {
    type: 's3',
    class: 'default',
    resourceId: `modules.${workload}.externals.bucket-${index}`,
  }
  const name = guResId(context, descriptor)
  const spec = {
    environmentName: `${application}.floor`,
    deploymentName: `${application}.floor.1`,
    context,
    ...descriptor,
    definition: {
      definitionName: 's3-independent',
      driverType: 'quartermaster/echo',
      driverInputs: { values: { ...bucket } },
      criterion: {},
      explanation: "'s3-independent' fits by {}, the only definition that does",
    },
    signature: name.repeat(2).slice(0, 64),
  }
  return {
    object: newObject(ActiveResource, { name, namespace, finalizers: [finalizer] }, spec),
    status: statusLike(name),
  }
}

function statusLike(name: string): object {
  const now = new Date().toISOString()
  const ready = { type: 'Ready', status: 'True', reason: 'Reconciled', message: '' }
  return {
    observedGeneration: 1,
    conditions: [{ ...ready, observedGeneration: 1, lastTransitionTime: now }],
    outputs: {
      bucket: `bucket-${name}`,
      region: 'eu-north-1',
      arn: `arn:aws:s3:::floor-${application}-floor-${name}`,
    },
    inputsHash: name.repeat(2).slice(0, 64),
    provisioned: { driverType: 'quartermaster/echo' },
  }
}
