import { useCallback, useMemo } from 'preact/hooks'
import type { ResourceDefinition } from '../../api/types.ts'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Loading } from '../../components/read-view.tsx'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { useSchemaForm } from '../../forms/use-schema-form.ts'
import { replacedFields } from '../../managing/changed.ts'
import { PreviewedForm } from '../../managing/previewed-form.tsx'
import { isAdministrator } from '../../managing/roles.ts'
import type { Stored } from '../../managing/stored-form.tsx'
import { useFormRight } from '../../managing/use-form-right.ts'
import { useCatalogue } from './catalogue.ts'
import { type Catalogue, changedDefinitionBody, settingsOf, settingsSchema } from './definition-schema.ts'
import { schemaFor, storedSecrets } from './inputs.ts'
import { isPreview, previewOf, saveDefinition } from './requests.ts'

interface Props {
  readonly org: string
  readonly stored: Stored<ResourceDefinition>
  readonly onSaved: () => void
}

/** Name, driver, account and inputs of a definition, saved after a preview. */
export function DefinitionForm({ org, stored, onSaved }: Props) {
  const { catalogue, problem, reload } = useCatalogue(org)
  return (
    <>
      {problem && <ProblemNotice problem={problem} onRetry={reload} />}
      {catalogue ? (
        <Editor org={org} stored={stored} catalogue={catalogue} onSaved={onSaved} />
      ) : (
        <Loading what="types and drivers" />
      )}
    </>
  )
}

function Editor({ org, stored, catalogue, onSaved }: Props & { readonly catalogue: Catalogue }) {
  const definition = stored.initial
  const { id, type, name, driver_account, driver_inputs, provision } = definition
  const isDisabled = !useFormRight(isAdministrator(org))
  const schemaOf = useCallback(
    (value: unknown) => settingsSchema(catalogue, settingsOf(value), false),
    [catalogue],
  )
  const settings = useSchemaForm(schemaOf, {
    idPrefix: 'settings',
    initial: { name, driver_type: definition.driver_type, driver_account, provision },
    isDisabled,
  })
  const { driver_type = '' } = settingsOf(settings.value)
  const inputsSchema = useMemo(
    () =>
      schemaFor(
        driver_type,
        catalogue.types.find((each) => each.type === type),
        catalogue.drivers,
      ),
    [driver_type, type, catalogue],
  )
  const secrets = useMemo(() => new Set(storedSecrets(driver_inputs?.secret_refs)), [driver_inputs])
  const inputs = useSchemaForm(inputsSchema, {
    idPrefix: 'inputs',
    kind: 'parts',
    initial: { values: driver_inputs?.values ?? {} },
    stored: secrets,
    isDisabled,
  })
  const fields = (
    <>
      <SchemaForm {...settings.fields} />
      <h2>Inputs</h2>
      <SchemaForm key={driver_type} {...inputs.fields} />
    </>
  )
  if (isDisabled)
    return (
      <section class="panel stack">
        <p class="muted">Administrators of the organization change definitions.</p>
        {fields}
      </section>
    )
  const request = {
    path: { org_id: org, def_id: id },
    body: changedDefinitionBody(settings.value, inputs.value, definition),
  }
  return (
    <PreviewedForm
      label={`Definition ${id}`}
      forms={[settings, inputs]}
      button="Save"
      verify={() => stored.verify(replacedFields(request.body))}
      preview={() => previewOf('PATCH /orgs/{org_id}/resources/defs/{def_id}', request)}
      save={async () => {
        const answer = await saveDefinition(org, 'PATCH /orgs/{org_id}/resources/defs/{def_id}', request)
        if (!isPreview(answer)) stored.begin(answer)
        onSaved()
      }}
    >
      {fields}
    </PreviewedForm>
  )
}
