import type { Environment } from '../../../operator/api/environment.ts'
import type { SharedValue } from '../../../operator/api/shared-value.ts'
import type { Organization } from '../support/client.ts'
import type { RunSettings } from './step.ts'

/** The environment that has a history. */
export const old = 'old'
/** An environment without a history. */
export const fresh = 'fresh'
/** An environment that starts from the last deployment of the old one. */
export const copy = 'copy'

/** What is true of an environment beside its deployments. */
interface Circumstances {
  readonly typeName: string
  readonly run: RunSettings
  /** The shared value `LEVEL` of the environment; undefined without. */
  readonly level: string | undefined
}

async function circumstancesOf(organization: Organization): Promise<Circumstances> {
  const environment = await organization.get<Environment>('environments', `shop.${old}`)
  if (!environment) throw new Error(`environment '${old}' is missing`)
  const values = await organization.list<SharedValue>('sharedvalues')
  const { typeName, paused, replicas, restartTimes } = environment.spec
  const own = values.find(({ spec }) => spec.environmentId === old)
  return { typeName, run: { paused, replicas, restartTimes }, level: own?.spec.value }
}

/** Makes an environment in the circumstances of the old one; `make` does it, instead of kubectl. */
export async function makeLikeOld(
  organization: Organization,
  id: string,
  make = (typeName: string): Promise<unknown> => organization.environment('shop', id, typeName),
): Promise<void> {
  const { typeName, run, level } = await circumstancesOf(organization)
  if (level !== undefined) await overrideLevel(organization, id, level)
  await make(typeName)
  await setRun(organization, id, run)
}

/** Sets the shared value `LEVEL` of an environment. */
export function overrideLevel(organization: Organization, environmentId: string, value: string) {
  const spec = { applicationName: 'shop', environmentId, key: 'LEVEL', value }
  return organization.apply('sharedvalues', 'SharedValue', `level-${environmentId}`, spec)
}

/** Sets what an environment says about its pods, and takes back what it said before. */
export async function setRun(organization: Organization, id: string, settings: RunSettings): Promise<void> {
  const known = await organization.get<Environment>('environments', `shop.${id}`)
  const operations = (['paused', 'replicas', 'restartTimes'] as const).flatMap((field) => {
    const [path, value] = [`/spec/${field}`, settings[field]]
    if (value !== undefined) return [{ op: 'add', path, value }]
    return known?.spec[field] === undefined ? [] : [{ op: 'remove', path }]
  })
  const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/environments/shop.${id}`
  const { status } = await organization.kube('PATCH', path, operations, 'application/json-patch+json')
  if (status !== 200) throw new Error(`'${path}' was answered with ${status}`)
}

const quota = 'secrets-of-a-history'

/** Limits how many Secrets the organization has. */
export async function limitSecrets({ id, kube }: Organization, most: number | null): Promise<void> {
  const path = `/api/v1/namespaces/${id}/resourcequotas/${quota}`
  if (most === null) await kube('DELETE', path)
  else
    await kube(
      'PATCH',
      `${path}?fieldManager=test&force=true`,
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: quota },
        spec: { hard: { 'count/secrets': most } },
      },
      'application/apply-patch+yaml',
    )
}
