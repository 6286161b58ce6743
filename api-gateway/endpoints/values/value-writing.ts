import { newObject } from '../../../operator/api/kind.ts'
import type { Static } from '../../../operator/api/schema.ts'
import { SharedValue } from '../../../operator/api/shared-value.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { sameJson } from '../../../operator/domain/base/json.ts'
import { refusePrototypeKey } from '../../../operator/domain/delta/patch.ts'
import { valueIdentity, valueObjectName } from '../../../operator/domain/graph/shared-values.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { authorize, type Caller } from '../../authenticate.ts'
import type { Gateway } from '../../endpoint.ts'
import { changeObject, currentIfRefused, modificationBy, withModification } from '../common/change.ts'
import { newMetadata, organizationKey } from '../common/find.ts'
import {
  addSecret,
  createWithSecret,
  refuseTakenUnlessIncomplete,
  withNewSecret,
} from '../common/owned-secret.ts'
import { fromReference, newSecretName, type SecretData, storeName } from '../common/secret-refs.ts'
import { requirePresent, type Target, targetApplication, targetEnvironment } from '../common/target.ts'
import {
  hasOwnSecret,
  type newValueShape,
  type replacedValueShape,
  secretKeyOf,
  secretVersionOf,
  storeOf,
  type ValuesPath,
  type valueChangesShape,
} from './value-shape.ts'

type Spec = SharedValue['spec']
type Body = Omit<Static<typeof newValueShape>, 'key' | 'description'>
type Changes = Static<typeof valueChangesShape> | Static<typeof replacedValueShape>
type SecretReference = NonNullable<Body['secret_ref']>

/** New content of a value: plain text, a secret text, or a reference; undefined keeps the content. */
type Content =
  | { readonly plain: string }
  | { readonly secret: string }
  | { readonly reference: Pick<Spec, 'secret' | 'storeReference'> }
  | undefined

/** Key in the Secret of a value. */
const secretDataKey = 'value'

function contentOf(body: Body, caller: Caller, current?: SharedValue): Content {
  const { value, is_secret: isSecret = isSecretValue(current), secret_ref: given } = body
  if (given?.value !== undefined || given?.ref !== undefined)
    return referredContent(given, body, caller, current)
  if (value === undefined && (given?.store || given?.version))
    throw new Problem('Invalid', "'secret_ref' requires 'ref' or 'value'")
  return isSecret ? secretContent(value, current) : plainContent(value, current)
}

function referredContent(given: SecretReference, body: Body, caller: Caller, current?: SharedValue): Content {
  if (body.is_secret === false) throw new Problem('Invalid', "'secret_ref' requires a secret value")
  if (given.value !== undefined) return { secret: given.value }
  // A reference that a client sends back unchanged keeps the content.
  if (current && isSecretValue(current) && isSameReference(given, current)) return undefined
  return { reference: referenceTo(given, caller) }
}

/** Whether a reference is that of the value. A given version does not change a Secret that the gateway created. */
function isSameReference({ store, ref, version }: SecretReference, current: SharedValue): boolean {
  if (ref !== secretKeyOf(current) || (store || storeName) !== storeOf(current)) return false
  return version === undefined || hasOwnSecret(current) || version === secretVersionOf(current)
}

/** The empty text is what responses show instead of a secret, so it keeps the secret. */
function secretContent(value: string | undefined, current?: SharedValue): Content {
  if (isSecretValue(current) && !value) return undefined
  const text = value ?? current?.spec.value
  if (text !== undefined) return { secret: text }
  throw new Problem('Invalid', "a secret value requires 'value' or 'secret_ref'")
}

function plainContent(value: string | undefined, current?: SharedValue): Content {
  if (value !== undefined) return { plain: value }
  if (isSecretValue(current)) throw new Problem('Invalid', "'value' is required to make a secret value plain")
  return current ? undefined : { plain: '' }
}

/** Only administrators may reference Secrets, because a reference makes any Secret of the organization readable. */
function referenceTo(given: SecretReference, caller: Caller): Pick<Spec, 'secret' | 'storeReference'> {
  authorize(caller, { organization: 'administrator' })
  const { secret, key } = fromReference(given, "'secret_ref'")
  const { store = '', ref = '', version } = given
  const kept = version === undefined ? {} : { version }
  if (typeof secret !== 'string') return { storeReference: { store, ref, ...kept } }
  if (typeof key !== 'string') throw new Problem('Invalid', "'secret_ref': 'ref' must be '<secret>/<key>'")
  return { secret: { secret, key, ...kept } }
}

