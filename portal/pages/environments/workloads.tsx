import { useRead } from '../../api/reads.ts'
import type { ActiveResource, EnvironmentRuntimeV2, RuntimeControllerV2 } from '../../api/types.ts'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Loading } from '../../components/read-view.tsx'
import { State } from '../../components/state.tsx'
import type { Tone } from '../../components/tones.ts'
import { linkTo } from '../../routing/router.ts'
import { stateOf } from '../resources/states.ts'
import { type EnvironmentIds, environmentPath, requestPath } from './paths.ts'
import { controllerView, isScalable, type PodState, podView, readinessOf, workloadsOf } from './runtime.ts'
import { PauseButton, WorkloadActions } from './workload-actions.tsx'

interface Props {
  readonly ids: EnvironmentIds
  /** Undefined until they are read. */
  readonly resources: readonly ActiveResource[] | undefined
  /** Whether the user may change the pods. */
  readonly isOperable: boolean
}

/** Workloads of an environment with their pods. */
export function Workloads({ ids, resources, isOperable }: Props) {
  const { data, problem, isLoading, reload } = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime application/v2+json',
    { path: requestPath(ids) },
  )
  const { org, app, env } = ids
  const states = useRead('GET /orgs/{org_id}/apps/{app_id}/runtime', {
    path: { org_id: org, app_id: app },
    query: { id: env },
  })
  const isPaused = states.data?.[0]?.paused ?? false
  const readAgain = () => {
    reload()
    states.reload()
  }
  const modules = data?.modules ?? {}
  const names = workloadsOf(resources ?? [], modules)
  return (
    <section class="panel" aria-labelledby="workloads">
      <div class="side-head">
        <h2 id="workloads">Workloads</h2>
        {isOperable && states.data && names.length > 0 && (
          <PauseButton ids={ids} isPaused={isPaused} onChange={readAgain} />
        )}
      </div>
      {isPaused && <p class="notice notice-wait">The environment is paused: none of its pods run.</p>}
      {data && (
        <p class="muted">
          Namespace <code>{data.namespace}</code>
        </p>
      )}
      {problem && <ProblemNotice problem={problem} onRetry={reload} />}
      {names.length === 0 ? (
        <NoWorkloads isRead={data !== undefined && resources !== undefined} isReading={isLoading} />
      ) : (
        <ul class="rows">
          {names.map((name) => (
            <li key={name}>
              <Workload
                ids={ids}
                name={name}
                resource={resources?.find(({ res_id }) => res_id === `modules.${name}`)}
                controllers={modules[name]?.controllers ?? {}}
                isPaused={isPaused}
                onChange={isOperable ? readAgain : undefined}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** In place of the list, which is empty only when all is read. */
function NoWorkloads({ isRead, isReading }: { readonly isRead: boolean; readonly isReading: boolean }) {
  if (isRead) return <p class="muted">No workloads.</p>
  return isReading ? <Loading what="workloads" /> : null
}

interface WorkloadProps {
  readonly ids: EnvironmentIds
  readonly name: string
  readonly resource: ActiveResource | undefined
  readonly controllers: EnvironmentRuntimeV2['modules'][string]['controllers']
  readonly isPaused: boolean
  /** Reads the state again; undefined if the user may not change it. */
  readonly onChange: (() => void) | undefined
}

function Workload({ ids, name, resource, controllers, isPaused, onChange }: WorkloadProps) {
  const state = resource && stateOf(resource)
  const scalable = Object.values(controllers).find(isScalable)
  return (
    <>
      <h3>
        {resource ? (
          <a href={linkTo(environmentPath(ids, `/graph?resource=${resource.gu_res_id}`))}>{name}</a>
        ) : (
          name
        )}{' '}
        {state && <State tone={state.tone}>{state.label}</State>}
      </h3>
      {resource?.status_message && <p class="muted">{resource.status_message}</p>}
      {Object.entries(controllers).map(([id, each]) => (
        <Controller
          key={id}
          id={id}
          controller={each}
          isShownAlready={resource?.status_message !== undefined}
        />
      ))}
      {onChange && scalable && (
        <WorkloadActions
          ids={ids}
          workload={name}
          replicas={scalable.replicas}
          isPaused={isPaused}
          onChange={onChange}
        />
      )}
    </>
  )
}

const podTones: Readonly<Record<PodState, Tone>> = {
  ready: 'good',
  completed: 'good',
  starting: 'wait',
  failing: 'bad',
  unknown: 'off',
}

interface ControllerProps {
  readonly id: string
  readonly controller: RuntimeControllerV2
  /** Whether the message of the workload is shown above. */
  readonly isShownAlready: boolean
}

function Controller({ id, controller, isShownAlready }: ControllerProps) {
  const { kind, message, pods } = controller
  const view = controllerView(id, controller)
  return (
    <details class="controller">
      <summary>
        {kind} {view.name}: {readinessOf(controller)} <State tone={view.tone}>{view.state}</State>
      </summary>
      {message && !isShownAlready && <p>{message}</p>}
      <ul class="plain-list">
        {pods.map(podView).map(({ name, state, restarts, reasons }) => (
          <li key={name}>
            <State tone={podTones[state]}>{state}</State> <code>{name}</code>
            {restarts > 0 && <span class="muted"> {restarts} restarts</span>}
            {reasons.map((reason) => (
              <p key={reason} class="muted">
                {reason}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </details>
  )
}
