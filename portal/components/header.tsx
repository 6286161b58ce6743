import { useEffect, useRef } from 'preact/hooks'
import { hasOrganizationRole } from '../api/roles.ts'
import { signOut, user } from '../api/session.ts'
import { navigation } from '../routing/navigation.ts'
import { matchPath, pathTo } from '../routing/paths.ts'
import { linkTo, path } from '../routing/router.ts'

/** Parameters of the organization in the address; undefined on the start page. */
function organizationIn(address: string): string | undefined {
  const [, first, organization] = address.split('/')
  if (first !== 'o' || !organization) return undefined
  return matchPath('/o/:org', `/o/${organization}`)?.['org']
}

function isUnder(prefix: string, address: string): boolean {
  return address === prefix || address.startsWith(`${prefix}/`)
}

/** Name of the product, main navigation and user. */
export function Header() {
  const organization = organizationIn(path.value)
  return (
    <header class="header">
      <a class="brand" href={linkTo('/')}>
        <Mark />
        <span>Quartermaster</span>
      </a>
      {organization !== undefined && <Navigation organization={organization} />}
      <div class="header-end">
        <a class="quiet" href={linkTo('/docs')}>
          API
        </a>
        <details class="menu">
          <summary>{user.value?.name ?? ''}</summary>
          <div class="menu-panel">
            {organization !== undefined && <p class="muted">Organization {organization}</p>}
            <a href={linkTo('/')}>Organizations</a>
            <button type="button" class="link" onClick={() => void signOut()}>
              Sign out
            </button>
          </div>
        </details>
      </div>
    </header>
  )
}

function Navigation({ organization }: { readonly organization: string }) {
  const isAdministrator = hasOrganizationRole(user.value?.roles ?? {}, organization, 'administrator')
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    // In a narrow window, the list scrolls, and its current entry may be outside.
    const frame = list.current
    const current = frame?.querySelector<HTMLElement>('[aria-current]')
    if (!frame || !current) return
    const start = current.offsetLeft - frame.offsetLeft
    const isOutside =
      start < frame.scrollLeft || start + current.offsetWidth > frame.scrollLeft + frame.clientWidth
    if (isOutside) frame.scrollLeft = start - 40
  }, [path.value])
  const offered = navigation.filter(({ isForAdministrators }) => isAdministrator || !isForAdministrators)
  return (
    <nav class="navigation" aria-label="Main">
      <ul ref={list}>
        {offered.map(({ label, pattern, under }) => {
          const target = pathTo(pattern, { org: organization })
          const isCurrent =
            path.value === target ||
            under.some((each) => isUnder(pathTo(each, { org: organization }), path.value))
          return (
            <li key={pattern}>
              <a href={linkTo(target)} aria-current={isCurrent ? 'page' : undefined}>
                {label}
              </a>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

/** The mark of the product: stacked boxes. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d="M3 13h8v8H3z" />
      <path d="M13 13h8v8h-8z" opacity=".55" />
      <path d="M8 3h8v8H8z" opacity=".8" />
    </svg>
  )
}
