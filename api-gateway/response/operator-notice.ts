import type { TSchema } from '../../operator/api/schema.ts'
import { isObject } from '../../operator/domain/base/json.ts'
import type { Endpoint, EndpointResponse } from '../endpoint.ts'

const notice = 'no operator is running: the request is stored and waits'

/** Adds to the `status_message` of a write that no operator is running. */
export function withOperatorNotice(
  answer: EndpointResponse,
  { method, responses }: Pick<Endpoint, 'method' | 'responses'>,
  hasOperator: () => boolean,
): EndpointResponse {
  if (method === 'get' || !hasStatusMessage(responses[answer.status]) || hasOperator()) return answer
  const { body = {} } = answer
  if (!isObject(body)) return answer
  const messages = [body['status_message'], notice].filter((each) => each !== undefined && each !== '')
  return { ...answer, body: { ...body, status_message: messages.join('; ') } }
}

/** Whether a body of this schema has the field `status_message`. */
export function hasStatusMessage(schema: TSchema | undefined): boolean {
  const properties: unknown = schema && 'properties' in schema ? schema.properties : undefined
  return isObject(properties) && Object.hasOwn(properties, 'status_message')
}
