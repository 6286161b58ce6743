// `make demo`: starts everything on this machine, deploys a sample with kubectl, then changes it over REST.
import { X509Certificate } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './control-plane/kubernetes.ts'
import { kubectl, kubectlWith } from './kubectl.ts'
import type { Running } from './places.ts'
import { deployScore } from './score/deploy.ts'
import { bringUp } from './up.ts'

const examples = join(import.meta.dirname, '..', 'examples')
const environmentPath = '/orgs/acme/apps/shop/envs/staging'
const deploymentExample = '30-deployment.yaml'
const scoreExample = 'score/score.yaml'
const webhooksPath = '/orgs/acme/apps/shop/webhooks'
const hookId = 'demo'
const hookPath = '/shop'
const deployedWithinMs = 60_000
const calledWithinMs = 30_000

interface SigningSecret {
  readonly signing_secret: string
}

interface Call {
  readonly event: string
  readonly deployment: string
  readonly status: string
  readonly verified: boolean | null
}

interface Deployment {
  readonly id: string
  readonly status: string
}

interface ActiveResourceObject {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly type: string
    readonly class: string
    readonly resourceId: string
    readonly definition: { readonly explanation?: string }
  }
  readonly status?: { readonly outputs?: Record<string, unknown>; readonly outputsSecretName?: string }
}

const running = await bringUp(say)
title('1. Deploy the sample with kubectl')
for (const file of readdirSync(examples).filter((name) => name.endsWith('.yaml'))) {
  // A webhook is called only for events after its creation.
  if (file === deploymentExample) await makeWebhook()
  say(`$ kubectl apply -f examples/${file}`)
  kubectl(running, 'apply', '-f', join(examples, file))
}
await finished('shop.staging.1')
showResources(running)

title('2. Deploy a Score file')
for await (const line of deployScore(join(examples, scoreExample), (...args) =>
  kubectlWith(running, ...args),
))
  say(line)

title('3. Change the deployment over REST')
const second = await deployChange()
showPlan(running, second)

title('4. DNS name and certificate')
await showName(running)

title('5. Webhook calls')
await showCalls(second)

title('Next steps')
say(`  portal (as 'ada', or token) ${running.gatewayUrl}/o/acme/apps/shop/envs/staging/graph`)
say(`  REST interface              ${running.gatewayUrl}/orgs`)
say(`  REST reference              ${running.gatewayUrl}/docs`)
say('  addresses and API token     .dev/env\n')
say('  . .dev/env && export KUBECONFIG && kubectl get quartermaster -n acme')
say(
  `  . .dev/env && curl -s -H "Authorization: Bearer $ADMIN_TOKEN" $GATEWAY_URL${environmentPath}/resources`,
)
say('  . .dev/env && curl -s --cacert .dev/ca.crt $WEBHOOK_RECEIVER_URL/__received')
say('  make down')

/** Resolves the name with the DNS server, and shows the certificate of its Ingress. */
async function showName(at: Running): Promise<void> {
  const dns = activeResources(at).find(({ spec }) => spec.type === 'dns')
  const host = String(dns?.status?.outputs?.['host'])
  const { dnsPort } = at.cloudflare
  const resolver = new Resolver()
  resolver.setServers([`127.0.0.1:${dnsPort}`])
  const addresses = await resolver.resolve4(host)
  say(`$ dig @127.0.0.1 -p ${dnsPort} +short ${host}\n${addresses.join('\n')}\n`)
  say('$ kubectl get ingress -A')
  say(kubectl(at, 'get', 'ingress', '-A'))
  const { items } = JSON.parse(kubectl(at, 'get', 'ingress', '-A', '-o', 'json'))
  for (const { metadata, spec } of items) {
    for (const { hosts, secretName } of spec.tls ?? []) {
      if (!hosts?.includes(host)) continue
      const secret = JSON.parse(
        kubectl(at, 'get', 'secret', secretName, '-n', metadata.namespace, '-o', 'json'),
      )
      const certificate = new X509Certificate(Buffer.from(secret.data['tls.crt'], 'base64'))
      say(`  https://${host}/`)
      say(`      Secret       ${metadata.namespace}/${secretName} (${secret.type})`)
      say(`      certificate  ${certificate.subjectAltName ?? ''}, until ${certificate.validTo}`)
      say(`      valid for it ${certificate.checkHost(host) === undefined ? 'no' : 'yes'}`)
    }
  }
}

