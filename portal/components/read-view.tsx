import type { ComponentChildren } from 'preact'
import type { Read } from '../api/read-store.ts'
import { ProblemNotice } from './problem-notice.tsx'

interface Props<T> {
  readonly read: Read<T> & { readonly reload: () => void }
  /** What is being read, for the text while it loads. */
  readonly what: string
  readonly children: (data: T) => ComponentChildren
}

/** Shows what was read. If a later read fails, the problem is shown above what is known. */
export function ReadView<T>({ read, what, children }: Props<T>) {
  const { data, problem, reload } = read
  return (
    <>
      {problem && <ProblemNotice problem={problem} onRetry={reload} />}
      {data === undefined && !problem && <Loading what={what} />}
      {data !== undefined && children(data)}
    </>
  )
}

/** Placeholder that becomes visible after a moment only, so that fast answers do not flicker. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      Reading {what} …
    </p>
  )
}
