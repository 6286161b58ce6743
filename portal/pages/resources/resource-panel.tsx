import { useEffect, useRef } from 'preact/hooks'
import { useRead } from '../../api/reads.ts'
import type { ActiveResource, ActiveResourceDetails } from '../../api/types.ts'
import { Json } from '../../components/json.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { State } from '../../components/state.tsx'
import { linkTo, query, setQuery } from '../../routing/router.ts'
import { type EnvironmentIds, environmentPath, requestPath } from '../environments/paths.ts'
import { ResourceActions } from './resource-actions.tsx'
import { ResourceEvents } from './resource-events.tsx'
import { descriptorOf, shortNameOf, stateOf } from './states.ts'
import { WhyThisDefinition } from './why.tsx'

interface Props {
  readonly ids: EnvironmentIds
  readonly resource: ActiveResource
  /** All resources, to name those that this one depends on and those that depend on it. */
  readonly resources: readonly ActiveResource[]
}

/** Everything about one resource: state, why its definition won, inputs, outputs, conditions, objects, actions. */
export function ResourcePanel({ ids, resource, resources }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: window.innerWidth > 900 }), [])
  const { type, class: resourceClass, res_id, status_message } = resource
  const read = useRead('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/{res_type}/{res_id}', {
    path: { ...requestPath(ids), res_type: `${type}.${resourceClass}`, res_id },
  })
  const { label, tone } = stateOf(resource)
  return (
    <aside class="panel side" aria-labelledby="resource-title">
      <div class="side-head">
        <h2 id="resource-title" ref={heading} tabIndex={-1}>
          {shortNameOf(resource)}
        </h2>
        <button
          type="button"
          class="close"
          aria-label="Close"
          onClick={() => setQuery({ resource: undefined })}
        >
          ×
        </button>
      </div>
      <p>
        <State tone={tone}>{label}</State> <code>{descriptorOf(resource)}</code>
      </p>
      {status_message && <p class={`notice notice-${tone === 'bad' ? 'bad' : 'wait'}`}>{status_message}</p>}
      <WhyThisDefinition ids={ids} resource={resource} />
      <Neighbours ids={ids} resource={resource} resources={resources} />
      <ReadView read={read} what="details">
        {(details) => <Details details={details} />}
      </ReadView>
      <ResourceEvents ids={ids} resource={resource} />
      <dl class="facts">
        <dt>GUResID</dt>
        <dd>
          <code>{resource.gu_res_id}</code>
        </dd>
        <dt>Driver</dt>
        <dd>
          <code>{resource.driver_type}</code>
        </dd>
      </dl>
      <ResourceActions ids={ids} resource={resource} />
    </aside>
  )
}

function Neighbours({ ids, resource, resources }: Props) {
  const needs = resources.filter(({ gu_res_id }) => resource.depends_on.includes(gu_res_id))
  const neededBy = resources.filter(({ depends_on }) => depends_on.includes(resource.gu_res_id))
  return (
    <>
      <NeighbourList ids={ids} title="Depends on" resources={needs} />
      <NeighbourList ids={ids} title="Used by" resources={neededBy} />
    </>
  )
}

function NeighbourList({
  ids,
  title,
  resources,
}: {
  readonly ids: EnvironmentIds
  readonly title: string
  readonly resources: readonly ActiveResource[]
}) {
  if (resources.length === 0) return null
  const page = query.value.has('find') ? '/resources' : '/graph'
  return (
    <section>
      <h3>{title}</h3>
      <ul class="chips">
        {resources.slice(0, 20).map((each) => (
          <li key={each.gu_res_id}>
            <a class="chip" href={linkTo(environmentPath(ids, `${page}?resource=${each.gu_res_id}`))}>
              {shortNameOf(each)} <span class="muted">{each.type}</span>
            </a>
          </li>
        ))}
      </ul>
      {resources.length > 20 && <p class="muted">and {resources.length - 20} more</p>}
    </section>
  )
}

function Details({ details }: { readonly details: ActiveResourceDetails }) {
  const { resource, inputs, driver_inputs, conditions, objects } = details
  const secrets = Object.keys(resource.secret_refs)
  return (
    <>
      {details.attempts > 0 && <p class="muted">{details.attempts} failed attempts in a row.</p>}
      <section>
        <h3>Outputs</h3>
        <Json value={resource.resource} empty="No outputs." />
        {secrets.length > 0 && (
          <p class="muted">
            <span aria-hidden="true">🔒 </span>Secret outputs: {secrets.join(', ')}
          </p>
        )}
      </section>
      <details>
        <summary>Inputs</summary>
        <Json value={inputs} empty="No inputs." />
        <h4>Driver inputs</h4>
        <Json value={driver_inputs} empty="No driver inputs." />
      </details>
      <details>
        <summary>Conditions ({conditions.length})</summary>
        <ul class="plain-list">
          {conditions.map(({ type, status, reason, message, remedy }) => (
            <li key={type}>
              <strong>
                {type}: {status}
              </strong>{' '}
              {reason} <span class="muted">{message}</span>
              {remedy && <p class="muted">{remedy}</p>}
            </li>
          ))}
        </ul>
      </details>
      <details>
        <summary>Objects in the cluster ({objects.length})</summary>
        <ul class="plain-list">
          {objects.map(({ api_version, kind, namespace, name }) => (
            <li key={`${api_version} ${kind} ${namespace} ${name}`}>
              {kind} <code>{namespace ? `${namespace}/${name}` : name}</code>
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}
