import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { PageProps } from '../routing/page-props.ts'
import { findRoute, type PathParameters } from '../routing/paths.ts'
import { path, query } from '../routing/router.ts'
import { type Route, routes } from '../routing/routes.ts'
import { NotFound } from './not-found.tsx'
import { pageTitle } from './page.tsx'

const loaded = new Map<Route, ComponentType<PageProps>>()
const failed = signal<Route | undefined>(undefined)
const version = signal(0)

async function load(route: Route): Promise<void> {
  failed.value = undefined
  try {
    loaded.set(route, await route.load())
    version.value += 1
  } catch {
    failed.value = route
  }
}

interface Shown {
  readonly Page: ComponentType<PageProps>
  readonly parameters: PathParameters
  readonly path: string
}

/** The page of the current address. Its code is loaded on first use; until then the earlier page is shown. */
export function CurrentPage() {
  const main = useRef<HTMLElement>(null)
  const shown = useRef<Shown | undefined>(undefined)
  const found = findRoute(routes, path.value)
  const Page = version.value >= 0 && found ? loaded.get(found.route) : undefined
  useEffect(() => {
    if (found && !loaded.has(found.route)) void load(found.route)
  }, [found?.route])
  const isFirst = useRef(true)
  const view = query.value
  useEffect(() => {
    // What had the focus is not shown any more.
    const isLost = !isFirst.current && document.activeElement === document.body
    if (isLost) main.current?.focus({ preventScroll: true })
  }, [view])
  useEffect(() => {
    if (isFirst.current) isFirst.current = false
    else main.current?.focus({ preventScroll: true })
  }, [path.value])
  if (found && Page) shown.current = { Page, parameters: found.parameters, path: path.value }
  const current = shown.current
  return (
    <main id="main" ref={main} tabIndex={-1}>
      <p class="visually-hidden" role="status">
        {pageTitle.value}
      </p>
      {failed.value && failed.value === found?.route && (
        <p class="notice notice-bad" role="alert">
          The page cannot be loaded.{' '}
          {/* With a target, the link loads the document, whose files may have other names after an upgrade. */}
          <a href={location.href} target="_self">
            Load it again
          </a>
        </p>
      )}
      {found ? current && <current.Page key={current.path} parameters={current.parameters} /> : <NotFound />}
    </main>
  )
}
