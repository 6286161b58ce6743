import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { Confirmation } from '../../components/confirmation.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { useAction } from '../../components/use-action.ts'
import { type EnvironmentIds, requestPath } from './paths.ts'

const runtime = '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime'

interface PauseProps {
  readonly ids: EnvironmentIds
  readonly isPaused: boolean
  /** Reads the state again. */
  readonly onChange: () => void
}

/** Stops all pods of an environment, or starts them again. */
export function PauseButton({ ids, isPaused, onChange }: PauseProps) {
  const [isAsked, setAsked] = useState(false)
  const { isBusy, problem, run } = useAction()
  const set = (body: boolean) => {
    setAsked(false)
    void run(async () => {
      await call(`PUT ${runtime}/paused`, { path: requestPath(ids), body })
      onChange()
    })
  }
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => (isPaused ? set(false) : setAsked(true))}>
        {isPaused ? 'Start all pods' : 'Pause'}
      </button>
      {problem && <ProblemNotice problem={problem} />}
      {isAsked && (
        <Confirmation
          title={`Pause ${ids.env}?`}
          button="Pause"
          onConfirm={() => set(true)}
          onCancel={() => setAsked(false)}
        >
          <p>All pods of the environment stop, also through deployments, until someone starts them again.</p>
          <p>Resources such as databases remain.</p>
        </Confirmation>
      )}
    </>
  )
}

interface WorkloadProps {
  readonly ids: EnvironmentIds
  readonly workload: string
  /** Number of pods that are wanted now. */
  readonly replicas: number
  readonly isPaused: boolean
  readonly onChange: () => void
}

/** Restarts a workload, and sets its number of pods. */
export function WorkloadActions({ ids, workload, replicas, isPaused, onChange }: WorkloadProps) {
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const { isBusy, problem, run } = useAction()
  const count = Number(typed ?? replicas)
  const scale = (wanted: number | null) =>
    run(async () => {
      await call(`PATCH ${runtime}/replicas`, { path: requestPath(ids), body: { [workload]: wanted } })
      setTyped(undefined)
      onChange()
    })
  const restart = () =>
    run(async () => {
      await call(`POST ${runtime}/actions/restart`, {
        path: requestPath(ids),
        body: { workloads: [workload] },
      })
      onChange()
    })
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault()
        void scale(count)
      }}
    >
      <label class="inline-field">
        <span>Pods of {workload}</span>
        <input
          type="number"
          min={0}
          max={1000}
          step={1}
          required
          value={typed ?? replicas}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={isBusy || isPaused}>
        Scale
      </button>
      <button type="button" disabled={isBusy || isPaused} onClick={() => void scale(null)}>
        Scale as deployed
      </button>
      <button type="button" disabled={isBusy || isPaused} onClick={() => void restart()}>
        Restart {workload}
      </button>
      {problem && <ProblemNotice problem={problem} />}
    </form>
  )
}
