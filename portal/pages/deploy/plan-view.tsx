import { useState } from 'preact/hooks'
import type { DeploymentPlan } from '../../api/types.ts'
import { State } from '../../components/state.tsx'
import type { Tone } from '../../components/tones.ts'
import { ActionNotes } from '../../managing/action-notes.tsx'

interface Props {
  readonly plan: DeploymentPlan
  readonly isBusy: boolean
  readonly onDeploy: () => void
}

/** In the order in which they are shown: what loses data comes first. */
const tones: Readonly<Record<string, Tone>> = {
  replace: 'bad',
  create: 'good',
  update: 'wait',
  retain: 'off',
}

const order = Object.keys(tones)
const pageSize = 100

/** What a deployment would do, and the button that starts it. */
export function PlanView({ plan, isBusy, onDeploy }: Props) {
  const { steps, summary, problems } = plan
  const [shown, setShown] = useState(pageSize)
  const changes = steps
    .filter(({ action }) => action !== 'unchanged')
    .sort((left, right) => order.indexOf(left.action) - order.indexOf(right.action))
  return (
    <section class="panel stack" aria-labelledby="plan">
      <h2 id="plan">Plan</h2>
      <p role="status">
        {summary.create} to create, {summary.update} to update, {summary.replace} to replace, {summary.retain}{' '}
        to retain, {summary.unchanged} unchanged
      </p>
      <ActionNotes actions={changes} />
      {problems.length > 0 && <p>Nothing can be deployed until these problems are solved.</p>}
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
        {changes
          .slice(0, shown)
          .map(({ action, descriptor, gu_res_id, def_id, from_def, changed_inputs }) => (
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
      {changes.length > shown && (
        <button type="button" onClick={() => setShown(shown + pageSize)}>
          Show more of {changes.length}
        </button>
      )}
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
