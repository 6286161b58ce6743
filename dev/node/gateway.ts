import { type ApiAccess, apiCall } from '../control-plane/kubernetes.ts'

interface Service {
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly port: number }[] }
}

/** The address of the gateway's Service, which this machine reaches through the node. */
export async function gatewayUrlOf(access: ApiAccess): Promise<string> {
  const path = '/api/v1/namespaces/quartermaster-system/services/quartermaster-gateway'
  const { clusterIP, ports } = (await apiCall<Service>(access, 'GET', path)).spec
  return `http://${clusterIP}:${ports[0]?.port ?? 80}`
}
