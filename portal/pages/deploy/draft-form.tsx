import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { useRead } from '../../api/reads.ts'
import type { ResourceType } from '../../api/types.ts'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { containersOf, type DependencyDraft, type DeployDraft, withDependency } from './compose.ts'

interface Props {
  readonly org: string
  readonly draft: DeployDraft
  /** Modules of the set that the deployment changes. */
  readonly modules: Readonly<Record<string, unknown>>
  /** Takes the draft at the time of the change, because one event can cause several changes. */
  readonly onChange: (change: (draft: DeployDraft) => DeployDraft) => void
}

/** Workload, image and dependencies of a deployment. */
export function DraftForm({ org, draft, modules, onChange }: Props) {
  const types = useRead('GET /orgs/{org_id}/resources/types', { path: { org_id: org } }, { isList: true })
  const direct = (types.data ?? []).filter(({ use }) => use === 'direct')
  const set = (changes: Partial<DeployDraft>) => onChange((latest) => ({ ...latest, ...changes }))
  const setDependency = (key: number, changes: Partial<DependencyDraft>) =>
    onChange(({ dependencies, ...latest }) => ({
      ...latest,
      dependencies: dependencies.map((each) => (each.key === key ? { ...each, ...changes } : each)),
    }))
  const removeDependency = (key: number) =>
    onChange(({ dependencies, ...latest }) => ({
      ...latest,
      dependencies: dependencies.filter((each) => each.key !== key),
    }))
  const isNew = !Object.hasOwn(modules, draft.workload)
  const containers = containersOf(draft.workload, modules)
  return (
    <div class="stack">
      <label>
        Workload
        <input
          list="workload-names"
          value={draft.workload}
          autocomplete="off"
          onInput={({ currentTarget }) => set({ workload: currentTarget.value.trim() })}
        />
      </label>
      <datalist id="workload-names">
        {Object.keys(modules).map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <label>
        {isNew ? 'Image' : 'New image (empty: the present one)'}
        <input
          value={draft.image}
          autocomplete="off"
          onInput={({ currentTarget }) => set({ image: currentTarget.value.trim() })}
        />
      </label>
      {containers.length > 1 && draft.image !== '' && (
        <label>
          Container that gets the image
          <select
            value={containers.includes(draft.container) ? draft.container : ''}
            onChange={({ currentTarget }) => set({ container: currentTarget.value })}
          >
            <option value="">Choose a container</option>
            {containers.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      )}
      {draft.dependencies.map((each, index) => (
        <Dependency
          key={each.key}
          number={index + 1}
          dependency={each}
          types={direct}
          onChange={(changes) => setDependency(each.key, changes)}
          onRemove={() => removeDependency(each.key)}
        />
      ))}
      <div class="actions">
        <button type="button" onClick={() => onChange(withDependency)}>
          Add a dependency
        </button>
      </div>
    </div>
  )
}

/** Whether a type takes inputs. */
function hasFields({ properties }: FreeForm): boolean {
  return isObject(properties) && Object.keys(properties).length > 0
}

function Dependency({
  number,
  dependency,
  types,
  onChange,
  onRemove,
}: {
  readonly number: number
  readonly dependency: DependencyDraft
  readonly types: readonly ResourceType[]
  readonly onChange: (changes: Partial<DependencyDraft>) => void
  readonly onRemove: () => void
}) {
  const { key, name, type, class: resourceClass, inputs } = dependency
  const schema = types.find((each) => each.type === type)?.inputs_schema
  return (
    <fieldset class="group stack">
      <legend>Dependency {number}</legend>
      <label>
        Name
        <input value={name} onInput={({ currentTarget }) => onChange({ name: currentTarget.value.trim() })} />
      </label>
      <label>
        Type
        <select
          value={type}
          onChange={({ currentTarget }) => onChange({ type: currentTarget.value, inputs: {} })}
        >
          <option value="">Choose a type</option>
          {types.map((each) => (
            <option key={each.type} value={each.type}>
              {each.name === each.type ? each.type : `${each.name} (${each.type})`}
            </option>
          ))}
        </select>
      </label>
      <label>
        Class (empty: default)
        <input
          value={resourceClass}
          onInput={({ currentTarget }) => onChange({ class: currentTarget.value.trim() })}
        />
      </label>
      {schema && hasFields(schema) && (
        <SchemaForm
          key={type}
          idPrefix={`dependency-${key}`}
          schema={schema}
          value={inputs}
          onChange={(value) => onChange({ inputs: value })}
          onUnreadable={(problems) => onChange({ isUnreadable: problems.size > 0 })}
        />
      )}
      <div class="actions">
        <button type="button" onClick={onRemove}>
          Remove
        </button>
      </div>
    </fieldset>
  )
}
