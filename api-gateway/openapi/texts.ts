import { STATUS_CODES } from 'node:http'
import type { Access } from '../endpoint.ts'
import { refusalDescription } from './refusals.ts'

const tagTexts: Readonly<Record<string, string>> = {
  Organizations: 'Organizations hold everything else; each is a namespace of the cluster.',
  'Environment types': 'What environments are for, such as development and production.',
  Applications: 'Applications: workloads that are deployed together.',
  Environments: 'Where an application runs; each has a namespace of its own.',
  'Resource types': 'What workloads can ask for, and the classes of it.',
  'Resource accounts': 'Credentials for the providers of resources; never answered.',
  Drivers: 'What makes resources: the built-in ones, and those of others.',
  'Resource definitions': 'How a resource is made, and in which contexts.',
  'Deployment deltas': 'Changes to what runs in an environment, not yet deployed.',
  'Deployment sets': 'All that runs in an environment; immutable, named by their content.',
  Deployments: 'Deployments of deltas and sets to environments.',
  'Active resources': 'Resources that are there, and why they are made as they are.',
  'Resource graphs': 'Which resources would be provisioned, and what needs what.',
  'Shared values': 'Values and secrets that the workloads of an application share.',
  Webhooks: 'Who is told of what happens, and how that went.',
  Audit: 'Who changed what, over REST.',
  Users: 'Users and their roles; `GET /current-user` shows the own ones.',
  Tokens: 'API tokens. The token itself is shown once, when it is made.',
  Sessions: 'Sessions of humans, for eight hours.',
  Service: 'The gateway itself.',
}

/** What the operations under a tag are about. */
export function tagText(tag: string): string {
  return tagTexts[tag] ?? `${tag}.`
}

const statusTexts: Readonly<Record<number, string>> = {
  200: 'It is done, or as follows.',
  201: 'It is created.',
  202: 'It is accepted, and goes on.',
  204: 'It is done, and there is nothing to show.',
  302: 'It goes on elsewhere.',
  303: 'It is done; what follows is elsewhere.',
  304: 'The client has it as it is.',
}

/** What a status says. */
export function statusText(status: number): string {
  return statusTexts[status] ?? refusalDescription(status) ?? `${STATUS_CODES[status] ?? status}.`
}

/** Who may call an operation. */
export function accessText(access: Access): string {
  if (access === 'public') return 'Anybody may call it; no token is needed.'
  if (access === 'authenticated') return 'Needs a valid token.'
  if ('organization' in access) return `Needs the role \`${access.organization}\` in the organization.`
  const { application, orOrganization, deployer } = access
  const either = orOrganization ? `, or \`${orOrganization}\` in the organization` : ''
  const also = deployer ? ', and `deployer` on the environment type' : ''
  return `Needs the role \`${application}\` on the application${either}${also}.`
}
