import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Health } from './kstatus.ts'

/** Argo CD's names of the states of kstatus. */
export const argoHealth: Readonly<Record<Health, string>> = {
  Current: 'Healthy',
  InProgress: 'Progressing',
  Failed: 'Degraded',
  Terminating: 'Progressing',
}

const file = join(import.meta.dirname, '../../docs/gitops/argo-cd/argocd-cm.yaml')
const { data } = parse(readFileSync(file, 'utf8')) as { data: { 'resource.customizations': string } }

/** The customizations that the documentation ships, by pattern of group and kind. */
export const customizations: Readonly<Record<string, { readonly 'health.lua': string }>> = parse(
  data['resource.customizations'],
)

/** The health script of the documentation. */
export const healthScript = customizations['quartermaster.dev/*']?.['health.lua'] ?? ''
