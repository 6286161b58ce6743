export const applications = ['shop', 'blog']
export const environments = ['shop.dev', 'shop.prod', 'blog.dev']
/** An application that is made and used over REST only. */
export const restApplication = 'tmp'
export const restEnvironments = [...environments, `${restApplication}.dev`]
/** Users of the gateway, beside the administrator: one who may create applications, and one who gets roles. */
export const manager = 'mia'
export const guest = 'dev'
export const environmentType = 'development'
export const credentials = ['cred-a', 'cred-b']
export const account = 'acct'
/** A namespace of an administrator, in which the organization may have objects. */
export const place = 'ops'
/** The begin of the names of webhooks that kubectl makes. */
export const kubectlWebhook = 'hook-'
/** The header in which a call has the name of its webhook. */
export const webhookHeader = 'x-webhook'
/** The image that most modules have, and whose versions are registered. */
export const image = 'reg.example.com/api'
/** The type of the organization, and the driver of a server that provisions it. */
export const customType = 'acme/queue'
export const customDriver = 'queues'
/** Another driver at the address of that server. */
export const twinDriver = 'twin'
/** Drivers that wrap others. */
export const wrapperDrivers = ['wrapper', 'outer']
/** The drivers of the organization. */
export function driverNames({ wrappers }: { readonly wrappers: boolean }): string[] {
  return wrappers ? [customDriver, twinDriver, ...wrapperDrivers] : [customDriver]
}
/** A type of the organization that takes the place of a built-in one while it has a definition. */
export const overrideType = 'acme/redis'

/** A class of resources beside the default one. */
export const otherClass = 'large'
/** The variable that has the bucket of a resource. */
export const bucketVariable = 'BUCKET'

export const applicationOf = (environment: string) => environment.split('.')[0] ?? ''
export const idOf = (environment: string) => environment.split('.')[1] ?? ''
