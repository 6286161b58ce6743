import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { type ApiProblem, asProblem } from '../../api/problem.ts'
import { useRead } from '../../api/reads.ts'
import type { Deployment, DeploymentPlan } from '../../api/types.ts'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { navigate } from '../../routing/router.ts'
import type { PageProps } from '../../routing/routes.ts'
import { EnvironmentFrame } from '../environments/environment-frame.tsx'
import { type EnvironmentIds, environmentPath, idsOf, requestPath } from '../environments/paths.ts'
import { type DeployDraft, deltaOf, problemOfDraft } from './compose.ts'
import { DraftForm } from './draft-form.tsx'
import { PlanView } from './plan-view.tsx'

/** The source of a deployment, as its request takes it. */
interface Source {
  readonly delta_id?: string
  readonly score?: readonly { readonly yaml: string }[]
}

const noDraft: DeployDraft = { workload: '', image: '', dependencies: [] }

/** Composes a deployment, shows its plan, and starts it. */
export function DeployPage({ parameters }: PageProps) {
  const ids = idsOf(parameters)
  return (
    <EnvironmentFrame ids={ids} what="Deploy">
      <Composer ids={ids} />
    </EnvironmentFrame>
  )
}

function Composer({ ids }: { readonly ids: EnvironmentIds }) {
  const modules = useDeployedModules(ids)
  const [mode, setMode] = useState<'form' | 'score'>('form')
  const [draft, setDraft] = useState(noDraft)
  const [score, setScore] = useState('')
  const [comment, setComment] = useState('')
  const [plan, setPlan] = useState<{ source: Source; plan: DeploymentPlan } | undefined>(undefined)
  const [problem, setProblem] = useState<ApiProblem | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const missing =
    mode === 'form' ? problemOfDraft(draft, modules) : score.trim() === '' ? 'Paste a Score file.' : undefined
  const run = async (action: () => Promise<void>) => {
    setBusy(true)
    setProblem(undefined)
    try {
      await action()
    } catch (error) {
      setProblem(asProblem(error))
    }
    setBusy(false)
  }
  const showPlan = () =>
    run(async () => {
      const source = mode === 'score' ? { score: [{ yaml: score }] } : await saveDraft(ids, draft, modules)
      setPlan({ source, plan: (await post(ids, source, { dry_run: 'true' })) as DeploymentPlan }) // a dry run
    })
  const deploy = (source: Source) =>
    run(async () => {
      const { id } = (await post(ids, { ...source, comment }, {})) as Deployment // not a dry run
      navigate(environmentPath(ids, `/deployments/${encodeURIComponent(id)}`))
    })
  const change =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      setPlan(undefined)
      set(value)
    }
  return (
    <div class="columns">
      <section class="panel stack" aria-labelledby="compose">
        <h2 id="compose">What to deploy</h2>
        <ModeChoice mode={mode} onChange={change(setMode)} />
        {mode === 'form' ? (
          <DraftForm
            org={ids.org}
            draft={draft}
            workloads={Object.keys(modules)}
            onChange={change(setDraft)}
          />
        ) : (
          <label>
            Score file
            <textarea
              rows={16}
              spellcheck={false}
              value={score}
              onInput={({ currentTarget }) => change(setScore)(currentTarget.value)}
            />
          </label>
        )}
        <label>
          Comment
          <input
            value={comment}
            maxLength={8192}
            onInput={({ currentTarget }) => setComment(currentTarget.value)}
          />
        </label>
        {missing && <p class="muted">{missing}</p>}
        <div class="actions">
          <button
            type="button"
            class={plan ? '' : 'primary'}
            disabled={isBusy || missing !== undefined}
            onClick={() => void showPlan()}
          >
            Show the plan
          </button>
        </div>
        {problem && <ProblemNotice problem={problem} />}
      </section>
      {plan && <PlanView plan={plan.plan} isBusy={isBusy} onDeploy={() => void deploy(plan.source)} />}
    </div>
  )
}

function ModeChoice({
  mode,
  onChange,
}: {
  readonly mode: 'form' | 'score'
  readonly onChange: (mode: 'form' | 'score') => void
}) {
  return (
    <fieldset class="choice">
      <legend>Source</legend>
      <label>
        <input type="radio" name="mode" checked={mode === 'form'} onChange={() => onChange('form')} /> Form
      </label>
      <label>
        <input type="radio" name="mode" checked={mode === 'score'} onChange={() => onChange('score')} /> Score
        file
      </label>
    </fieldset>
  )
}

/** Modules that are deployed now; none before the first deployment. */
function useDeployedModules(ids: EnvironmentIds): Readonly<Record<string, unknown>> {
  const environment = useRead('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}', { path: requestPath(ids) })
  const { from_deploy, last_deploy } = environment.data ?? {}
  const set = (from_deploy ?? last_deploy)?.set_id
  const { data } = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/sets/{set_id}',
    set ? { path: { org_id: ids.org, app_id: ids.app, set_id: set } } : undefined,
  )
  return data && 'id' in data ? data.modules : {}
}

async function saveDraft(
  ids: EnvironmentIds,
  draft: DeployDraft,
  modules: Readonly<Record<string, unknown>>,
): Promise<Source> {
  const { id } = await call('POST /orgs/{org_id}/apps/{app_id}/deltas', {
    path: { org_id: ids.org, app_id: ids.app },
    body: { metadata: { env_id: ids.env }, ...deltaOf(draft, modules) },
  })
  return { delta_id: id }
}

function post(
  ids: EnvironmentIds,
  body: Source & { readonly comment?: string },
  query: { readonly dry_run?: 'true' },
): Promise<unknown> {
  return call('POST /orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys', {
    path: requestPath(ids),
    query,
    body,
  })
}
