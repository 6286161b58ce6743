import { useMemo } from 'preact/hooks'
import type { ApiProblem } from '../../api/problem.ts'
import { useRead } from '../../api/reads.ts'
import type { Catalogue } from './definition-schema.ts'

/** Reads what the forms of definitions offer. */
export function useCatalogue(org: string): {
  readonly catalogue: Catalogue | undefined
  readonly problem: ApiProblem | undefined
  readonly reload: () => void
} {
  const path = { org_id: org }
  const types = useRead('GET /orgs/{org_id}/resources/types', { path }, { isList: true })
  const drivers = useRead('GET /orgs/{org_id}/resources/drivers', { path }, { isList: true })
  const accounts = useRead('GET /orgs/{org_id}/resources/accounts', { path }, { isList: true })
  const catalogue = useMemo(
    () =>
      types.data && drivers.data && accounts.data
        ? { types: types.data, drivers: drivers.data, accounts: accounts.data }
        : undefined,
    [types.data, drivers.data, accounts.data],
  )
  return {
    catalogue,
    problem: types.problem ?? drivers.problem ?? accounts.problem,
    reload() {
      for (const each of [types, drivers, accounts]) each.reload()
    },
  }
}
