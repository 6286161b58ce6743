import { NotYet } from '../limits.ts'
import { type Functions, isDict, isEmpty, own, textArgument } from '../values.ts'

/** Functions that wait for objects of the cluster. */
export const waitingFunctions: Functions = {
  await: (object, path) => {
    const text = textArgument(path)
    const value = text.split('.').reduce(member, object)
    if (isEmpty(value) && value !== 0 && value !== false)
      throw new NotYet(`waiting for '${text}' of ${nameOf(object)}`)
    return value
  },
  awaitCondition: (object, type) => {
    const conditions = ['status', 'conditions'].reduce(member, object)
    const found = Array.isArray(conditions) ? conditions.filter(isDict) : []
    const isTrue = found.some((each) => own(each, 'type') === type && own(each, 'status') === 'True')
    if (!isTrue) throw new NotYet(`waiting for the condition '${textArgument(type)}' of ${nameOf(object)}`)
    return true
  },
}

function member(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined
  return isDict(value) ? own(value, step) : undefined
}

function nameOf(object: unknown): string {
  if (!isDict(object)) return 'an object that is not there'
  const metadata = own(object, 'metadata')
  const name = isDict(metadata) ? own(metadata, 'name') : undefined
  return `${String(own(object, 'kind') ?? 'an object')} '${String(name ?? '')}'`
}
