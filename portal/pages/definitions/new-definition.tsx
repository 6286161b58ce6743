import { useCallback, useMemo } from 'preact/hooks'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Loading } from '../../components/read-view.tsx'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { useSchemaForm } from '../../forms/use-schema-form.ts'
import { CancelLink } from '../../managing/cancel-link.tsx'
import { PreviewedForm } from '../../managing/previewed-form.tsx'
import { pathTo } from '../../routing/paths.ts'
import { navigate } from '../../routing/router.ts'
import { useCatalogue } from './catalogue.ts'
import { useCriteriaSchema } from './criteria-schema.ts'
import { type Catalogue, newDefinitionBody, settingsOf, settingsSchema } from './definition-schema.ts'
import { isStatic, schemaFor } from './inputs.ts'
import { previewOf, saveDefinition } from './requests.ts'

/** Creates a definition after a preview of every resource that it would take over. */
export function NewDefinition({ org }: { readonly org: string }) {
  const { catalogue, problem, reload } = useCatalogue(org)
  const definitions = pathTo('/o/:org/definitions', { org })
  return (
    <Page title="New definition" crumbs={[{ label: 'Definitions', path: definitions }]}>
      {problem && <ProblemNotice problem={problem} onRetry={reload} />}
      {catalogue ? (
        <NewDefinitionForm org={org} catalogue={catalogue} />
      ) : (
        <Loading what="types and drivers" />
      )}
    </Page>
  )
}

function NewDefinitionForm({ org, catalogue }: { readonly org: string; readonly catalogue: Catalogue }) {
  const schemaOf = useCallback(
    (value: unknown) => settingsSchema(catalogue, settingsOf(value), true),
    [catalogue],
  )
  const settings = useSchemaForm(schemaOf, { idPrefix: 'settings' })
  const { type, driver_type } = settingsOf(settings.value)
  const inputsSchema = useMemo(
    () =>
      schemaFor(
        driver_type ?? '',
        catalogue.types.find((each) => each.type === type),
        catalogue.drivers,
      ),
    [driver_type, type, catalogue],
  )
  const inputs = useSchemaForm(inputsSchema, { idPrefix: 'inputs', kind: 'parts' })
  const criteria = useSchemaForm(useCriteriaSchema(org), {
    idPrefix: 'criteria',
    initial: { criteria: [{}] },
  })
  const request = {
    path: { org_id: org },
    body: newDefinitionBody(settings.value, inputs.value, criteria.value),
  }
  return (
    <PreviewedForm
      label="New definition"
      forms={[settings, inputs, criteria]}
      button="Create the definition"
      preview={() => previewOf('POST /orgs/{org_id}/resources/defs', request)}
      save={async () => {
        await saveDefinition(org, 'POST /orgs/{org_id}/resources/defs', request)
        navigate(pathTo('/o/:org/definitions/:def', { org, def: request.body.id }), { replace: true })
      }}
      actions={<CancelLink to={pathTo('/o/:org/definitions', { org })} />}
    >
      <SchemaForm {...settings.fields} />
      {driver_type !== undefined && type !== undefined && (
        <section class="stack" aria-labelledby="inputs-heading">
          <h2 id="inputs-heading">
            {isStatic(driver_type, catalogue.drivers) ? 'Outputs' : 'Driver inputs'}
          </h2>
          <SchemaForm key={`${type} ${driver_type}`} {...inputs.fields} />
        </section>
      )}
      <SchemaForm {...criteria.fields} />
    </PreviewedForm>
  )
}
