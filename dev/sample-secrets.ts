import { type ApiAccess, apiCall } from './control-plane/kubernetes.ts'
import { issueCertificate } from './development-authority.ts'
import { developmentToken, developmentZone } from './fake-cloudflare/process.ts'

/**
 * Creates the Secrets of the account and the DNS definition in `examples/`: a token for the zone, and a certificate for its
 * names from the authority in `directory`.
 */
export async function giveSampleSecrets(
  access: ApiAccess,
  organization: string,
  directory: string,
): Promise<void> {
  const { crt, key } = await issueCertificate(directory, [`*.${developmentZone.name}`])
  const secrets = [
    { name: 'dns-provider', type: 'Opaque', stringData: { token: developmentToken } },
    {
      name: 'wildcard-example-test',
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': crt, 'tls.key': key },
    },
  ]
  for (const { name, ...rest } of secrets) {
    await apiCall(
      access,
      'PATCH',
      `/api/v1/namespaces/${organization}/secrets/${name}?fieldManager=development&force=true`,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...rest },
      'application/apply-patch+yaml',
    )
  }
}
