import { useRef, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { useRead } from '../../api/reads.ts'
import type { DeltaRequest, DeploymentPlan, DeploymentSet, PlainDelta } from '../../api/types.ts'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { useAction } from '../../components/use-action.ts'
import { useFormRight } from '../../managing/use-form-right.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { startDeployment } from '../deployments/start.ts'
import { EnvironmentFrame, mayDeploy, missingRoles } from '../environments/environment-frame.tsx'
import { type EnvironmentIds, idsOf, requestPath } from '../environments/paths.ts'
import { type DeployDraft, deltaOf, problemOfDraft } from './compose.ts'
import { DraftForm } from './draft-form.tsx'
import { PlanView } from './plan-view.tsx'

/** The plan of a source, and the set that the source was composed from. */
interface ShownPlan {
  readonly source: Source
  readonly base: string | undefined
  readonly plan: DeploymentPlan
}

/** The source of a deployment, as its request takes it. */
interface Source {
  readonly delta?: DeltaRequest
  readonly score?: readonly { readonly yaml: string }[]
}

const noDraft: DeployDraft = { workload: '', image: '', container: '', dependencies: [] }

/** Composes a deployment, shows its plan, and starts it. */
export function DeployPage({ parameters }: PageProps) {
  const ids = idsOf(parameters)
  const environment = useRead('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}', { path: requestPath(ids) })
  const hasForm = useFormRight(environment.data !== undefined && mayDeploy(ids, environment.data.type))
  return (
    <EnvironmentFrame ids={ids} what="Deploy">
      <ReadView read={{ ...environment, problem: undefined }} what="the environment">
        {({ type, base_set_id }) =>
          hasForm ? (
            <Composer ids={ids} base={base_set_id} />
          ) : (
            <p class="empty">
              Your roles do not allow you to deploy here. Ask an administrator of the organization for{' '}
              {missingRoles(ids, type).join(' and ')}.
            </p>
          )
        }
      </ReadView>
    </EnvironmentFrame>
  )
}

interface ComposerProps {
  readonly ids: EnvironmentIds
  /** The set that a deployment changes; undefined when it is unknown. */
  readonly base: string | undefined
}

function Composer({ ids, base }: ComposerProps) {
  const set = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/sets/{set_id}',
    base ? { path: { org_id: ids.org, app_id: ids.app, set_id: base } } : undefined,
  )
  const modules = modulesOf(set.data)
  // The form keeps its focus while the set of another deployment is read.
  const known = useRef(set.data)
  if (set.data) known.current = set.data
  const [mode, setMode] = useState<'form' | 'score'>('form')
  const [draft, setDraft] = useState(noDraft)
  const [score, setScore] = useState('')
  const [comment, setComment] = useState('')
  const [latest, setPlan] = useState<ShownPlan | undefined>(undefined)
  // Another deployment may change the set, and with it what the source would replace.
  const plan = latest?.base === base ? latest : undefined
  const { isBusy, problem, run } = useAction()
  const source = sourceOf(mode, score, draft, modules)
  const showPlan = (source: Source) =>
    run(async () => {
      const answer: unknown = await call('POST /orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys', {
        path: requestPath(ids),
        query: { dry_run: 'true' },
        body: source,
      })
      setPlan({ source, base, plan: answer as DeploymentPlan }) // of a dry run
    })
  const deploy = ({ source, plan: { base_set_id } }: ShownPlan) =>
    run(() => startDeployment(ids, { ...source, base_set_id, comment }))
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
        {base === undefined && (
          <p class="empty">
            The deployment that this environment starts from is deleted, so its workloads are unknown.
          </p>
        )}
        {mode === 'form' ? (
          base !== undefined && (
            <ReadView read={{ ...set, data: known.current }} what="the deployed workloads">
              {(shown) => (
                <DraftForm
                  org={ids.org}
                  draft={draft}
                  modules={modulesOf(shown) ?? {}}
                  onChange={change(setDraft)}
                />
              )}
            </ReadView>
          )
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
        {typeof source === 'string' && <p class="muted">{source}</p>}
        <div class="actions">
          <button
            type="button"
            class={plan ? '' : 'primary'}
            disabled={isBusy || typeof source !== 'object'}
            onClick={() => typeof source === 'object' && void showPlan(source)}
          >
            Show the plan
          </button>
        </div>
        {problem && <ProblemNotice problem={problem} />}
      </section>
      {plan && <PlanView plan={plan.plan} isBusy={isBusy} onDeploy={() => void deploy(plan)} />}
      {latest && !plan && (
        <p class="notice notice-wait" role="status">
          Another deployment has changed this environment since the plan was shown. Show the plan again.
        </p>
      )}
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

function modulesOf(set: DeploymentSet | PlainDelta | undefined) {
  return set && 'id' in set ? set.modules : undefined
}

/** The source that was entered, or what is missing in it; undefined while the deployed workloads are not known. */
function sourceOf(
  mode: 'form' | 'score',
  score: string,
  draft: DeployDraft,
  modules: Readonly<Record<string, unknown>> | undefined,
): Source | string | undefined {
  if (mode === 'score') return score.trim() === '' ? 'Paste a Score file.' : { score: [{ yaml: score }] }
  return modules && (problemOfDraft(draft, modules) ?? { delta: deltaOf(draft, modules) })
}
