import type { ResourceDefinition } from '../../api/types.ts'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { useSchemaForm } from '../../forms/use-schema-form.ts'
import { PreviewedForm } from '../../managing/previewed-form.tsx'
import type { Stored } from '../../managing/stored-form.tsx'
import { setQuery } from '../../routing/router.ts'
import { useCriteriaSchema } from './criteria-schema.ts'
import { criteriaOf, criteriaValue } from './definition-schema.ts'
import { previewOf, saveDefinition } from './requests.ts'

interface Props {
  readonly org: string
  readonly stored: Stored<ResourceDefinition>
}

/** Criteria of a definition, saved after a preview of the resources that change their definition. */
export function CriteriaForm({ org, stored }: Props) {
  const definition = stored.initial
  const form = useSchemaForm(useCriteriaSchema(org), {
    idPrefix: 'criteria',
    initial: criteriaValue(definition.criteria),
  })
  const operation = 'PUT /orgs/{org_id}/resources/defs/{def_id}/criteria'
  const request = { path: { org_id: org, def_id: definition.id }, body: criteriaOf(form.value) }
  const close = () => setQuery({ edit: undefined })
  return (
    <PreviewedForm
      label={`Criteria of ${definition.id}`}
      forms={[form]}
      button="Save the criteria"
      verify={() => stored.verify(['criteria'])}
      preview={() => previewOf(operation, request)}
      save={async () => {
        await saveDefinition(org, operation, request)
        close()
      }}
      actions={
        <button type="button" onClick={close}>
          Cancel
        </button>
      }
    >
      <SchemaForm {...form.fields} />
    </PreviewedForm>
  )
}
