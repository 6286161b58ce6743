import { expect } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { NeighbourValue } from '../../../operator/domain/graph/inputs.ts'
import type { ProvisionRequest } from '../../../operator/drivers/driver.ts'
import { ingress } from '../../../operator/drivers/ingress/driver.ts'
import { provisionRequest } from './contract.ts'

/** A rule as a workload gives it. */
export const web = { type: 'prefix', name: 'web', port: 8080 }
/** Rules of one workload, as planning puts them together. */
export const rules = { http: { '/': web } }

/** A neighbour that gives these outputs. */
export function neighbour(
  type: string,
  outputs: FreeForm,
  changes: Partial<NeighbourValue> = {},
): NeighbourValue {
  const descriptor = { type, class: 'default', resourceId: `shared.${type}` }
  return { guResId: 'c'.repeat(40), descriptor, outputs, params: {}, ...changes }
}

/** The dns resource of the Ingress. */
export const dns = neighbour('dns', { host: 'shop.example.test', tls_secret_name: 'of-dns' })

/** A request for an Ingress with one rule. */
export function request(changes: Partial<ProvisionRequest> = {}): ProvisionRequest {
  return provisionRequest('ingress', {
    params: { rules },
    neighbours: { dns: [dns], routes: [] },
    ...changes,
  })
}

/** The one Ingress that the driver makes. */
export async function made(values: FreeForm, changes: Partial<ProvisionRequest> = {}) {
  const { objects } = await ingress.provision(request({ values, ...changes }))
  expect(objects).toHaveLength(1)
  return objects[0] as unknown as {
    metadata: FreeForm
    spec: { rules: { http: { paths: FreeForm[] } }[] } & FreeForm
  } // an Ingress
}
