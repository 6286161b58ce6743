import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { parseAllDocuments, stringify } from 'yaml'
import { apiCall, eventually } from '../../../dev/control-plane/kubernetes.ts'
import { issueCertificate } from '../../../dev/development-authority.ts'
import { giveSampleSecrets } from '../../../dev/sample-secrets.ts'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { makeTestOrganization, type Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const examples = join(import.meta.dirname, '../../../examples')
const documents: KubeObject[] = readdirSync(examples)
  .filter((name) => name.endsWith('.yaml'))
  .flatMap((name) => parseAllDocuments(readFileSync(join(examples, name), 'utf8')).map((each) => each.toJS()))
const password = 'example-only'

const kubectl = (...args: string[]) =>
  execFileSync(cluster.kubectl, ['--kubeconfig', cluster.kubeconfigPath, ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
    // Objects of other test files are listed too.
    maxBuffer: 256 * 1024 * 1024,
  })

/** Resources without the fields that differ between organizations. */
function neutral(resources: readonly ActiveResource[]): string[] {
  const names = resources.map(
    ({ metadata, spec }) => [metadata.name, `${spec.type}#${spec.resourceId}`] as const,
  )
  return resources
    .map(({ spec, status }) =>
      JSON.stringify([spec.type, spec.class, spec.resourceId, status?.outputs, status?.objects?.length]),
    )
    .map((text) =>
      names.reduce(
        (result, [name, descriptor]) =>
          result.replaceAll(name, descriptor).replaceAll(name.slice(0, 8), descriptor),
        text,
      ),
    )
    .sort()
}

async function resourcesOf(namespace: string): Promise<ActiveResource[]> {
  const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${namespace}/activeresources`
  return (await apiCall<{ items: ActiveResource[] }>(cluster.access, 'GET', path)).items
}

describe('the examples by kubectl', () => {
  beforeAll(async () => {
    const [namespace, ...rest] = documents
    const namespaceFile = join(cluster.directory, 'namespace.yaml')
    writeFileSync(namespaceFile, stringify(namespace))
    kubectl('apply', '-f', namespaceFile)
    await giveSampleSecrets(cluster.access, 'acme', cluster.directory)
    const file = join(cluster.directory, 'shuffled.yaml')
    // The worst order: every object before its references.
    writeFileSync(file, [namespace, ...rest.reverse()].map((each) => stringify(each)).join('---\n'))
    kubectl('apply', '-f', file)
  })

  test('applied in any order they end in a deployment that succeeded', () => {
    kubectl(
      'wait',
      '--for=condition=Ready',
      '-n',
      'acme',
      'environmentdeployments.quartermaster.dev/shop.staging.1',
      '--timeout=60s',
    )
  })

  // Calls are made when something happens, the example of a Workload is a Score file, and builds register images: webhooks,
  // workloads and images in test/cluster wait for these.
  const elsewhere = new Set(['WebhookCall', 'Workload', 'Registry', 'ArtefactVersion', 'AutomationRule'])
  test.each(kinds.filter(({ kind, status }) => status && !elsewhere.has(kind)))(
    '`kubectl wait --for=condition=Ready` works on $kind',
    ({ plural }) => {
      kubectl(
        'wait',
        '--for=condition=Ready',
        '-n',
        'acme',
        `${plural}.quartermaster.dev`,
        '--all',
        '--timeout=60s',
      )
    },
  )

  test('`kubectl get quartermaster` shows readable columns', () => {
    const shown = kubectl('get', 'quartermaster', '-n', 'acme')
    expect(shown).toMatch(/ENVIRONMENT +TYPE +RESOURCE +DEFINITION +READY +REASON +AGE/)
    expect(shown).toMatch(
      /shop\.staging +postgres +modules\.backend\.externals\.db +postgres-development +True/,
    )
  })

  test('no secret is in any object but Secrets', () => {
    const names = kinds.map(({ plural }) => `${plural}.quartermaster.dev`).join(',')
    const all = kubectl('get', `${names},events,configmaps`, '-A', '-o', 'json')
    for (const secret of [password, cluster.cloudflare.token]) {
      expect(all).not.toContain(secret)
      expect(all).not.toContain(Buffer.from(secret).toString('base64'))
    }
    expect(all).not.toContain('PRIVATE KEY')
  })
})

describe('the same over REST', () => {
  let organization: Organization
  let deploymentId = ''
  const send = async (method: string, path: string, body: unknown, status: number) => {
    const answer = await organization.rest(method, path, body)
    expect([path, answer.status, answer.body]).toEqual([path, status, expect.anything()])
    return answer.body
  }

  beforeAll(async () => {
    organization = await makeTestOrganization(cluster, 'rest')
  })

  test('everything in the examples can be written in REST', async () => {
    await send('POST', '/apps', { id: 'shop', name: 'Shop', skip_environment_creation: true }, 201)
    await send('POST', '/apps/shop/envs', { id: 'staging', name: 'Staging', type: 'development' }, 201)
    const { crt, key } = await issueCertificate(cluster.directory, ['*.example.test'])
    const tls = { 'tls.crt': crt, 'tls.key': key }
    for (const { kind, metadata, spec } of documents) {
      if (kind === 'SharedValue') {
        const { key, value, description } = spec as Record<string, string> // of this kind
        await send('POST', '/apps/shop/values', { key, value, description }, 201)
      }
      if (kind === 'ResourceAccount')
        await send('POST', '/resources/accounts', accountBody(metadata.name), 200)
      if (kind === 'ResourceDriver')
        await send('POST', '/resources/drivers', driverBody(metadata.name, spec as never), 200)
      if (kind === 'ResourceDefinition')
        await send(
          'POST',
          '/resources/defs',
          definitionBody(metadata.name, spec as never, { tls, owner: organization.id }),
          200,
        )
    }
    const delta = documents.find(({ kind }) => kind === 'DeploymentDelta')?.spec as {
      modules: object
      shared: object[]
    }
    const { id } = await send(
      'POST',
      '/apps/shop/deltas',
      { modules: { remove: [], update: {}, ...delta.modules }, shared: delta.shared },
      200,
    )
    const deployment = await send(
      'POST',
      '/apps/shop/envs/staging/deploys',
      { delta_id: id, comment: 'first release' },
      201,
    )
    deploymentId = deployment.id
  })

  test('a client reads its own writes', async () => {
    expect(
      await send('GET', `/apps/shop/envs/staging/deploys/${deploymentId}`, undefined, 200),
    ).toMatchObject({ id: deploymentId })
  })

  test('the deployment succeeds and gives the same resources', async () => {
    await eventually('the deployment', 30_000, async () => {
      const { body } = await organization.rest('GET', `/apps/shop/envs/staging/deploys/${deploymentId}`)
      return body.status === 'succeeded' || undefined
    })
    expect(neutral(await organization.resources())).toEqual(neutral(await resourcesOf('acme')))
    await organization.untilRest(
      '/apps/shop/envs/staging/resources',
      (body: { status: { state: string } }[]) => body.every(({ status }) => status.state === 'active'),
    )
  })

  test('a deployment that cannot be planned fails at once and says why', async () => {
    const body = {
      modules: {
        add: { extra: { profile: 'p', spec: {}, externals: { queue: { type: 'amqp' } } } },
        remove: [],
        update: {},
      },
      shared: [],
    }
    const { id: delta_id } = await send('POST', '/apps/shop/deltas', body, 200)
    await eventually('the end of the one before', 30_000, async () => {
      const { status, body: answer } = await organization.rest('POST', '/apps/shop/envs/staging/deploys', {
        delta_id,
      })
      if (status === 201) deploymentId = answer.id
      return status === 201 || undefined
    })
    await eventually('failed', 30_000, async () => {
      const { body: answer } = await organization.rest(
        'GET',
        `/apps/shop/envs/staging/deploys/${deploymentId}`,
      )
      return answer.status === 'failed' || undefined
    })
    const errors = await send('GET', `/apps/shop/envs/staging/deploys/${deploymentId}/errors`, undefined, 200)
    expect(errors).toMatchObject([{ object_id: 'amqp.default#modules.extra.externals.queue' }])
  })

  test('secrets are write-only', async () => {
    const paths = [
      '/resources/defs',
      '/resources/defs/postgres-development',
      '/apps/shop/envs/staging/resources',
      '/resources/defs/postgres-development/resources',
    ]
    for (const path of paths)
      expect(JSON.stringify((await organization.rest('GET', path)).body)).not.toContain(password)
    for (const log of ['gateway.log', 'operator.log'])
      expect(readFileSync(join(cluster.directory, log), 'utf8')).not.toContain(password)
  })

  test('an environment is deleted over REST with everything in it', async () => {
    const { status } = await organization.rest('DELETE', '/apps/shop/envs/staging')
    expect(status).toBe(202)
    await eventually('the end', 30_000, async () =>
      (await organization.rest('GET', '/apps/shop/envs/staging')).status === 404 ? true : undefined,
    )
    expect(await organization.allResources()).toEqual([])
  })
})

/** An account of the examples as REST spells it, with the token of the development zone. */
function accountBody(id: string) {
  return { id, name: id, type: 'cloudflare', credentials: { token: cluster.cloudflare.token } }
}

/** A driver of the examples as REST spells it. */
function driverBody(
  id: string,
  spec: { type: string; target: string; inputsSchema: object; template: object },
) {
  const { inputsSchema: inputs_schema, ...rest } = spec
  return { id, ...rest, inputs_schema, account_types: [] }
}

/** A definition of the examples as REST spells it, with its secrets in plain text. */
function definitionBody(
  id: string,
  spec: {
    type: string
    driverType: string
    accountName?: string
    driverInputs: { values: object; secretRefs?: Record<string, unknown> }
    provision?: Record<string, { isDependent?: boolean }>
    criteria: { envType?: string; resId?: string }[]
  },
  { tls, owner }: { readonly tls: object; readonly owner: string },
) {
  const { type, driverType, driverInputs, provision = {}, criteria } = spec
  const names = Object.keys(driverInputs.secretRefs ?? {})
  return {
    id,
    name: id,
    type,
    // Its own drivers have the organization's name.
    driver_type: driverType.replace('acme/', `${owner}/`),
    ...(spec.accountName ? { driver_account: spec.accountName } : {}),
    driver_inputs: {
      values: driverInputs.values,
      ...(names.length > 0
        ? { secrets: Object.fromEntries(names.map((name) => [name, name === 'tls' ? tls : password])) }
        : {}),
    },
    provision: Object.fromEntries(
      Object.entries(provision).map(([key, each]) => [key, { is_dependent: each.isDependent ?? false }]),
    ),
    criteria: criteria.map(({ envType, resId }) => ({
      ...(envType ? { env_type: envType } : {}),
      ...(resId ? { res_id: resId } : {}),
    })),
  }
}
