import { restErrors } from '../../operator/api/reasons/errors.ts'
import { reasons } from '../../operator/api/reasons/reasons.ts'
import { code, table } from './markdown.ts'

/** The page that explains the reasons of conditions, events and problems, and the errors of REST. */
export function reasonsPage(): string {
  const ofReasons = alphabetical(reasons).map(([name, { meaning, remedy }]) => [code(name), meaning, remedy])
  const ofErrors = alphabetical(restErrors).map(([name, { status, meaning }]) => [
    code(name),
    status,
    meaning,
  ])
  return `# Reasons

Conditions, events and the problems of a deployment have one of these reasons. The message beside the reason names the object
and the field. \`kubectl get\` prints the reason of the condition \`Ready\`; over REST it is the first word of \`status_message\`.

${table(['Reason', 'Meaning', 'What to do'], ofReasons)}

## Errors of the REST API

The field \`error\` of an answer has one of these values.

${table(['Error', 'Status', 'Meaning'], ofErrors)}
`
}

function alphabetical<T>(entries: Readonly<Record<string, T>>): [name: string, entry: T][] {
  return Object.entries(entries).sort(([left], [right]) => (left < right ? -1 : 1))
}
