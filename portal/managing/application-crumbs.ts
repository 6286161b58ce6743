import type { Crumb } from '../components/page.tsx'
import { pathTo } from '../routing/paths.ts'

/** The way to the pages of an application. */
export function applicationCrumbs(org: string, app: string): readonly Crumb[] {
  return [
    { label: 'Applications', path: pathTo('/o/:org', { org }) },
    { label: app, path: pathTo('/o/:org/apps/:app', { org, app }) },
  ]
}
