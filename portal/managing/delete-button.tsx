import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Confirmation } from '../components/confirmation.tsx'
import { ProblemNotice } from '../components/problem-notice.tsx'
import { useAction } from './use-action.ts'

interface Props {
  /** What is deleted, for example `account 'dns'`. */
  readonly what: string
  /** Text of the button; `Delete` with the name of the object when absent. */
  readonly label: string
  /** The verb of the button that confirms. */
  readonly verb?: string
  readonly onDelete: () => Promise<unknown>
  /** What follows from the deletion. */
  readonly children: ComponentChildren
}

/** Deletes something after a confirmation. */
export function DeleteButton({ what, label, verb = 'Delete', onDelete, children }: Props) {
  const [isAsking, setAsking] = useState(false)
  const { isBusy, problem, run } = useAction()
  return (
    <>
      <button type="button" class="danger" disabled={isBusy} onClick={() => setAsking(true)}>
        {label}
      </button>
      {problem && <ProblemNotice problem={problem} />}
      {isAsking && (
        <Confirmation
          title={`${verb} ${what}?`}
          button={verb}
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false)
            void run(onDelete)
          }}
        >
          {children}
        </Confirmation>
      )}
    </>
  )
}
