import { call } from '../../api/client.ts'
import { useRead } from '../../api/reads.ts'
import type { Driver } from '../../api/types.ts'
import { FilteredTable, noProblem } from '../../components/filtered-table.tsx'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { isAdministrator } from '../../managing/roles.ts'
import { StoredForm } from '../../managing/stored-form.tsx'
import { useFormRight } from '../../managing/use-form-right.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { pathTo } from '../../routing/paths.ts'
import { linkTo, query } from '../../routing/router.ts'
import { DriverForm } from './driver-form.tsx'

/** Built-in drivers and those of the organization, or the form for one of them. */
export function Drivers({ parameters: { org = '' } }: PageProps) {
  const path = { org_id: org }
  const read = useRead('GET /orgs/{org_id}/resources/drivers', { path }, { isList: true })
  const types = useRead('GET /orgs/{org_id}/resources/types', { path }, { isList: true })
  const isAllowed = isAdministrator(org)
  const hasForm = useFormRight(isAllowed)
  const edited = hasForm ? query.value.get('driver') : null
  const isForm = edited !== null || (hasForm && query.value.has('new'))
  const list = pathTo('/o/:org/drivers', { org })
  if (isForm)
    return (
      <Page
        title={edited === null ? 'New driver' : `Driver ${org}/${edited}`}
        crumbs={[{ label: 'Drivers', path: list }]}
      >
        <ReadView read={read} what="drivers">
          {(drivers) => {
            const driver = drivers.find(({ org_id, id }) => org_id === org && id === edited)
            if (edited !== null && !driver) return <p class="empty">This driver does not exist.</p>
            const choices = { org, types: types.data ?? [], drivers }
            if (!driver) return <DriverForm {...choices} stored={undefined} />
            const driverPath = { ...path, driver_id: driver.id }
            return (
              <StoredForm
                key={driver.id}
                what={`driver '${org}/${driver.id}'`}
                object={driver}
                read={() => call('GET /orgs/{org_id}/resources/drivers/{driver_id}', { path: driverPath })}
              >
                {(stored) => <DriverForm {...choices} stored={stored} />}
              </StoredForm>
            )
          }}
        </ReadView>
      </Page>
    )
  return (
    <Page
      title="Drivers"
      documentTitle={`Drivers of ${org}`}
      actions={
        isAllowed && (
          <a class="button primary" href={linkTo(`${list}?new`)}>
            New driver
          </a>
        )
      }
    >
      <ReadView read={read} what="drivers">
        {(drivers) => <DriverTable org={org} drivers={drivers} isAllowed={isAllowed} />}
      </ReadView>
    </Page>
  )
}

interface TableProps {
  readonly org: string
  readonly drivers: readonly Driver[]
  readonly isAllowed: boolean
}

function DriverTable({ org, drivers, isAllowed }: TableProps) {
  const list = linkTo(pathTo('/o/:org/drivers', { org }))
  return (
    <FilteredTable
      what="drivers"
      items={drivers}
      keyOf={({ org_id, id }) => `${org_id}/${id}`}
      textOf={({ org_id, id, type }) => `${org_id}/${id} ${type}`}
      columns={[
        {
          title: 'Driver',
          show({ org_id, id }) {
            const name = `${org_id}/${id}`
            if (org_id !== org || !isAllowed) return name
            return <a href={`${list}?driver=${encodeURIComponent(id)}`}>{name}</a>
          },
        },
        { title: 'Provisions', show: ({ type }) => (type === '*' ? 'any type' : type) },
        { title: 'Accounts', show: ({ account_types }) => account_types.join(', ') || 'none' },
        { title: 'Target', show: ({ target }) => target ?? 'built in' },
        { title: 'State', show: ({ status_message }) => status_message ?? noProblem },
      ]}
    />
  )
}
