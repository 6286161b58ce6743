/** How something is doing, as a colour. */
export type Tone = 'good' | 'wait' | 'bad' | 'off'

const deploymentTones: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  pending: 'wait',
  'in progress': 'wait',
}

/** Tone of the state of a deployment. */
export function toneOfDeployment(status: string | undefined): Tone {
  return deploymentTones[status ?? ''] ?? 'off'
}
