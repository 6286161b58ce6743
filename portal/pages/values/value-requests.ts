import { call } from '../../api/client.ts'
import { invalidate } from '../../api/read-store.ts'
import type { changedValueBody, newValueBody } from './value-schema.ts'

/** Whose values they are: an application, or an environment if `env` is not empty. */
export interface ValuesOwner {
  readonly org: string
  readonly app: string
  readonly env: string
}

/** The path parameters of requests about values; `env_id` only for an environment. */
export function pathOf({ org, app, env }: ValuesOwner) {
  return { org_id: org, app_id: app, env_id: env }
}

const applicationValues = '/orgs/{org_id}/apps/{app_id}/values'
const environmentValues = '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/values'

/** Values of an application show in its environments too. */
function readValuesAgain({ org, app }: ValuesOwner): Promise<void> {
  return invalidate(`/orgs/${encodeURIComponent(org)}/apps/${encodeURIComponent(app)}/`)
}

/** Creates a value. */
export async function createValue(owner: ValuesOwner, body: ReturnType<typeof newValueBody>): Promise<void> {
  const path = pathOf(owner)
  if (owner.env === '') await call(`POST ${applicationValues}`, { path, body })
  else await call(`POST ${environmentValues}`, { path, body })
  await readValuesAgain(owner)
}

/** Changes a value. */
export async function changeValue(
  owner: ValuesOwner,
  key: string,
  body: ReturnType<typeof changedValueBody>,
): Promise<void> {
  const path = { ...pathOf(owner), value_key: key }
  if (owner.env === '') await call(`PATCH ${applicationValues}/{value_key}`, { path, body })
  else await call(`PATCH ${environmentValues}/{value_key}`, { path, body })
  await readValuesAgain(owner)
}

/** Deletes a value. */
export async function deleteValue(owner: ValuesOwner, key: string): Promise<void> {
  const path = { ...pathOf(owner), value_key: key }
  if (owner.env === '') await call(`DELETE ${applicationValues}/{value_key}`, { path })
  else await call(`DELETE ${environmentValues}/{value_key}`, { path })
  await readValuesAgain(owner)
}
