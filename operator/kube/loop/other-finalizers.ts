import type { KubeObject } from '../../api/kind.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { quotedNames } from '../../domain/base/quoted-names.ts'
import { hasFinalizer } from '../client/resource.ts'

const mostShown = 5

/** Finalizers, for a message. */
export function finalizersText(finalizers: readonly string[]): string {
  return `${finalizers.length === 1 ? 'the finalizer' : 'the finalizers'} ${quotedNames(finalizers, mostShown)}`
}

/** That only finalizers of others keep an object that is being deleted; undefined for any other object. */
export function keptByOthers(object: Pick<KubeObject, 'metadata'> | undefined): Waiting | undefined {
  const { deletionTimestamp, finalizers = [] } = object?.metadata ?? {}
  if (!object || !deletionTimestamp || finalizers.length === 0 || hasFinalizer(object)) return undefined
  return new Waiting('FinalizersRemain', `cleaned up; others keep it by ${finalizersText(finalizers)}`)
}
