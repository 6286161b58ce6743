import { useMemo } from 'preact/hooks'
import { useRead } from '../../api/reads.ts'
import { criteriaSchema } from './definition-schema.ts'

/** The schema of criteria, with the applications and environment types of the organization as suggestions. */
export function useCriteriaSchema(org: string) {
  const path = { org_id: org }
  const applications = useRead('GET /orgs/{org_id}/apps', { path }, { isList: true })
  const types = useRead('GET /orgs/{org_id}/env-types', { path }, { isList: true })
  return useMemo(
    () =>
      criteriaSchema(
        (applications.data ?? []).map(({ id }) => id),
        (types.data ?? []).map(({ id }) => id),
      ),
    [applications.data, types.data],
  )
}
