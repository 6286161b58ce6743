import { useMemo } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { invalidate } from '../../api/read-store.ts'
import type { ResourceType } from '../../api/types.ts'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { useSchemaForm } from '../../forms/use-schema-form.ts'
import { CancelLink } from '../../managing/cancel-link.tsx'
import { CheckedForm } from '../../managing/checked-form.tsx'
import { SchemaEditor } from '../../managing/schema-editor.tsx'
import type { Stored } from '../../managing/stored-form.tsx'
import { useSchemaText } from '../../managing/use-schema-text.ts'
import { pathTo } from '../../routing/paths.ts'
import { navigate } from '../../routing/router.ts'
import {
  emptyOutputs,
  newTypeName,
  newTypeValue,
  typeBody,
  typeSettingsSchema,
  typeValue,
} from './type-schema.ts'

interface Props {
  readonly org: string
  /** Categories in use, as suggestions. */
  readonly categories: readonly string[]
  /** The type that is changed; undefined for a new one. */
  readonly stored?: Stored<ResourceType>
  /** The built-in type that a new one overrides. */
  readonly overridden?: ResourceType
}

/** Creates or changes a custom type, with the form of a static definition while its schema is edited. */
export function TypeForm({ org, categories, stored, overridden }: Props) {
  const changed = stored?.initial
  const start = changed ?? overridden
  const schema = useMemo(() => typeSettingsSchema(categories, !changed), [categories, changed])
  const settings = useSchemaForm(schema, {
    idPrefix: 'type',
    initial: changed ? typeValue(changed) : newTypeValue(overridden),
  })
  const inputs = useSchemaText('inputs_schema', start?.inputs_schema ?? {})
  const outputs = useSchemaText('outputs_schema', start?.outputs_schema ?? emptyOutputs)
  const types = pathTo('/o/:org/types', { org })
  const save = async () => {
    const body = typeBody(settings.value, inputs.schema, outputs.schema)
    const type = changed?.type ?? newTypeName(org, settings.value)
    if (stored) {
      const fields = Object.keys(body)
      await stored.verify(fields)
      const path = { org_id: org, type_id: type }
      stored.saved(fields, await call('PUT /orgs/{org_id}/resources/types/{type_id}', { path, body }))
    } else
      await call('POST /orgs/{org_id}/resources/types', { path: { org_id: org }, body: { ...body, type } })
    await invalidate(`/orgs/${encodeURIComponent(org)}/resources/types`)
    navigate(`${types}?type=${encodeURIComponent(type)}`, { replace: true })
  }
  return (
    <CheckedForm
      label={changed ? `Type ${changed.type}` : 'New type'}
      forms={[settings, inputs, outputs]}
      button={changed ? 'Save the type' : 'Create the type'}
      done="Saved."
      onSubmit={save}
      actions={<CancelLink to={types} />}
    >
      {changed && <p class="muted">A change takes effect with all later deployments.</p>}
      <SchemaForm {...settings.fields} />
      <h2>Outputs</h2>
      <SchemaEditor
        id="outputs-schema"
        label="JSON Schema of the outputs, with values and secrets"
        formLabel="Form of a static definition"
        schema={outputs}
        kind="parts"
      />
      <h2>Inputs</h2>
      <SchemaEditor
        id="inputs-schema"
        label="JSON Schema of the inputs"
        formLabel="Form of the inputs in a deployment"
        schema={inputs}
        kind="object"
      />
    </CheckedForm>
  )
}
