import { useRead } from '../../api/reads.ts'
import type { Value } from '../../api/types.ts'
import { FilteredTable } from '../../components/filtered-table.tsx'
import { type Crumb, Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { applicationCrumbs } from '../../managing/application-crumbs.ts'
import { DeleteButton } from '../../managing/delete-button.tsx'
import { mayChangeValues } from '../../managing/roles.ts'
import { useFormRight } from '../../managing/use-form-right.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { pathTo } from '../../routing/paths.ts'
import { linkTo, query } from '../../routing/router.ts'
import { ValueForm } from './value-form.tsx'
import { deleteValue, pathOf, type ValuesOwner } from './value-requests.ts'

/** Shared values of an application or an environment, and the form for one of them. */
export function Values({ parameters: { org = '', app = '', env = '' } }: PageProps) {
  const owner = { org, app, env }
  const ofApplication = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/values',
    env === '' ? { path: { org_id: org, app_id: app } } : undefined,
    { isList: true },
  )
  const ofEnvironment = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/values',
    env === '' ? undefined : { path: pathOf(owner) },
    { isList: true },
  )
  const read = env === '' ? ofApplication : ofEnvironment
  const isAllowed = mayChangeValues(org, app)
  const hasForm = useFormRight(isAllowed)
  const [added, edited] = [query.value.get('new'), query.value.get('edit')]
  const what = env === '' ? app : `${app} ${env}`
  if (hasForm && (added !== null || edited !== null)) {
    const title = edited === null ? 'New shared value' : `Shared value ${edited}`
    return (
      <Page
        title={title}
        documentTitle={`${title} of ${what}`}
        crumbs={[...crumbsOf(owner), { label: 'Shared values', path: valuesPath(owner) }]}
      >
        <ReadView read={read} what="shared values">
          {(values) => {
            const found = values.find((each) => each.key === edited && isOwn(owner, each))
            if (edited !== null && !found) return <p class="empty">This value does not exist.</p>
            return (
              <ValueForm
                key={edited}
                owner={owner}
                initialKey={added ?? ''}
                known={values}
                edited={found}
                list={valuesPath(owner)}
              />
            )
          }}
        </ReadView>
      </Page>
    )
  }
  return (
    <Page
      title={`Shared values of ${what}`}
      crumbs={crumbsOf(owner)}
      actions={
        isAllowed && (
          <a class="button primary" href={linkTo(`${valuesPath(owner)}?new`)}>
            New value
          </a>
        )
      }
    >
      <p class="muted">A changed value takes effect with the next deployment.</p>
      <ReadView read={read} what="shared values">
        {(values) => <ValueTable owner={owner} values={values} isAllowed={isAllowed} />}
      </ReadView>
    </Page>
  )
}

function valuesPath({ org, app, env }: ValuesOwner): string {
  return env === ''
    ? pathTo('/o/:org/apps/:app/values', { org, app })
    : pathTo('/o/:org/apps/:app/envs/:env/values', { org, app, env })
}

function crumbsOf({ org, app, env }: ValuesOwner): readonly Crumb[] {
  const ofApplication = applicationCrumbs(org, app)
  if (env === '') return ofApplication
  return [...ofApplication, { label: env, path: pathTo('/o/:org/apps/:app/envs/:env', { org, app, env }) }]
}

interface TableProps {
  readonly owner: ValuesOwner
  readonly values: readonly Value[]
  readonly isAllowed: boolean
}

function ValueTable({ owner, values, isAllowed }: TableProps) {
  return (
    <FilteredTable
      what="shared values"
      items={values}
      keyOf={({ key }) => key}
      textOf={({ key, value, description }) => `${key} ${value} ${description ?? ''}`}
      columns={[
        { title: 'Key', show: ({ key }) => key },
        {
          title: 'Value',
          show: ({ value, is_secret }) => (is_secret ? <span class="muted">secret, not shown</span> : value),
        },
        { title: 'Description', show: ({ description }) => description ?? '' },
        ...(owner.env === '' ? [] : [{ title: 'From', show: sourceText }]),
        ...(isAllowed
          ? [{ title: 'Change', show: (value: Value) => <ValueActions owner={owner} value={value} /> }]
          : []),
      ]}
    />
  )
}

/** Whether the value is of the environment itself, or the page is that of the application. */
function isOwn({ env }: ValuesOwner, { source }: Value): boolean {
  return env === '' || source === 'env'
}

function sourceText({ source }: Value): string {
  return source === 'env' ? 'environment' : 'application'
}

/** A value of the application is overridden in an environment, not changed there. */
function ValueActions({ owner, value }: { readonly owner: ValuesOwner; readonly value: Value }) {
  const list = valuesPath(owner)
  const { key } = value
  if (!isOwn(owner, value))
    return (
      <a class="button" href={linkTo(`${list}?new=${encodeURIComponent(key)}`)}>
        Override {key}
      </a>
    )
  return (
    <div class="actions">
      <a class="button" href={linkTo(`${list}?edit=${encodeURIComponent(key)}`)}>
        Change {key}
      </a>
      <DeleteButton what={key} label={`Delete ${key}`} onDelete={() => deleteValue(owner, key)}>
        <p>Deployments of workloads that read it fail from then on, unless the value exists elsewhere.</p>
      </DeleteButton>
    </div>
  )
}
