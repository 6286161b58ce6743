import { inputLaws } from './deployments/inputs.ts'
import { roomLaw } from './deployments/limits.ts'
import { podLaws } from './deployments/pods.ts'
import { endingLaws } from './endings.ts'
import { historyLaws } from './history.ts'
import type { Law } from './law.ts'
import { outputLaws } from './outputs.ts'
import { resourceLaws } from './resources.ts'
import { rivalLaws } from './rivals.ts'
import { webhookLaws } from './webhooks/ends.ts'
import { workloadLaws } from './workloads.ts'

/** The laws without memory about the world when nothing has failed for long. */
export const steadyLaws: readonly Law[] = [
  ...endingLaws,
  ...resourceLaws,
  ...outputLaws,
  ...inputLaws,
  ...podLaws,
  roomLaw,
  ...webhookLaws,
  ...workloadLaws,
  ...historyLaws,
  ...rivalLaws,
]
