import { readFileSync } from 'node:fs'
import { kinds } from '../../../operator/api/kinds.ts'
import { leaksIn } from '../security/canaries.ts'
import { objectsOf } from './applied-objects.ts'
import type { Installation } from './installation.ts'
import type { Subject } from './subject.ts'
import { canary } from './supplies.ts'

const canaries = { 'a secret': canary }

/** Where a secret shows, except in Secrets: in an object of the organization, in its events, in what its resources applied or at its webhook. */
export async function leaksOf({ organization, events: { calls } }: Subject): Promise<string[]> {
  const { id, kube } = organization
  const listed = async (plural: string) => [plural, await organization.list(plural)] as const
  const lists = await Promise.all(kinds.map(({ plural }) => listed(plural)))
  const { body: events } = await kube('GET', `/api/v1/namespaces/${id}/events`)
  const applied = (await objectsOf(organization)).filter(({ kind }) => kind !== 'secrets')
  const places = { ...Object.fromEntries(lists), events, 'applied objects': applied, webhook: calls() }
  return Object.entries(places).flatMap(([where, found]) => leaksIn(where, JSON.stringify(found), canaries))
}

/** Where a secret shows in the logs of all processes. */
export function leaksInLogs({ logFiles }: Installation): string[] {
  return logFiles.flatMap((file) => leaksIn(file, readFileSync(file, 'utf8'), canaries))
}
