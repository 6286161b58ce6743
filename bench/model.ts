import { objectsPerResource, type Work } from './work.ts'

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

/** The model of docs/scale.md. Bytes are those of the resources of the benchmark; look at yours with kubectl. */
export const costs = {
  /** Create, status, and one write for each object; the deployment and its environment write these once. */
  writesPerResource: 2,
  writesPerObject: 1,
  writesPerDeployment: 4,
  /** The operator looks whether a new object belongs to somebody else. */
  readsPerObject: 1,
  readsPerDeployment: 7,
  /** The finalizer of each resource. */
  deletionWritesPerResource: 1,
  deletionWritesPerDeployment: 5,
  bytesPerResource: 2600,
  bytesPerObject: 900,
  operatorBaseMiB: 150,
  operatorKiBPerResource: 10,
  gatewayBaseMiB: 130,
  gatewayKiBPerResource: 5,
} as const

/** Predicts the cost of one deployment of `count` new resources in a cluster that has no others. */
export function predict(count: number, work: Work): Prediction {
  const objects = objectsPerResource(work)
  const kib = (each: number) => (each * count) / 1024
  return {
    writes: count * (costs.writesPerResource + objects * costs.writesPerObject) + costs.writesPerDeployment,
    reads: count * objects * costs.readsPerObject + costs.readsPerDeployment,
    deletionWrites: count * costs.deletionWritesPerResource + costs.deletionWritesPerDeployment,
    storedBytes: count * (costs.bytesPerResource + objects * costs.bytesPerObject),
    operatorMiB: costs.operatorBaseMiB + kib(costs.operatorKiBPerResource),
    gatewayMiB: costs.gatewayBaseMiB + kib(costs.gatewayKiBPerResource),
  }
}

/** How far a measured figure is from the predicted one, as a share of the measured one. */
export function deviation(measured: number, predicted: number): number {
  return measured === 0 ? 0 : Math.abs(predicted - measured) / measured
}
