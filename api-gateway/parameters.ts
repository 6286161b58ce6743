import { idPattern, string, type TSchema } from '../operator/api/schema.ts'

/** A name that REST and kubectl may have given: any name of a Kubernetes object. */
const objectName = (description: string) =>
  string(description, { pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$', maxLength: 253 })

/** An id of something that a path begins with. */
export const shortId = (description: string) =>
  string(description, { pattern: idPattern, minLength: 2, maxLength: 50 })

/** An id that a body gives to something new. */
export const newId = (description: string) =>
  string(description, { pattern: idPattern, minLength: 2, maxLength: 100 })

/** Path parameters by name; one name means the same in every path. */
export const parameters: Readonly<Record<string, TSchema>> = {
  org_id: shortId('Organization id.'),
  app_id: shortId('Application id.'),
  env_id: shortId('Environment id.'),
  env_type_id: shortId('Environment type id.'),
  def_id: objectName('Resource definition id.'),
  delta_id: objectName('Deployment delta id.'),
  set_id: string('Deployment set id.', { pattern: '^[0-9a-f]{64}$', maxLength: 64 }),
  deploy_id: objectName('Deployment id.'),
}
