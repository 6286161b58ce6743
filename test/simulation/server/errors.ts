import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { Served } from './resources.ts'

export function notFound({ plural }: Served, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${plural} "${name}" not found`)
}

export function notServed(): ApiError {
  return new ApiError(404, 'Unknown', 'the server could not find the requested resource')
}

export function alreadyExists({ plural }: Served, name: string): ApiError {
  return new ApiError(409, 'AlreadyExists', `${plural} "${name}" already exists`)
}

export function conflict(message: string): ApiError {
  return new ApiError(409, 'Conflict', message)
}

export function invalid(message: string): ApiError {
  return new ApiError(422, 'Invalid', message)
}

export function terminating({ plural }: Served, name: string, namespace: string): ApiError {
  return new ApiError(
    403,
    'Forbidden',
    `${plural} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
  )
}
