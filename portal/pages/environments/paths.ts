import type { PathParameters } from '../../routing/paths.ts'
import { pathTo } from '../../routing/paths.ts'

/** IDs of an environment, from the address of its pages. */
export interface EnvironmentIds {
  readonly org: string
  readonly app: string
  readonly env: string
}

/** Reads the IDs from the parameters of a page. */
export function idsOf({ org = '', app = '', env = '' }: PathParameters): EnvironmentIds {
  return { org, app, env }
}

/** The path parameters of requests about an environment. */
export function requestPath({ org, app, env }: EnvironmentIds) {
  return { org_id: org, app_id: app, env_id: env }
}

/** Returns the path of a page of an environment. */
export function environmentPath(ids: EnvironmentIds, page = ''): string {
  return pathTo('/o/:org/apps/:app/envs/:env', { ...ids }) + page
}
