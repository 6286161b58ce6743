import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { closeServer } from '../../../dev/close-server.ts'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import { issueCertificate } from '../../../dev/development-authority.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import type { SharedCluster } from './shared-cluster.ts'

/** What the API server asks about. */
export interface AdmissionRequest {
  readonly uid: string
  readonly kind: { readonly kind: string }
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  readonly namespace?: string
  readonly name?: string
  readonly subResource?: string
  readonly userInfo: { readonly username: string }
  readonly object: KubeObject | null
  readonly oldObject: KubeObject | null
}

/** The object to store in place of that of the request, the message of a refusal, or undefined to leave it as it is. */
type Answer = KubeObject | string | undefined

/** A webhook of the cluster. */
export interface AdmissionWebhook {
  /** Decides about each request from now on. */
  decide(judge: (request: AdmissionRequest) => Promise<Answer> | Answer): void
  /** Takes it out of the cluster. */
  remove(): Promise<void>
}

const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'

/**
 * A mutating admission webhook with `failurePolicy: Fail` for every object in the namespaces of an organization and of its
 * environments, those namespaces included. Mutating ones can refuse too.
 */
export async function startAdmissionWebhook(
  { access, directory }: Pick<SharedCluster, 'access' | 'directory'>,
  organization: string,
): Promise<AdmissionWebhook> {
  let judge: (request: AdmissionRequest) => Promise<Answer> | Answer = () => undefined
  const { crt, key } = await issueCertificate(directory, ['127.0.0.1'])
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { request } = (await json(incoming)) as { request: AdmissionRequest } // an AdmissionReview
    const response = { uid: request.uid, ...answerOf(await judge(request)) }
    outgoing.setHeader('content-type', 'application/json')
    outgoing.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }))
  }
  const server = createServer({ cert: crt, key }, (incoming, outgoing) => {
    // Without an answer the API server refuses the request.
    answer(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  const name = `webhook-of-${organization}`
  // A request of another test, such as a review, has neither.
  const isOurs = (key: string) => `(has(request.${key}) && request.${key}.startsWith('${organization}'))`
  const expression = `${isOurs('namespace')} || ${isOurs('name')}`
  await apiCall(access, 'POST', configurations, {
    metadata: { name },
    webhooks: [
      {
        name: 'webhook.example.com',
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: (await readFile(join(directory, 'ca.crt'))).toString('base64'),
        },
        rules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] }],
        matchConditions: [{ name: 'organization', expression }],
        failurePolicy: 'Fail',
        reinvocationPolicy: 'IfNeeded',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  })
  return {
    decide(next) {
      judge = next
    },
    async remove() {
      await apiCall(access, 'DELETE', `${configurations}/${name}`)
      await closeServer(server)
    },
  }
}

function answerOf(answered: Answer): object {
  if (typeof answered === 'string') return { allowed: false, status: { message: answered } }
  if (!answered) return { allowed: true }
  const patch = JSON.stringify([{ op: 'replace', path: '', value: answered }])
  return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(patch).toString('base64') }
}
