export const applications = ['shop', 'blog']
export const environments = ['shop.dev', 'shop.prod', 'blog.dev']
export const environmentType = 'development'
export const credentials = ['cred-a', 'cred-b']
export const account = 'acct'
/** A namespace of an administrator, in which the organization may have objects. */
export const place = 'ops'
/** The image that most modules have, and whose versions are registered. */
export const image = 'reg.example.com/api'
/** The type and the driver of the organization. */
export const customType = 'acme/queue'
export const customDriver = 'queues'

export const applicationOf = (environment: string) => environment.split('.')[0] ?? ''
export const idOf = (environment: string) => environment.split('.')[1] ?? ''
