import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { type ApiProblem, asProblem } from '../../api/problem.ts'
import { hasOrganizationRole } from '../../api/roles.ts'
import { user } from '../../api/session.ts'
import type { ActiveResource } from '../../api/types.ts'
import { Confirmation } from '../../components/confirmation.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { setQuery } from '../../routing/router.ts'
import { type EnvironmentIds, requestPath } from '../environments/paths.ts'
import { descriptorOf } from './states.ts'

interface Props {
  readonly ids: EnvironmentIds
  readonly resource: ActiveResource
}

const texts = {
  delete: {
    button: 'Delete',
    title: 'Delete this resource?',
    text: 'Its infrastructure is deprovisioned, and its data is lost. If a workload still uses it, the next deployment provisions it again.',
  },
  detach: {
    button: 'Detach',
    title: 'Detach this resource?',
    text: 'The infrastructure remains and costs money, but Quartermaster no longer manages it. Use this only for a resource that cannot be deprovisioned.',
  },
} as const

/** What an administrator may do with a resource. */
export function ResourceActions({ ids, resource }: Props) {
  const [asked, setAsked] = useState<keyof typeof texts | undefined>(undefined)
  const [problem, setProblem] = useState<ApiProblem | undefined>(undefined)
  if (!hasOrganizationRole(user.value?.roles ?? {}, ids.org, 'administrator')) return null
  const remove = async (detach: boolean) => {
    setAsked(undefined)
    setProblem(undefined)
    const { type, class: resourceClass, res_id } = resource
    try {
      await call('DELETE /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/{res_type}/{res_id}', {
        path: { ...requestPath(ids), res_type: `${type}.${resourceClass}`, res_id },
        query: detach ? { detach: 'true' } : {},
      })
      setQuery({ resource: undefined })
    } catch (error) {
      setProblem(asProblem(error))
    }
  }
  return (
    <div class="actions">
      {(['delete', 'detach'] as const).map((action) => (
        <button key={action} type="button" class="danger" onClick={() => setAsked(action)}>
          {texts[action].button}
        </button>
      ))}
      {problem && <ProblemNotice problem={problem} />}
      {asked && (
        <Confirmation
          title={texts[asked].title}
          button={texts[asked].button}
          onConfirm={() => void remove(asked === 'detach')}
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
