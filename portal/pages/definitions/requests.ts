import { call } from '../../api/client.ts'
import type { Answer, OperationName, RequestInput } from '../../api/operations.ts'
import { ApiProblem } from '../../api/problem.ts'
import { invalidate } from '../../api/read-store.ts'
import type { DefinitionPreview } from '../../api/types.ts'

/** Sends a change of definitions as a dry run. */
export async function previewOf<K extends OperationName>(
  operation: K,
  input: RequestInput<K>,
): Promise<DefinitionPreview> {
  const answer: unknown = await call(operation, { ...input, query: { dry_run: 'true' } })
  if (isPreview(answer)) return answer
  throw new ApiProblem(0, 'Unreachable', 'the gateway answered without a preview')
}

/** Whether an answer is that of a dry run. */
export function isPreview(answer: unknown): answer is DefinitionPreview {
  return typeof answer === 'object' && answer !== null && 'changes' in answer
}

/** Sends a change of definitions, and reads again what is shown of them. */
export async function saveDefinition<K extends OperationName>(
  org: string,
  operation: K,
  input: RequestInput<K>,
): Promise<Answer<K>> {
  const answer = await call(operation, input)
  await invalidate(`/orgs/${encodeURIComponent(org)}/resources/`)
  return answer
}
