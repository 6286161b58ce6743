import { computed, signal } from '@preact/signals'
import { baseAddress } from '../api/base-address.ts'

const prefix = baseAddress.slice(0, -1)

function currentAddress(): string {
  return location.pathname.slice(prefix.length) + location.search
}

/** Path and query of the page, without the prefix of a proxy. */
const address = signal(currentAddress())

export const path = computed(() => address.value.replace(/\?.*/s, '') || '/')
export const query = computed(() => new URLSearchParams(address.value.replace(/^[^?]*/, '')))

addEventListener('popstate', () => {
  address.value = currentAddress()
})

/** Returns the address for a link to a page of the portal. */
export function linkTo(target: string): string {
  return prefix + target
}

/** Opens a page. With `replace`, the back button skips the current one. */
export function navigate(target: string, { replace = false } = {}): void {
  if (target === address.value) return
  if (replace) history.replaceState(undefined, '', linkTo(target))
  else history.pushState(undefined, '', linkTo(target))
  const isOtherPage = target.replace(/\?.*/s, '') !== path.value
  address.value = target
  if (isOtherPage && !replace) scrollTo(0, 0)
}

/** Changes parameters of the query; undefined removes one. */
export function setQuery(
  changes: Readonly<Record<string, string | undefined>>,
  { replace = false } = {},
): void {
  const next = new URLSearchParams(query.value)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  navigate(text === '' ? path.value : `${path.value}?${text}`, { replace })
}

/** Opens links to pages of the portal without loading the document again. */
export function followLinks(root: HTMLElement): void {
  root.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null
    if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.origin !== location.origin) return
    const target = link.pathname.slice(prefix.length) + link.search
    if (target.replace(/\?.*/s, '') !== '/' && !target.startsWith('/o/')) return
    event.preventDefault()
    navigate(target)
  })
}
