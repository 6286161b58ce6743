import { useMemo, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { invalidate } from '../../api/read-store.ts'
import type { Driver, ResourceType } from '../../api/types.ts'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { useSchemaForm } from '../../forms/use-schema-form.ts'
import { CancelLink } from '../../managing/cancel-link.tsx'
import { CheckedForm } from '../../managing/checked-form.tsx'
import { DeleteButton } from '../../managing/delete-button.tsx'
import { SchemaEditor } from '../../managing/schema-editor.tsx'
import type { Stored } from '../../managing/stored-form.tsx'
import { useSchemaText } from '../../managing/use-schema-text.ts'
import { pathTo } from '../../routing/paths.ts'
import { navigate } from '../../routing/router.ts'
import { driverBody, driverSettingsSchema, driverValue, newDriverId, templateText } from './driver-schema.ts'

interface Props {
  readonly org: string
  readonly types: readonly ResourceType[]
  readonly drivers: readonly Driver[]
  /** Undefined for a new driver. */
  readonly stored: Stored<Driver> | undefined
}

const emptyInputs = { type: 'object', properties: { values: { type: 'object', properties: {} } } }

/** Registers a driver of the organization, or changes it, with the form that its definitions show. */
export function DriverForm({ org, types, drivers, stored }: Props) {
  const driver = stored?.initial
  const schema = useMemo(
    () =>
      driverSettingsSchema(
        driver === undefined,
        types.map(({ type }) => type),
        [...new Set(drivers.flatMap(({ account_types }) => account_types))],
      ),
    [driver, types, drivers],
  )
  const settings = useSchemaForm(schema, {
    idPrefix: 'driver',
    initial: driver ? driverValue(driver) : {},
  })
  const inputs = useSchemaText('inputs_schema', driver?.inputs_schema ?? emptyInputs)
  const [template, setTemplate] = useState(() => templateText(driver?.template))
  const list = pathTo('/o/:org/drivers', { org })
  const save = async () => {
    const body = driverBody(settings.value, inputs.schema, template)
    if (stored) {
      await stored.verify(Object.keys(body))
      await call('PUT /orgs/{org_id}/resources/drivers/{driver_id}', {
        path: { org_id: org, driver_id: stored.initial.id },
        body,
      })
    } else
      await call('POST /orgs/{org_id}/resources/drivers', {
        path: { org_id: org },
        body: { ...body, id: newDriverId(settings.value) },
      })
    await invalidate(`/orgs/${encodeURIComponent(org)}/resources/drivers`)
    navigate(list)
  }
  return (
    <>
      <CheckedForm
        label={driver ? `Driver ${driver.id}` : 'New driver'}
        forms={[settings, inputs]}
        button={driver ? 'Save the driver' : 'Register the driver'}
        onSubmit={save}
        actions={<CancelLink to={list} />}
      >
        <SchemaForm {...settings.fields} />
        <div class="form-field">
          <label for="driver-template">Template</label>
          <textarea
            id="driver-template"
            class="mono"
            rows={6}
            spellcheck={false}
            autocomplete="off"
            value={template}
            aria-describedby="driver-template-help"
            onInput={({ currentTarget }) => setTemplate(currentTarget.value)}
          />
          <p id="driver-template-help" class="form-help">
            Only for a target that begins with driver://. A text, or a JSON object with templates as its
            texts.
          </p>
        </div>
        <h2>Inputs</h2>
        <SchemaEditor
          id="driver-inputs"
          label="JSON Schema of the inputs, with values and secrets"
          formLabel="Form of a definition"
          schema={inputs}
          kind="parts"
        />
      </CheckedForm>
      {driver && (
        <div class="actions">
          <DeleteButton
            what={`${org}/${driver.id}`}
            label="Delete the driver"
            onDelete={async () => {
              await call('DELETE /orgs/{org_id}/resources/drivers/{driver_id}', {
                path: { org_id: org, driver_id: driver.id },
              })
              await invalidate(`/orgs/${encodeURIComponent(org)}/resources/drivers`)
              navigate(list, { replace: true })
            }}
          >
            <p>A driver that a definition or another driver uses is not deleted.</p>
          </DeleteButton>
        </div>
      )}
    </>
  )
}
