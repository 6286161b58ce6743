import type { DeploymentPlan } from '../../api/types.ts'
import { State } from '../../components/state.tsx'
import type { Tone } from '../../components/tones.ts'

interface Props {
  readonly plan: DeploymentPlan
  readonly isBusy: boolean
  readonly onDeploy: () => void
}

const tones: Readonly<Record<string, Tone>> = {
  create: 'good',
  update: 'wait',
  replace: 'bad',
  retain: 'off',
}

/** What a deployment would do, and the button that starts it. */
export function PlanView({ plan, isBusy, onDeploy }: Props) {
  const { steps, summary, problems } = plan
  const changes = steps.filter(({ action }) => action !== 'unchanged')
  return (
    <section class="panel stack" aria-labelledby="plan">
      <h2 id="plan">Plan</h2>
      <p role="status">
        {summary.create} to create, {summary.update} to update, {summary.replace} to replace, {summary.retain}{' '}
        to retain, {summary.unchanged} unchanged
      </p>
      {problems.length > 0 && (
        <ul class="problems">
          {problems.map(({ object, reason, message }, index) => (
            <li key={index}>
              <p>
                {object && <code>{object}</code>} <strong>{reason}</strong>
              </p>
              <p>{message}</p>
            </li>
          ))}
        </ul>
      )}
      <ul class="rows">
        {changes.map(({ action, descriptor, gu_res_id, def_id, from_def, changed_inputs }) => (
          <li key={`${action} ${gu_res_id}`}>
            <p>
              <State tone={tones[action] ?? 'off'}>{action}</State> <code>{descriptor}</code>
            </p>
            {def_id && (
              <p class="muted">
                by {def_id}
                {from_def && from_def !== def_id && `, until now by ${from_def}`}
              </p>
            )}
            {changed_inputs.length > 0 && <p class="muted">changes {changed_inputs.join(', ')}</p>}
          </li>
        ))}
      </ul>
      {problems.length === 0 && (
        <div class="actions">
          <button type="button" class="primary" disabled={isBusy} onClick={onDeploy}>
            Deploy
          </button>
        </div>
      )}
    </section>
  )
}
