import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { linkTo } from '../routing/router.ts'

/** Title of the current page, which is announced when it changes. */
export const pageTitle = signal('')

/** One step of the way to a page. */
export interface Crumb {
  readonly label: string
  readonly path: string
}

interface Props {
  readonly title: string
  /** Title of the document, if the heading is not enough there. */
  readonly documentTitle?: string
  readonly crumbs?: readonly Crumb[]
  /** Buttons and links beside the heading. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** Frame of a page: way to it, heading, actions, content. Sets the title of the document. */
export function Page({ title, documentTitle = title, crumbs = [], actions, children }: Props) {
  useEffect(() => {
    document.title = `${documentTitle} – Quartermaster`
    pageTitle.value = documentTitle
  }, [documentTitle])
  return (
    <div class="page">
      <nav class="crumbs" aria-label="Breadcrumb">
        <ol>
          {crumbs.map(({ label, path }) => (
            <li key={path}>
              <a href={linkTo(path)}>{label}</a>
            </li>
          ))}
        </ol>
      </nav>
      <div class="page-head">
        <h1>{title}</h1>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}
