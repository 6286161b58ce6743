import { objectsPerResource, type Work } from '../work.ts'

/** What deployments cost, without time: these figures hold on every machine. */
export interface Prediction {
  /** Requests of the operator for a deployment of new resources. */
  readonly writes: number
  readonly reads: number
  /** Requests for the deletion of the environment. */
  readonly deletionWrites: number
  /** Bytes of the stored objects: of the resources, and of what they make. */
  readonly storedBytes: number
  /** Memory of the operator and of the gateway, in MiB. */
  readonly operatorMiB: number
  readonly gatewayMiB: number
}

/**
 * The model of docs/scale.md. Bytes are those of the resources of the benchmark; `kubectl get --raw` shows yours. Each further
 * deployment to an environment, also one that changes nothing, costs two writes when the environment is deleted.
 */
export const costs = {
  /** Creates the resource, and writes its status. */
  writesPerResource: 2,
  writesPerObject: 1,
  /** The set, three writes on the deployment, and the status of the environment. */
  writesPerDeployment: 5,
  /**
   * Looks whether an object of that name belongs to another owner, by lists that many resources share; a read for each object of
   * resources that come one by one.
   */
  readsPerObject: 0.055,
  /** The first of those looks, for each object of a resource. */
  readsPerObjectKind: 4,
  /** Lists of what a client may have written just before. */
  readsPerDeployment: 7,
  /** Removes the finalizer; one request deletes a hundred resources. */
  deletionWritesPerResource: 1.01,
  deletionWritesPerDeployment: 2,
  deletionWritesPerEnvironment: 2,
  /** One request deletes a hundred objects of a kind. */
  deletionWritesPerObject: 0.01,
  bytesPerResource: 2150,
  bytesPerObject: 1500,
  operatorBaseMiB: 150,
  operatorKiBPerResource: 8,
  gatewayBaseMiB: 109,
  gatewayKiBPerResource: 2.3,
} as const

/** A deployment of new resources to a new environment, in a cluster that has no others. */
export interface Plan {
  readonly resources: number
  readonly work: Work
  /** Deployments to the environment before it is deleted. */
  readonly deployments: number
}

/** Predicts the cost of a deployment, of what it leaves, and of its deletion. */
export function predict({ resources, work, deployments }: Plan): Prediction {
  const objects = objectsPerResource(work)
  const mib = (kib: number) => (kib * resources) / 1024
  return {
    writes:
      resources * (costs.writesPerResource + objects * costs.writesPerObject) + costs.writesPerDeployment,
    reads: objects * (costs.readsPerObjectKind + resources * costs.readsPerObject) + costs.readsPerDeployment,
    deletionWrites:
      resources * (costs.deletionWritesPerResource + objects * costs.deletionWritesPerObject) +
      deployments * costs.deletionWritesPerDeployment +
      costs.deletionWritesPerEnvironment,
    storedBytes: resources * (costs.bytesPerResource + objects * costs.bytesPerObject),
    operatorMiB: costs.operatorBaseMiB + mib(costs.operatorKiBPerResource),
    gatewayMiB: costs.gatewayBaseMiB + mib(costs.gatewayKiBPerResource),
  }
}

/** How far a measured figure is from the predicted one, as a share of the measured one. */
export function deviation(measured: number, predicted: number): number {
  return measured === 0 ? 0 : Math.abs(predicted - measured) / measured
}