/** Creates a webhook for the receiver on this machine; a second run updates its port and rotates its secret. */
async function makeWebhook(): Promise<void> {
  const { receiver } = running
  const payload = {
    event: '${event}',
    application: '${app_id}',
    environment: '${env_id}',
    deployment: '${deploy_id}',
    status: '${status}',
  }
  const body = {
    url: `${receiver.url.replace('https://', '')}${hookPath}`,
    payload,
    triggers: ['started', 'finished'].map((type) => ({ scope: 'deployment', type })),
  }
  // The gateway's cache receives objects from kubectl a moment later.
  const known = await eventually('the application', 10_000, () => rest<{ id: string }[]>('GET', webhooksPath))
  const isNew = !known.some(({ id }) => id === hookId)
  const [method, path] = isNew ? ['POST', webhooksPath] : ['PATCH', `${webhooksPath}/${hookId}`]
  say(`${method} ${path}   ${JSON.stringify({ id: hookId, url: body.url, triggers: body.triggers })}`)
  const made = await rest<Partial<SigningSecret>>(method, path, { ...body, ...(isNew ? { id: hookId } : {}) })
  const { signing_secret: secret } = made.signing_secret
    ? made
    : await rest<SigningSecret>('POST', `${webhooksPath}/${hookId}/actions/rotate-secret`)
  await receiver.trust(hookPath, secret ?? '')
}

/** Shows the calls that the receiver got in this run, and whether their signatures are valid. */
async function showCalls(last: string): Promise<void> {
  const calls = await eventually('the last call', calledWithinMs, async () => {
    const received = (await running.receiver.received()).filter(({ path }) => path === hookPath)
    const found = received.map(({ body, verified }): Call => ({ ...JSON.parse(body), verified }))
    const isComplete = found.some((each) => each.deployment === last && each.event === 'deployment.finished')
    return isComplete ? found : undefined
  })
  for (const { event, deployment, status, verified } of calls) {
    const signature = verified ? 'verified' : 'not verified'
    say(`  ${event.padEnd(20)}  ${deployment}  ${status.padEnd(11)}  signature ${signature}`)
  }
  say('')
}

/** Adds a bucket to the backend; a second run removes it. */
async function deployChange(): Promise<string> {
  const resources = await rest<{ res_id: string }[]>('GET', `${environmentPath}/resources`)
  const has = resources.some(({ res_id: id }) => id === 'modules.backend.externals.reports')
  const operation = has
    ? { op: 'remove', path: '/externals/reports' }
    : { op: 'add', path: '/externals/reports', value: { type: 's3' } }
  say(`PATCH …/deltas/{id}   [{"modules": {"update": {"backend": [${JSON.stringify(operation)}]}}}]`)
  const delta = await rest<{ id: string }>('POST', '/orgs/acme/apps/shop/deltas', {
    metadata: { env_id: 'staging' },
  })
  await rest('PATCH', `/orgs/acme/apps/shop/deltas/${delta.id}`, [
    { modules: { update: { backend: [operation] } } },
  ])
  const body = {
    delta_id: delta.id,
    comment: has ? 'remove the bucket for reports' : 'add a bucket for reports',
  }
  const { id } = await rest<Deployment>('POST', `${environmentPath}/deploys`, body)
  say(`POST ${environmentPath}/deploys   ${JSON.stringify({ comment: body.comment })}\n`)
  await finished(id)
  return id
}

async function finished(id: string): Promise<void> {
  const started = performance.now()
  const deployment = await eventually(`deployment '${id}'`, deployedWithinMs, async () => {
    const found = await rest<Deployment>('GET', `${environmentPath}/deploys/${id}`)
    return ['succeeded', 'failed'].includes(found.status) ? found : undefined
  })
  say(
    `deployment '${id}' ${deployment.status} (after ${((performance.now() - started) / 1000).toFixed(1)} s)\n`,
  )
  if (deployment.status !== 'succeeded') {
    say(JSON.stringify(await rest('GET', `${environmentPath}/deploys/${id}/errors`), undefined, 2))
    process.exit(1)
  }
}

function showResources(at: Running): void {
  for (const { spec, status } of activeResources(at)) {
    say(`  ${spec.type}.${spec.class}#${spec.resourceId}`)
    say(`      why      ${spec.definition.explanation ?? ''}`)
    say(`      outputs  ${JSON.stringify(status?.outputs ?? {})}`)
    if (status?.outputsSecretName) say(`      secret   Secret '${status.outputsSecretName}'`)
  }
  say('')
}

function showPlan(at: Running, id: string): void {
  const { status } = JSON.parse(
    kubectl(at, 'get', 'environmentdeployments.quartermaster.dev', id, '-n', 'acme', '-o', 'json'),
  )
  const { steps = [], ...counts } = status.plan
  say(
    `  ${Object.entries(counts)
      .map(([action, count]) => `${action} ${String(count)}`)
      .join(', ')}`,
  )
  for (const { action, object } of steps) say(`      ${action}  ${object}`)
}

function activeResources(at: Running): ActiveResourceObject[] {
  const { items } = JSON.parse(
    kubectl(at, 'get', 'activeresources.quartermaster.dev', '-n', 'acme', '-o', 'json'),
  )
  return items
}

/** Calls the gateway; the caller names the type of the answer. */
async function rest<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${running.adminToken}`, 'content-type': 'application/json' }
  const answer = await fetch(running.gatewayUrl + path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

function title(text: string): void {
  say(`\n── ${text}\n`)
}

function say(line: string): void {
  console.log(line)
}
