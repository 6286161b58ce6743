import type { QuotaRefusal, QuotaUse } from '../../domain/base/quota.ts'

/** An error response of the API server. */
export class ApiError extends Error {
  /** HTTP status. */
  readonly status: number
  /** Reason of the API server, such as `AlreadyExists`, `Conflict`, `NotFound`, `Invalid`, `Expired`. */
  readonly reason: string
  readonly retryAfterSeconds: number | undefined
  /** Method and path of the request that was answered so. */
  readonly request: string | undefined
  constructor(status: number, reason: string, message: string, retryAfterSeconds?: number, request?: string) {
    super(message)
    this.request = request
    this.status = status
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The API server did not answer: it could not be reached, ended the connection, was silent, or its answer was cut. */
export class NoAnswer extends Error {}

/** The API server refuses a create because of a quota of the namespace. */
export class QuotaError extends ApiError {
  readonly namespace: string
  readonly uses: readonly QuotaUse[]
  constructor(namespace: string, { message, uses }: QuotaRefusal) {
    super(403, 'Forbidden', message)
    this.namespace = namespace
    this.uses = uses
  }
}

/** Whether the API server does not have the object. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && !isUnserved(error)
}

/**
 * Whether the API server does not serve the version or the kind in the path of the request. This says nothing about the object,
 * which another version may serve.
 */
export function isUnserved(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && error.reason !== 'NotFound'
}

/** Whether a write conflicts with the object as it is now. */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409
}

/**
 * Whether the object of a patch or a deletion does not exist, or the name belongs to another one. Not for creations, which
 * also conflict when the API server changes a quota.
 */
export function isGone(error: unknown): boolean {
  return isNotFound(error) || (isConflict(error) && error.reason === 'Conflict')
}

/** Whether a create is rejected because the namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && error.message.includes('is being terminated')
}

/** Whether a create fails because the name is in use. */
export function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'AlreadyExists'
}

/**
 * How the API server says that an applied object is none of its kind: an unknown field, a text for a number, an item given twice.
 * It answers 500, and quotes values. A conversion webhook that fails between others that do not has a similar answer, and passes.
 */
const malformed = /^failed to (?:create typed|convert) (?![^:]*: conversion webhook for )/

/** Whether the API server or etcd rejects a write for good: it is invalid or too large. */
export function isRejected(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  const { status, message } = error
  if (status === 500 && malformed.test(message)) return true
  return [413, 422].includes(status) || /request is too large|message larger than max/.test(message)
}

/** Whether an admission webhook or policy of the cluster denies a request. */
export function isDenied({ message }: ApiError): boolean {
  return /\bdenied (?:the )?request\b/.test(message)
}

/** How the API server says that it cannot ask an admission webhook that must agree. */
const webhookFailure = /^Internal error occurred: failed calling webhook "[^"]*"/

/** The first words of an answer that an admission webhook, which must agree, could not be asked; undefined for any other answer. */
export function webhookFailureIn({ message }: ApiError): string | undefined {
  return webhookFailure.exec(message)?.[0]
}

/** Whether the same request would be refused again, until the object or a policy of the cluster changes. */
export function isRefused(error: unknown): error is ApiError {
  return isRejected(error) || (error instanceof ApiError && error.status < 429 && isDenied(error))
}

/** How the authorizer names a missing rule; the words of an admission rule may have this form. */
const missingRight = /\bcannot \S+ (?:resource|path) "/

/** Whether an RBAC rule is missing; false when an admission rule rejects the request. */
export function lacksRight(error: ApiError): boolean {
  return error.status === 403 && missingRight.test(error.message) && !isDenied(error)
}
