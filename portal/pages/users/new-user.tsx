import { call } from '../../api/client.ts'
import { invalidate } from '../../api/read-store.ts'
import { Page } from '../../components/page.tsx'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { useSchemaForm } from '../../forms/use-schema-form.ts'
import { CancelLink } from '../../managing/cancel-link.tsx'
import { CheckedForm } from '../../managing/checked-form.tsx'
import { pathTo } from '../../routing/paths.ts'
import { navigate } from '../../routing/router.ts'
import { newUserBody, newUserSchema } from './user-roles.ts'

/** Creates a service user, and continues with its roles. */
export function NewUser({ org }: { readonly org: string }) {
  const form = useSchemaForm(newUserSchema, { idPrefix: 'user' })
  const users = pathTo('/o/:org/users', { org })
  const create = async () => {
    const { id } = await call('POST /orgs/{org_id}/users', {
      path: { org_id: org },
      body: newUserBody(form.value),
    })
    await invalidate(`/orgs/${encodeURIComponent(org)}/users`)
    navigate(pathTo('/o/:org/users/:user/roles', { org, user: id }), { replace: true })
  }
  return (
    <Page title="New service user" crumbs={[{ label: 'Users', path: users }]}>
      <CheckedForm
        label="New service user"
        forms={[form]}
        button="Create the service user"
        onSubmit={create}
        actions={<CancelLink to={users} />}
      >
        <SchemaForm {...form.fields} />
      </CheckedForm>
    </Page>
  )
}
