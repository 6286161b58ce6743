import { useState } from 'preact/hooks'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { useAction } from '../../managing/use-action.ts'

interface Props {
  /** Kind of the object that the role is on. */
  readonly kind: 'organization' | 'application' | 'environment type'
  readonly name: string
  readonly role: string
  readonly roles: readonly { readonly value: string; readonly label: string }[]
  /** Text for no role, if the user can have none. */
  readonly none?: string
  readonly save: (before: string, after: string) => Promise<void>
}

/** A choice; it ends when the role is no longer the one that it began with. */
interface Choice {
  readonly from: string
  readonly to: string
}

/** A role, and a button that saves another choice: with the arrow keys, a choice passes the roles in between. */
export function RoleChoice({ kind, name, role, roles, none, save }: Props) {
  const [chosen, setChosen] = useState<Choice | undefined>(undefined)
  const { isBusy, problem, run } = useAction()
  const value = chosen?.from === role ? chosen.to : role
  const id = `role-${kind.replace(' ', '-')}-${name}`
  const submit = async () => {
    if (await run(() => save(role, value))) setChosen(undefined)
  }
  return (
    <li>
      <form
        class="role"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <label for={id}>
          Role on {kind} {name}
        </label>
        <select
          id={id}
          value={value}
          onChange={({ currentTarget }) => setChosen({ from: role, to: currentTarget.value })}
        >
          {none !== undefined && <option value="">{none}</option>}
          {roles.map((each) => (
            <option key={each.value} value={each.value}>
              {each.label}
            </option>
          ))}
        </select>
        {value !== role && (
          <button type="submit" class="primary" disabled={isBusy}>
            Save the role on {kind} {name}
          </button>
        )}
      </form>
      {problem && <ProblemNotice problem={problem} />}
    </li>
  )
}
