import { classPattern, idPattern, string, type TSchema } from '../../operator/api/schema.ts'
import { valueKeyPattern } from '../../operator/api/shared-value.ts'
import { longestGraphId } from '../endpoints/active-resources/graph-id.ts'

const objectNamePattern = '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$'
const objectNameRegExp = new RegExp(objectNamePattern)

/** ID of an existing object: the name of any Kubernetes object, because kubectl may have created it. */
export const objectName = (description: string) =>
  string(description, { pattern: objectNamePattern, maxLength: 253 })

/** Whether an ID in a body can be the name of an object, so that the API server can be asked for it. */
export function canBeObjectName(id: string): boolean {
  return objectNameRegExp.test(id)
}

/** ID of an application, or of a new environment or environment type. */
export const shortId = (description: string) =>
  string(description, { pattern: idPattern, minLength: 2, maxLength: 50 })

/** ID of a new object. */
export const newId = (description: string, pattern = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$') =>
  string(description, { pattern, minLength: 2, maxLength: 100 })

/** ID of an existing object. */
export const knownId = (description: string, maxLength = 253) =>
  string(description, { pattern: '^\\S+$', maxLength })

/** Name of a resource class. */
export const className = (description: string) =>
  string(description, { pattern: classPattern, maxLength: 63 })

/** Request header of operations that set cookies. */
export const hostHeader = {
  Host: string('Host of the gateway. Cookies are `Secure` unless it is a loopback address.'),
}

/** Response header of operations that set cookies. */
export const setCookieHeader = { 'Set-Cookie': string('The cookie.', { maxLength: 8192 }) }

/** Path parameters by name. A name has the same meaning in every path. */
export const parameters: Readonly<Record<string, TSchema>> = {
  org_id: objectName('Organization ID.'),
  app_id: shortId('Application ID.'),
  env_id: objectName('Environment ID.'),
  env_type_id: objectName('Environment type ID.'),
  account_id: objectName('Resource account ID.'),
  driver_id: objectName('Driver ID.'),
  def_id: objectName('Resource definition ID.'),
  version_id: string('Version ID of a definition.', { pattern: '^[0-9a-f-]+$', maxLength: 64 }),
  criterion_id: string('Criterion ID.', { pattern: '^[0-9a-f]+$', maxLength: 64 }),
  type_id: string('Resource type: `<type>` or `<organization>%2F<type>`.', {
    pattern: '^[a-z0-9-]+(/[a-z0-9-]+)?$',
    maxLength: 127,
  }),
  class_id: className('Class ID.'),
  delta_id: objectName('Deployment delta ID.'),
  set_id: objectName('Deployment set ID.'),
  source_set_id: objectName('Deployment set ID.'),
  graph_id: string('Resource graph ID.', { pattern: '^[A-Za-z0-9_-]+$', maxLength: longestGraphId }),
  deploy_id: objectName('Deployment ID.'),
  pipeline_id: shortId('Pipeline ID.'),
  run_id: objectName('Pipeline run ID.'),
  value_key: string('Key of a shared value.', { pattern: valueKeyPattern, maxLength: 253 }),
  value_set_version_id: string('Version ID of the shared values.', {
    pattern: '^[0-9A-Za-z-]+$',
    maxLength: 64,
  }),
  artefact_id: string('Artefact ID.', { pattern: '^[0-9a-f-]+$', maxLength: 36 }),
  artefact_version_id: objectName('Artefact version ID.'),
  image_id: string('Name of an image without tag and digest.', { pattern: '^\\S+$', maxLength: 512 }),
  rule_id: objectName('Automation rule ID.'),
  registry_id: objectName('Registry ID.'),
  webhook_id: objectName('Webhook ID.'),
  user_id: objectName('User ID.'),
  token_id: objectName('Token ID.'),
  file: string('Name of a file.', { pattern: '^[A-Za-z0-9.-]+$', maxLength: 63 }),
  call_id: objectName('Webhook call ID.'),
  res_type: string('Resource type: `<type>` or `<type>.<class>`.', {
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9][A-Za-z0-9_-]*)?([.][A-Za-z0-9][A-Za-z0-9_-]*)?$',
    maxLength: 191,
  }),
  res_id: string('Resource ID.', { pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]*$', maxLength: 253 }),
}
