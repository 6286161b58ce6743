import { linkTo } from '../routing/router.ts'
import { Page } from './page.tsx'

/** Shown for addresses without a page. */
export function NotFound() {
  return (
    <Page title="Page not found">
      <p>
        No page has this address. <a href={linkTo('/')}>Go to the start page</a>
      </p>
    </Page>
  )
}
