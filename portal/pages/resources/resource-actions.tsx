import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { useRead } from '../../api/reads.ts'
import { hasOrganizationRole } from '../../api/roles.ts'
import { user } from '../../api/session.ts'
import type { ActiveResource } from '../../api/types.ts'
import { Confirmation } from '../../components/confirmation.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { useAction } from '../../components/use-action.ts'
import { setQuery } from '../../routing/router.ts'
import { startDeployment } from '../deployments/start.ts'
import { mayDeploy } from '../environments/environment-frame.tsx'
import { type EnvironmentIds, requestPath } from '../environments/paths.ts'
import { descriptorOf } from './states.ts'

interface Props {
  readonly ids: EnvironmentIds
  readonly resource: ActiveResource
}

const texts = {
  redeploy: {
    button: 'Redeploy',
    title: 'Provision everything again?',
    text: 'The environment is deployed again as it is, and its drivers are called again for all resources, this one included, even if nothing has changed.',
  },
  delete: {
    button: 'Delete',
    title: 'Delete this resource?',
    text: 'Its infrastructure is deprovisioned, and its data is lost. If a workload still uses it, the next deployment provisions it again.',
  },
  detach: {
    button: 'Detach',
    title: 'Detach this resource?',
    text: 'The infrastructure remains and costs money, but Quartermaster no longer manages it, and the next deployment provisions a new one. Use this only for a resource that cannot be deprovisioned, and note its identity first: the event of the detachment names it for about an hour.',
  },
} as const

type ActionName = keyof typeof texts

/** What the user may do with a resource: deployers redeploy, administrators delete and detach. */
export function ResourceActions({ ids, resource }: Props) {
  const [asked, setAsked] = useState<ActionName | undefined>(undefined)
  const { isBusy, problem, run } = useAction()
  const { data: environment } = useRead('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}', {
    path: requestPath(ids),
  })
  const isAdministrator = hasOrganizationRole(user.value?.roles ?? {}, ids.org, 'administrator')
  const isDeployed = environment?.last_deploy !== undefined && resource.unused_since === undefined
  const offered: readonly ActionName[] = [
    ...(isDeployed && mayDeploy(ids, environment.type) ? (['redeploy'] as const) : []),
    ...(isAdministrator ? (['delete', 'detach'] as const) : []),
  ]
  if (offered.length === 0) return null
  const perform = (action: ActionName) => {
    setAsked(undefined)
    void run(() => (action === 'redeploy' ? redeploy(ids, resource) : remove(ids, resource, action)))
  }
  return (
    <div class="actions">
      {offered.map((action) => (
        <button
          key={action}
          type="button"
          class={action === 'redeploy' ? '' : 'danger'}
          disabled={isBusy}
          onClick={() => setAsked(action)}
        >
          {texts[action].button}
        </button>
      ))}
      {problem && <ProblemNotice problem={problem} />}
      {asked && (
        <Confirmation
          title={texts[asked].title}
          button={texts[asked].button}
          onConfirm={() => perform(asked)}
          onCancel={() => setAsked(undefined)}
        >
          <p>
            <code>{descriptorOf(resource)}</code>
          </p>
          <p>{texts[asked].text}</p>
        </Confirmation>
      )}
    </div>
  )
}

/** The API provisions again only with a whole deployment, which keeps the order of dependencies. */
function redeploy(ids: EnvironmentIds, resource: ActiveResource): Promise<void> {
  return startDeployment(ids, { mode: 'full', comment: `Redeploy for ${descriptorOf(resource)}` })
}

async function remove(
  ids: EnvironmentIds,
  { type, class: resourceClass, res_id }: ActiveResource,
  action: 'delete' | 'detach',
): Promise<void> {
  await call('DELETE /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/{res_type}/{res_id}', {
    path: { ...requestPath(ids), res_type: `${type}.${resourceClass}`, res_id },
    query: action === 'detach' ? { detach: 'true' } : {},
  })
  setQuery({ resource: undefined })
}
