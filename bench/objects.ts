import { ActiveResource } from '../operator/api/active-resource.ts'
import { Application } from '../operator/api/application.ts'
import { DeploymentDelta } from '../operator/api/deployment-delta.ts'
import { Environment } from '../operator/api/environment.ts'
import { EnvironmentDeployment } from '../operator/api/environment-deployment.ts'
import { type KubeObject, type Manifest, newObject } from '../operator/api/kind.ts'
import { finalizer } from '../operator/api/names.ts'
import { ResourceDefinition } from '../operator/api/resource-definition.ts'
import { environmentNamespace, guResId } from '../operator/domain/resource/identity.ts'
import { objectsPerResource, templatesOf, type Work, works } from './work.ts'

/** The organization in which everything is deployed. */
export const organization = 'bench'
export const application = 'shop'
/** The Secret with the login of the database that workloads use, and with the password that the resources of `secret` name. */
export const loginSecret = 'login'
const environmentType = 'development'

const bucket = {
  bucket: 'bucket-${context.res.guresid}',
  region: 'eu-north-1',
  arn: 'arn:aws:s3:::${context.org.id}-${context.app.id}-${context.env.id}-${context.res.guresid}',
}

function definition(
  name: string,
  spec: Omit<ResourceDefinition['spec'], 'driverType'>,
): Manifest<typeof ResourceDefinition> {
  const driverType = 'templates' in (spec.driverInputs?.values ?? {}) ? 'template' : 'echo'
  return newObject(
    ResourceDefinition,
    { name, namespace: organization },
    { ...spec, driverType: `quartermaster/${driverType}` },
  )
}

/** The inputs that make the objects of a resource and give these outputs. */
function inputs(work: Work, outputs: object) {
  const makesNothing = objectsPerResource(work) === 0
  const values = makesNothing ? { ...outputs } : templatesOf(work, 's3-${context.res.guresid}', outputs)
  const secretRefs = work === 'secret' ? { password: { secret: loginSecret, key: 'password' } } : undefined
  return { driverInputs: { values: { ...values }, secretRefs } }
}

/** The definitions of a chain whose links are resources of type `config`; its head is a bucket. */
function chainOf(length: number, work: Work): Manifest<typeof ResourceDefinition>[] {
  const name = chainName(work)
  const links = Array.from({ length: length - 1 }, (_, index) =>
    definition(`${name}-${index}`, {
      type: 'config',
      ...inputs(work, { value: index === 0 ? 'first' : valueOfLink(index - 1, name) }),
      criteria: [{ resId: `r-${index}`, class: name }],
    }),
  )
  const outputs = { ...bucket, region: valueOfLink(length - 2, name) }
  return [
    ...links,
    definition(`${name}-head`, { type: 's3', ...inputs(work, outputs), criteria: [{ class: name }] }),
  ]
}

/** The application and the definitions of independent resources and of chains of `chainLength`. */
export function foundations(chainLength: number): KubeObject[] {
  return [
    newObject(Application, { name: application, namespace: organization }, { displayName: 'Shop' }),
    definition('shared-child', {
      type: 'config',
      ...inputs('echo', { value: bucket.region }),
      criteria: [{ resId: 'one', class: 'child' }],
    }),
    ...works.map((work) =>
      definition(`s3-${work}`, {
        type: 's3',
        ...inputs(work, work === 'child' ? { ...bucket, region: valueOfChild } : bucket),
        criteria: [work === 'echo' ? {} : { class: work }],
      }),
    ),
    ...chainOf(chainLength, 'echo'),
    ...chainOf(chainLength, 'object'),
  ]
}

const valueOfChild = "${resources['config.child#one'].outputs.value}"

function valueOfLink(index: number, name: string): string {
  return `\${resources['config.${name}#r-${index}'].outputs.value}`
}

/** An environment of the application. */
export function environment(id: string): Manifest<typeof Environment> {
  const spec = { applicationName: application, typeName: environmentType }
  return newObject(Environment, { name: `${application}.${id}`, namespace: organization }, spec)
}

/** The namespace that the operator makes for an environment. */
export function namespaceOf(environmentId: string): string {
  const context = { organizationId: organization, applicationId: application, environmentId, environmentType }
  return environmentNamespace(context)
}

function delta(name: string, shared: DeploymentDelta['spec']['shared']): Manifest<typeof DeploymentDelta> {
  return newObject(
    DeploymentDelta,
    { name, namespace: organization },
    { applicationName: application, shared },
  )
}

/** `count` resources which need nothing themselves. They are shared, because a workload would be a resource too. */
export function independentDelta(count: number, work: Work): Manifest<typeof DeploymentDelta> {
  const dependency = work === 'echo' ? { type: 's3' } : { type: 's3', class: work }
  return delta(independentName(count, work), sharedBuckets(count, dependency))
}

/** Operations of a delta that add so many shared resources. */
export function sharedBuckets(count: number, value: object = { type: 's3' }) {
  return Array.from({ length: count }, (_, index) => ({
    op: 'add' as const,
    path: `/bucket-${index}`,
    value,
  }))
}

/** The name of the delta of `count` independent resources. */
export function independentName(count: number, work: Work): string {
  return work === 'echo' ? `independent-${count}` : `${work}-${count}`
}

/** The head of the chain, which needs the rest. */
export function chainDelta(work: Work): Manifest<typeof DeploymentDelta> {
  return delta(chainName(work), [{ op: 'add', path: '/head', value: { type: 's3', class: chainName(work) } }])
}

/** The name of the delta of a chain, and the class of its resources. */
export function chainName(work: Work): string {
  return work === 'echo' ? 'chain' : `${work}-chain`
}

/** Another parameter for one of the independent resources. */
export function changeDelta(work: Work): Manifest<typeof DeploymentDelta> {
  return delta(changeName(work), [{ op: 'add', path: '/bucket-0/params', value: { revision: 2 } }])
}

/** The name of the delta that changes one resource. */
export function changeName(work: Work): string {
  return `change-one-${work}`
}

/** What a deployment is to do. */
export type DeploymentChoice = Pick<EnvironmentDeployment['spec'], 'deltaName' | 'mode'>

/** A run, as a person with kubectl writes it. */
export function deployment(
  environmentId: string,
  name: string,
  choice: DeploymentChoice,
): Manifest<typeof EnvironmentDeployment> {
  const environmentName = `${application}.${environmentId}`
  return newObject(
    EnvironmentDeployment,
    { name: `${environmentName}.${name}`, namespace: organization },
    { environmentName, ...choice },
  )
}

/** An active resource and its status like those that the operator writes, for the floor. */
export function likeActiveResource(
  namespace: string,
  index: number,
): { object: Manifest<typeof ActiveResource>; status: object } {
  const context = {
    organizationId: namespace,
    applicationId: application,
    environmentId: 'floor',
    environmentType,
  }
  const descriptor = {
    type: 's3',
    class: 'default',
    resourceId: `shared.bucket-${index}`,
  }
  const name = guResId(context, descriptor)
  const spec = {
    environmentName: `${application}.floor`,
    deploymentName: `${application}.floor.1`,
    context,
    ...descriptor,
    definition: {
      definitionName: 's3-echo',
      driverType: 'quartermaster/echo',
      driverInputs: { values: { ...bucket } },
      criterion: {},
      explanation: "'s3-echo' fits by {}, the only definition that does",
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
