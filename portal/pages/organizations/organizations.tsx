import { useEffect } from 'preact/hooks'
import { useRead } from '../../api/reads.ts'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { pathTo } from '../../routing/paths.ts'
import { linkTo, navigate } from '../../routing/router.ts'

/** Organizations of the user; a single one is opened at once. */
export function Organizations() {
  const read = useRead('GET /orgs', {}, { isList: true })
  const only = read.data?.length === 1 ? read.data[0] : undefined
  useEffect(() => {
    if (only) navigate(pathTo('/o/:org', { org: only.id }), { replace: true })
  }, [only])
  return (
    <Page title="Organizations">
      <ReadView read={read} what="organizations">
        {(organizations) =>
          organizations.length === 0 ? (
            <p class="empty">You are not a member of an organization. An administrator can invite you.</p>
          ) : (
            <ul class="cards">
              {organizations.map(({ id, name }) => (
                <li key={id} class="card">
                  <h2>
                    <a href={linkTo(pathTo('/o/:org', { org: id }))}>{name}</a>
                  </h2>
                  <p class="muted">{id}</p>
                </li>
              ))}
            </ul>
          )
        }
      </ReadView>
    </Page>
  )
}
