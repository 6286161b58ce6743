import type { ComponentChildren } from 'preact'
import { isLive, useLiveEnvironment } from '../../api/live.ts'
import { endsByItself } from '../../api/problem.ts'
import { useRead } from '../../api/reads.ts'
import { hasApplicationRole, isDeployer } from '../../api/roles.ts'
import { user } from '../../api/session.ts'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { nameOf } from '../../managing/name-of.ts'
import { pathTo } from '../../routing/paths.ts'
import { linkTo, path } from '../../routing/router.ts'
import { type EnvironmentIds, environmentPath, requestPath } from './paths.ts'

const tabs = [
  { label: 'Overview', page: '' },
  { label: 'Graph', page: '/graph' },
  { label: 'Resources', page: '/resources' },
  { label: 'Deployments', page: '/deployments' },
] as const

interface Props {
  readonly ids: EnvironmentIds
  /** What the page shows, for the title of the document. */
  readonly what: string
  readonly children: ComponentChildren
}

/** Frame of the pages of an environment: heading, tabs, what one may do. Follows the changes of the environment. */
export function EnvironmentFrame({ ids, what, children }: Props) {
  const { org, app, env } = ids
  const { data, problem, reload } = useRead('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}', {
    path: requestPath(ids),
  })
  const isRefused = problem !== undefined && !endsByItself(problem)
  useLiveEnvironment(ids, isRefused)
  const crumbs = [
    { label: 'Applications', path: pathTo('/o/:org', { org }) },
    { label: app, path: pathTo('/o/:org/apps/:app', { org, app }) },
  ]
  return (
    <Page
      title={data ? nameOf(data) : env}
      documentTitle={`${what} – ${app} ${env}`}
      crumbs={crumbs}
      actions={
        data && data.status !== 'deleting' && mayDeploy(ids, data.type) ? <DeployLink ids={ids} /> : undefined
      }
    >
      <nav class="tabs" aria-label="Environment">
        <ul>
          {tabs.map(({ label, page }) => (
            <li key={page}>
              <a
                href={linkTo(environmentPath(ids, page))}
                aria-current={isTab(ids, page) ? 'page' : undefined}
              >
                {label}
              </a>
            </li>
          ))}
        </ul>
        {!isRefused && <LiveSign />}
      </nav>
      {problem && <ProblemNotice problem={problem} onRetry={reload} />}
      {data?.status === 'deleting' && (
        <p class="notice notice-wait">This environment is being deleted. {data.status_message ?? ''}</p>
      )}
      {(data || !problem) && children}
    </Page>
  )
}

/** Whether the user may deploy to an environment of a type. */
export function mayDeploy(ids: EnvironmentIds, type: string): boolean {
  return missingRoles(ids, type).length === 0
}

/** The roles that the user lacks to deploy to an environment of a type. */
export function missingRoles({ org, app }: EnvironmentIds, type: string): readonly string[] {
  const roles = user.value?.roles ?? {}
  return [
    ...(hasApplicationRole(roles, org, app, 'developer')
      ? []
      : [`the role developer on the application ${app}`]),
    ...(isDeployer(roles, org, type) ? [] : [`the role deployer on the environment type ${type}`]),
  ]
}

function DeployLink({ ids }: Pick<Props, 'ids'>) {
  return (
    <a class="button primary" href={linkTo(environmentPath(ids, '/deploy'))}>
      Deploy
    </a>
  )
}

function isTab(ids: EnvironmentIds, page: string): boolean {
  const target = environmentPath(ids, page)
  return path.value === target || (page !== '' && path.value.startsWith(`${target}/`))
}

/** Whether the page follows changes, or tries to reach the gateway again. */
function LiveSign() {
  return (
    <p class={isLive.value ? 'live live-on' : 'live'}>
      <span class="live-dot" aria-hidden="true" /> {isLive.value ? 'Live' : 'Connecting …'}
    </p>
  )
}
