import { useRead } from '../../api/reads.ts'
import type { ActiveResource } from '../../api/types.ts'
import { State, type Tone } from '../../components/state.tsx'
import { linkTo } from '../../routing/router.ts'
import { stateOf } from '../resources/states.ts'
import { type EnvironmentIds, environmentPath, requestPath } from './paths.ts'
import { type ControllerView, controllersOf, workloadsOf } from './runtime.ts'

interface Props {
  readonly ids: EnvironmentIds
  readonly resources: readonly ActiveResource[]
}

/** Workloads of an environment with their pods. */
export function Workloads({ ids, resources }: Props) {
  const { data } = useRead('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime', {
    path: requestPath(ids),
  })
  const modules = data?.modules ?? {}
  const names = workloadsOf(resources, modules)
  return (
    <section class="panel" aria-labelledby="workloads">
      <h2 id="workloads">Workloads</h2>
      {data && (
        <p class="muted">
          Namespace <code>{data.namespace}</code>
        </p>
      )}
      {names.length === 0 ? (
        <p class="muted">No workloads.</p>
      ) : (
        <ul class="rows">
          {names.map((name) => (
            <li key={name}>
              <Workload
                ids={ids}
                name={name}
                resource={resources.find(({ res_id }) => res_id === `modules.${name}`)}
                controllers={controllersOf(modules, name)}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Workload({
  ids,
  name,
  resource,
  controllers,
}: {
  readonly ids: EnvironmentIds
  readonly name: string
  readonly resource: ActiveResource | undefined
  readonly controllers: readonly ControllerView[]
}) {
  const state = resource && stateOf(resource)
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
      {controllers.map((each) => (
        <Controller key={each.id} controller={each} />
      ))}
    </>
  )
}

const podTones: Readonly<Record<string, Tone>> = {
  Running: 'good',
  Succeeded: 'good',
  Pending: 'wait',
  Failed: 'bad',
}

function Controller({ controller }: { readonly controller: ControllerView }) {
  const { kind, id, replicas, status, message, pods } = controller
  const running = pods.filter(({ phase }) => phase === 'Running').length
  return (
    <details class="controller">
      <summary>
        {kind} {id}: {running} of {replicas ?? pods.length} pods run
        {status && <span class="muted"> {status}</span>}
      </summary>
      {message && <p>{message}</p>}
      <ul class="plain-list">
        {pods.map((pod) => (
          <li key={pod.name}>
            <State tone={podTones[pod.phase] ?? 'off'}>{pod.status || pod.phase || 'unknown'}</State>{' '}
            <code>{pod.name}</code>
            {pod.restarts > 0 && <span class="muted"> {pod.restarts} restarts</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}
