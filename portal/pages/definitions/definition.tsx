import { useMemo, useState } from 'preact/hooks'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { call } from '../../api/client.ts'
import { type ApiProblem, asProblem } from '../../api/problem.ts'
import { invalidate, useRead } from '../../api/reads.ts'
import { hasOrganizationRole } from '../../api/roles.ts'
import { user } from '../../api/session.ts'
import type { DefinitionPreview, ResourceDefinition } from '../../api/types.ts'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { problemsOf } from '../../forms/model/check.ts'
import { formOf } from '../../forms/model/form.ts'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { pathTo } from '../../routing/paths.ts'
import type { PageProps } from '../../routing/routes.ts'
import { criterionText } from './definitions.tsx'
import { mergeSecrets, schemaFor, storedSecrets } from './inputs.ts'
import { PreviewView } from './preview-view.tsx'

/** A definition: who uses it, and a form for its inputs. */
export function DefinitionPage({ parameters: { org = '', def = '' } }: PageProps) {
  const path = { org_id: org, def_id: def }
  const read = useRead('GET /orgs/{org_id}/resources/defs/{def_id}', { path })
  const uses = useRead('GET /orgs/{org_id}/resources/defs/{def_id}/resources', { path }, { isList: true })
  return (
    <Page
      title={def}
      documentTitle={`Definition ${def}`}
      crumbs={[{ label: 'Definitions', path: pathTo('/o/:org/definitions', { org }) }]}
    >
      <ReadView read={read} what="the definition">
        {(definition) => (
          <>
            <p>
              {definition.type} by {definition.driver_type}, for{' '}
              {definition.criteria?.map(criterionText).join('; ') || 'no context'}
            </p>
            {definition.status_message && <p class="notice notice-bad">{definition.status_message}</p>}
            <Editor key={definition.active_version_id} org={org} definition={definition} />
          </>
        )}
      </ReadView>
      <section class="panel stack">
        <h2>Used by</h2>
        <ReadView read={uses} what="resources">
          {(resources) => (
            <ul class="rows">
              {resources.length === 0 && <li class="muted">No active resource</li>}
              {resources
                .slice(0, 100)
                .map(({ gu_res_id, app_id, env_id, type, class: resourceClass, res_id }) => (
                  <li key={gu_res_id}>
                    {app_id}/{env_id}: {type}.{resourceClass}#{res_id}
                  </li>
                ))}
              {resources.length > 100 && <li class="muted">and {resources.length - 100} more</li>}
            </ul>
          )}
        </ReadView>
      </section>
    </Page>
  )
}

function Editor({ org, definition }: { readonly org: string; readonly definition: ResourceDefinition }) {
  const { type, driver_type, driver_inputs } = definition
  const types = useRead('GET /orgs/{org_id}/resources/types', { path: { org_id: org } }, { isList: true })
  const drivers = useRead('GET /orgs/{org_id}/resources/drivers', { path: { org_id: org } }, { isList: true })
  const schema = useMemo(
    () =>
      schemaFor(
        driver_type,
        types.data?.find((each) => each.type === type),
        drivers.data ?? [],
      ),
    [driver_type, type, types.data, drivers.data],
  )
  const [value, setValue] = useState<unknown>({ values: driver_inputs?.values ?? {} })
  const [errors, setErrors] = useState<ReadonlyMap<string, string>>(new Map())
  const [preview, setPreview] = useState<DefinitionPreview | undefined>(undefined)
  const [problem, setProblem] = useState<ApiProblem | undefined>(undefined)
  const stored = useMemo(() => new Set(storedSecrets(driver_inputs?.secret_refs)), [driver_inputs])
  const isAdministrator = hasOrganizationRole(user.value?.roles ?? {}, org, 'administrator')
  if (!types.data || !drivers.data) return null
  const send = async (isDryRun: boolean) => {
    setProblem(undefined)
    const found = problemsOf(formOf(schema, 'parts'), value, stored)
    setErrors(new Map(found.map(({ pointer, message }) => [pointer, message])))
    if (found.length > 0) return
    try {
      const answer = await call('PATCH /orgs/{org_id}/resources/defs/{def_id}', {
        path: { org_id: org, def_id: definition.id },
        query: isDryRun ? { dry_run: 'true' } : {},
        body: { driver_inputs: inputsOf(value, driver_inputs?.secret_refs) },
      })
      setPreview('changes' in answer ? answer : undefined)
      if (!isDryRun) await invalidate(`/orgs/${encodeURIComponent(org)}/resources/`)
    } catch (error) {
      setProblem(asProblem(error))
    }
  }
  return (
    <form
      class="panel stack"
      onSubmit={(event) => {
        event.preventDefault()
        void send(true)
      }}
    >
      <SchemaForm
        schema={schema}
        kind="parts"
        idPrefix="inputs"
        value={value}
        onChange={(next) => {
          setValue(next)
          setPreview(undefined)
        }}
        errors={errors}
        stored={stored}
        disabled={!isAdministrator}
      />
      {problem && <ProblemNotice problem={problem} />}
      {preview && <PreviewView preview={preview} />}
      {isAdministrator && (
        <div class="actions">
          <button type="submit">Preview</button>
          {preview && (
            <button type="button" class="primary" onClick={() => void send(false)}>
              Save
            </button>
          )}
        </div>
      )}
    </form>
  )
}

/** Inputs for a request; secrets that were not entered keep their references. */
function inputsOf(value: unknown, references: unknown) {
  const { values, secrets } = isObject(value) ? value : ({} as FreeForm)
  return {
    values: isObject(values) ? values : {},
    ...(secrets !== undefined && { secret_refs: mergeSecrets(references, secrets) }),
  }
}
