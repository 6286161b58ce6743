import { didYouMean } from '../base/nearest.ts'

/** The kind of object that runs the pods of a workload. */
export type WorkloadKind = 'Deployment' | 'StatefulSet' | 'Job' | 'CronJob'

/** The kinds of workloads, by the name of their profile. */
export const profiles: Readonly<Record<string, WorkloadKind>> = {
  'default-module': 'Deployment',
  'default-stateful': 'StatefulSet',
  'default-job': 'Job',
  'default-cronjob': 'CronJob',
}

/** The kind for a profile such as `quartermaster/default-job`; a Deployment without one. A text for an unknown profile. */
export function kindOfProfile(
  profile: string | undefined,
  vendors: readonly string[],
): { readonly kind: WorkloadKind } | { readonly problem: string } {
  if (profile === undefined) return { kind: 'Deployment' }
  const [vendor = '', name = '', ...rest] = profile.split('/')
  const kind = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (kind && rest.length === 0 && vendors.includes(vendor)) return { kind }
  const known = vendors.flatMap((each) => Object.keys(profiles).map((one) => `${each}/${one}`))
  return { problem: `profile '${profile.slice(0, 127)}' is not known${didYouMean(profile, known)}` }
}