/** Returns the fields of the spec that contain the value. */
function valuePart(content: NonNullable<Content>, secretName: string, current?: SharedValue) {
  if ('plain' in content) return { value: content.plain }
  if ('reference' in content) return content.reference
  return { secret: { secret: secretName, key: secretDataKey, version: nextVersion(current) } }
}

function isSecretValue(value: SharedValue | undefined): boolean {
  return value !== undefined && value.spec.value === undefined
}

/** Versions of generated Secrets count from 1. */
function nextVersion(current: SharedValue | undefined): string {
  const next = current && hasOwnSecret(current) ? Number(secretVersionOf(current)) + 1 : 1
  return String(Number.isSafeInteger(next) ? next : 1)
}

function secretData(text: string): SecretData {
  return { [secretDataKey]: Buffer.from(text).toString('base64') }
}

/** Returns the application or environment of a new value. */
function targetOf(store: Store, { env_id, ...path }: ValuesPath): Target {
  return env_id === undefined ? targetApplication(store, path) : targetEnvironment(store, { ...path, env_id })
}

/** Throws Invalid for a key that clients and proxies remove from a path: the value could not be read, changed or deleted. */
function refuseDotKey(key: string): void {
  if (key === '.' || key === '..') throw new Problem('Invalid', `key: '${key}' cannot be a name in a path`)
}

/** Creates a value and the Secret for it, if it is secret. */
export async function createValue(
  path: ValuesPath,
  body: Static<typeof newValueShape>,
  caller: Caller,
  gateway: Gateway,
): Promise<SharedValue> {
  const { key, description } = body
  const target = targetOf(gateway.cluster.store, path)
  refusePrototypeKey(key, 'key')
  refuseDotKey(key)
  const place = {
    applicationName: path.app_id,
    key,
    environmentId: path.env_id,
  }
  const content = contentOf(body, caller) ?? { plain: '' }
  const name = valueObjectName(place)
  const secretName = newSecretName(name, 'value')
  const wanted = newObject(SharedValue, newMetadata(path.org_id, name, caller), {
    ...place,
    ...valuePart(content, secretName),
    description: description ?? undefined,
  })
  const secret = 'secret' in content ? { name: secretName, data: secretData(content.secret) } : undefined
  const creation = { kind: SharedValue, wanted, secret, what: `value '${key}'` }
  const { cluster } = gateway
  const [known] = cluster.store.byIndex(
    SharedValue,
    'place',
    organizationKey(path.org_id, valueIdentity(place)),
  )
  await refuseTakenUnlessIncomplete(creation, cluster, known)
  return createWithSecret(creation, gateway, () => requirePresent(gateway, target))
}

/** Attempts of a change while other clients change the content of the value. */
const maxAttempts = 5

/** Changes a value. A new secret text is written to a new Secret; the operator deletes the old one. */
export async function changeValue(
  value: SharedValue,
  body: Changes,
  caller: Caller,
  gateway: Gateway,
): Promise<SharedValue> {
  let { object: current } = await currentIfRefused(gateway.cluster, SharedValue, value, (each) =>
    contentOf(body, caller, each),
  )
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { isWritten, latest } = await writeContent(current, contentOf(body, caller, current), {
      body,
      caller,
      gateway,
    })
    if (isWritten) return latest
    current = latest
  }
  throw new Problem('Conflict', `value '${value.spec.key}' is being changed by other requests`)
}

/**
 * Writes the content that the body gives to the known value. Writes nothing if the body gives the latest value other
 * content, because another client has made the value secret or plain, or has changed a text that becomes secret.
 */
async function writeContent(
  known: SharedValue,
  content: Content,
  { body, caller, gateway }: { body: Changes; caller: Caller; gateway: Gateway },
): Promise<{ isWritten: boolean; latest: SharedValue }> {
  const secretName = newSecretName(known.metadata.name, 'value')
  const first =
    content && 'secret' in content
      ? await addSecret(SharedValue, known, { name: secretName, data: secretData(content.secret) }, gateway)
      : known
  const modification = modificationBy(caller, gateway)
  let isWritten = true
  const latest = await changeObject(gateway.cluster, SharedValue, first, (current) => {
    isWritten = sameJson(contentOf(body, caller, current), content)
    if (!isWritten) return current
    const { value, secret, storeReference, description: before, ...place } = current.spec
    const kept = {
      value,
      secret,
      storeReference,
    }
    const { description = before } = body
    const spec = {
      ...place,
      ...(content ? valuePart(content, secretName, current) : kept),
      description: description ?? undefined,
    }
    return withNewSecret(current, withModification(current, { ...current, spec }, modification), secretName)
  })
  return { isWritten, latest }
}
