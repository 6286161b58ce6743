import { idPattern, string, type TSchema } from '../../operator/api/schema.ts'
import { valueKeyPattern } from '../../operator/api/shared-value.ts'
import { longestGraphId } from '../endpoints/active-resources/graph-id.ts'

/** A name that REST and kubectl may have given: any name of a Kubernetes object. */
const objectName = (description: string) =>
  string(description, { pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$', maxLength: 253 })

/** An id of something that a path begins with. */
export const shortId = (description: string) =>
  string(description, { pattern: idPattern, minLength: 2, maxLength: 50 })

/** An id that a body gives to something new. */
export const newId = (description: string) =>
  string(description, { pattern: idPattern, minLength: 2, maxLength: 100 })

/** An id in a body of something that is there already, in whatever form it was given. */
export const knownId = (description: string, maxLength = 253) =>
  string(description, { pattern: '^\\S+$', maxLength })

/** The name of a resource class. */
export const className = (description: string) =>
  string(description, { pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$', maxLength: 63 })

/** The header that says by which name the client knows us, for operations that set cookies. */
export const hostHeader = {
  Host: string('Host that the request is sent to. Cookies are `Secure` but for this machine itself.'),
}

/** The header of answers that set cookies. */
export const setCookieHeader = { 'Set-Cookie': string('The cookie.', { maxLength: 8192 }) }

/** Path parameters by name; one name means the same in every path. */
export const parameters: Readonly<Record<string, TSchema>> = {
  org_id: shortId('Organization id.'),
  app_id: shortId('Application id.'),
  env_id: shortId('Environment id.'),
  env_type_id: shortId('Environment type id.'),
  account_id: objectName('Resource account id.'),
  driver_id: objectName('Driver id.'),
  def_id: objectName('Resource definition id.'),
  version_id: string('Version id of a definition.', { pattern: '^[0-9a-f-]+$', maxLength: 64 }),
  criterion_id: string('Criterion id.', { pattern: '^[0-9a-f]+$', maxLength: 64 }),
  type_id: string('Resource type, as `<type>` or `<organization>%2F<type>`.', {
    pattern: '^[a-z0-9-]+(/[a-z0-9-]+)?$',
    maxLength: 127,
  }),
  class_id: className('Class id.'),
  delta_id: objectName('Deployment delta id.'),
  set_id: objectName('Deployment set id.'),
  source_set_id: objectName('Deployment set id.'),
  graph_id: string('Resource graph id.', { pattern: '^[A-Za-z0-9_-]+$', maxLength: longestGraphId }),
  deploy_id: objectName('Deployment id.'),
  pipeline_id: shortId('Pipeline id.'),
  run_id: objectName('Pipeline run id.'),
  value_key: string('Key of a shared value.', { pattern: valueKeyPattern, maxLength: 253 }),
  value_set_version_id: string('Id of a version of the shared values.', {
    pattern: '^[0-9A-Za-z-]+$',
    maxLength: 64,
  }),
  webhook_id: objectName('Webhook id.'),
  user_id: objectName('User id.'),
  token_id: objectName('Token id.'),
  file: string('Name of a file.', { pattern: '^[A-Za-z0-9.-]+$', maxLength: 63 }),
  call_id: objectName('Id of a webhook call.'),
  res_type: string('Resource type, as `<type>` or `<type>.<class>`.', {
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9][A-Za-z0-9_-]*)?([.][A-Za-z0-9][A-Za-z0-9_-]*)?$',
    maxLength: 191,
  }),
  res_id: string('Resource ID.', { pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]*$', maxLength: 253 }),
}
