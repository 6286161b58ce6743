import { STATUS_CODES } from 'node:http'
import type { Access } from '../endpoint.ts'
import { errorStatusText } from './error-responses.ts'

const tagTexts: Readonly<Record<string, string>> = {
  Organizations: 'Organizations contain everything else. Each is a namespace of the cluster.',
  'Environment types': 'Types of environments, for example `development` and `production`.',
  Applications: 'Applications consist of workloads that are deployed together.',
  Environments: 'Environments of applications. Each has a namespace in the cluster.',
  'Resource types': 'Types of resources that workloads can request, and their classes.',
  'Resource accounts': 'Credentials that drivers use. They are never returned.',
  Drivers: 'Built-in and third-party drivers, which provision resources.',
  'Resource definitions': 'Definitions declare how to provision a resource, and for which contexts.',
  'Deployment deltas': 'Drafts of changes to an environment.',
  'Deployment sets':
    'Immutable sets of workloads and shared dependencies, identified by a hash of their content.',
  Deployments: 'Deployments of deltas, sets and Score documents to environments.',
  Score: 'Workloads as documents of the Score specification (score.dev/v1b1).',
  Artefacts: 'Versions of container images and workloads that builds have made.',
  'Automation rules': 'Rules that deploy new versions of images to an environment.',
  Registries: 'Registries that images are pulled from. Their credentials are never returned.',
  Runtime:
    'The pods of environments: their state, pause, number and restart. `kubectl logs` shows what they print.',
  'Active resources': 'Provisioned resources, and why a definition was chosen for them.',
  'Resource graphs': 'Graphs of the resources that a deployment would provision, with their dependencies.',
  'Shared values': 'Values and secrets that the workloads of an application share.',
  Webhooks: 'Webhooks call external HTTPS URLs when events occur.',
  Audit: 'Records of requests that wrote something or were rejected.',
  Users: 'Users and their roles. `GET /current-user` returns the profile of the caller.',
  Tokens: 'API tokens. The value of a token is returned only once, when it is created.',
  Sessions: 'Sessions of human users. A session lasts up to eight hours.',
  Service: 'Health, metrics and description of the gateway.',
}

/** Returns the description of a tag. */
export function tagText(tag: string): string {
  return tagTexts[tag] ?? `${tag}.`
}

const statusTexts: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted. The operation continues in the background.',
  204: 'Success, without a body.',
  302: 'Redirect.',
  303: 'Success, with a redirect.',
  304: 'Not modified.',
}

/** Returns the description of a status. */
export function statusText(status: number): string {
  return statusTexts[status] ?? errorStatusText(status) ?? `${STATUS_CODES[status] ?? status}.`
}

/** Describes who may call an operation. */
export function accessText(access: Access): string {
  if (access === 'public') return 'No token is required.'
  if (access === 'authenticated') return 'Requires a valid token.'
  if ('organization' in access) return `Requires the role \`${access.organization}\` in the organization.`
  const { application, orOrganization, deployer } = access
  const either = orOrganization ? `, or \`${orOrganization}\` in the organization` : ''
  const also = deployer ? ', and `deployer` on the environment type' : ''
  return `Requires the role \`${application}\` on the application${either}${also}.`
}
