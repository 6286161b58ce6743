import { readFile } from 'node:fs/promises'
import type { RunningNode } from '../../dev/node/node.ts'
import type { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { eventually, moduleWith, type Organization } from '../cluster/support/client.ts'
import { namespaceOf } from '../cluster/support/observing.ts'
import { configMap } from '../cluster/support/templates.ts'

const environment = 'large'
const name = `shop.${environment}.upgrade`
const endsWithinMs = 120_000

interface ConfigMaps {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly uid: string } }[]
}

/** A deployment of as many resources, each a ConfigMap. Half of them wait until `open` is called. */
export async function startLargeDeployment(
  organization: Organization,
  { controlPlane }: RunningNode,
  count: number,
) {
  const namespace = namespaceOf(organization, environment)
  const outputs = { bucket: '{{ .id }}', arn: 'arn:aws:s3:::one' }
  const define = (kind: string, region: string) =>
    organization.define(kind, {
      type: 's3',
      driverType: 'quartermaster/template',
      driverInputs: {
        values: {
          templates: { manifests: { one: configMap('s3-{{ .id }}') }, outputs: { ...outputs, region } },
        },
      },
      criteria: [{ class: kind }],
    })
  await define('independent', 'eu-north-1')
  await define('dependent', "${resources['config.default#gate'].outputs.value}")
  await organization.define('gate', {
    type: 'config',
    driverType: 'quartermaster/echo',
    driverInputs: {
      values: { value: 'eu-north-1' },
      secretRefs: { token: { secret: 'gate', key: 'token' } },
    },
    criteria: [{ resId: 'gate' }],
  })
  await organization.application('shop')
  await organization.environment('shop', environment)
  const externals = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `bucket-${index}`,
      { type: 's3', class: index % 2 === 0 ? 'independent' : 'dependent' },
    ]),
  )
  await organization.apply('deploymentsets', 'DeploymentSet', 'shop.large', {
    applicationName: 'shop',
    modules: { backend: moduleWith(externals) },
    shared: {},
  })
  await organization.apply('environmentdeployments', 'EnvironmentDeployment', name, {
    environmentName: `shop.${environment}`,
    setName: 'shop.large',
  })

  /** The ConfigMaps of the resources, by name. */
  async function configMaps(): Promise<ReadonlyMap<string, string>> {
    const { body } = await organization.kube<ConfigMaps>('GET', `/api/v1/namespaces/${namespace}/configmaps`)
    const ours = body.items?.filter(({ metadata }) => metadata.name.startsWith('s3-')) ?? []
    return new Map(ours.map(({ metadata }) => [metadata.name, metadata.uid]))
  }

  return {
    configMaps,
    untilRunning: () =>
      eventually('the first ConfigMap', endsWithinMs, async () => {
        return (await configMaps()).size > 0 || undefined
      }),
    read: () => organization.get<EnvironmentDeployment>('environmentdeployments', name),
    /** Makes the Secret for which half of the resources wait. */
    open: () =>
      organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
        metadata: { name: 'gate' },
        stringData: { token: 'open' },
      }),
    ended: () => organization.ended(name, endsWithinMs),
    /** The names of the ConfigMaps that the API server created, one entry for each creation. */
    async creations(): Promise<string[]> {
      const lines = (await readFile(controlPlane.auditLogPath ?? '', 'utf8')).split('\n')
      return lines
        .filter((line) => line.includes(namespace) && line.includes('"configmaps"'))
        .map((line) => JSON.parse(line))
        .filter(({ objectRef, responseStatus }) => {
          return responseStatus.code === 201 && objectRef.name?.startsWith('s3-')
        })
        .map(({ objectRef }) => objectRef.name)
    },
  }
}
