// `make demo`: everything on this machine, a sample deployed by kubectl, then a change of it over REST.
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './control-plane/kubernetes.ts'
import type { Running } from './places.ts'
import { bringUp } from './up.ts'

const examples = join(import.meta.dirname, '..', 'examples')
const environmentPath = '/orgs/acme/apps/shop/envs/staging'
const deploymentExample = '30-deployment.yaml'
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
title('1. The sample by kubectl')
for (const file of readdirSync(examples).filter((name) => name.endsWith('.yaml'))) {
  // Whoever is to hear of the first deployment must be there before it.
  if (file === deploymentExample) await makeWebhook()
  say(`$ kubectl apply -f examples/${file}`)
  kubectl(running, 'apply', '-f', join(examples, file))
}
await finished('shop.staging.1')
showResources(running)

title('2. One change over REST')
const second = await deployChange()
showPlan(running, second)

title('3. Its DNS name and its certificate')
await showName(running)

title('4. The webhook calls')
await showCalls(second)

title('Where to go on')
say(`  the gateway                ${running.gatewayUrl}/orgs`)
say(`  its operations, to try     ${running.gatewayUrl}/docs`)
say(`  a session, as ada          ${running.gatewayUrl}/auth/sign-in`)
say('  addresses and the token    .dev/env\n')
say('  . .dev/env && export KUBECONFIG && kubectl get quartermaster -n acme')
say(
  `  . .dev/env && curl -s -H "Authorization: Bearer $ADMIN_TOKEN" $GATEWAY_URL${environmentPath}/resources`,
)
say('  . .dev/env && curl -s --cacert .dev/ca.crt $WEBHOOK_RECEIVER_URL/__received')
say('  make down')

/** Asks a DNS server for the name, as anybody would, and looks at what the Ingress serves it with. */
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
      say(`      it fits      ${certificate.checkHost(host) === undefined ? 'no' : 'yes'}`)
    }
  }
}

/** Has the receiver on this machine told of deployments; when the demo runs again, of another port and with a new secret. */
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
  // The gateway hears of what kubectl applied a moment later.
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

/** What the receiver was told of the deployments of this run, and whether the signatures were good. */
async function showCalls(last: string): Promise<void> {
  const calls = await eventually('the last call', calledWithinMs, async () => {
    const received = (await running.receiver.received()).filter(({ path }) => path === hookPath)
    const found = received.map(({ body, verified }): Call => ({ ...JSON.parse(body), verified }))
    const isTold = found.some((each) => each.deployment === last && each.event === 'deployment.finished')
    return isTold ? found : undefined
  })
  for (const { event, deployment, status, verified } of calls) {
    const signature = verified ? 'verified' : 'not verified'
    say(`  ${event.padEnd(20)}  ${deployment}  ${status.padEnd(11)}  signature ${signature}`)
  }
  say('')
}

/** A bucket more for the backend, or, when the demo runs again, one less. */
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
  const body = { delta_id: delta.id, comment: has ? 'no reports any more' : 'a bucket for reports' }
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
    `deployment '${id}' ${deployment.status} (waited ${((performance.now() - started) / 1000).toFixed(1)} s)\n`,
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

/** The answer of the gateway, of the shape that the caller knows the operation to have. */
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

function kubectl(at: Running, ...args: string[]): string {
  return execFileSync(at.kubectl, ['--kubeconfig', at.kubeconfig, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

function title(text: string): void {
  say(`\n── ${text}\n`)
}

function say(line: string): void {
  console.log(line)
}
