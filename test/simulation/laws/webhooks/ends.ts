import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { Webhook } from '../../../../operator/api/webhook.ts'
import { keyOf } from '../../../../operator/kube/client/resource.ts'
import { conditionOf } from '../../../../operator/kube/loop/outcome.ts'
import type { Delivery } from '../../outside/outside.ts'
import { objectOf, objectsOf } from '../../surroundings.ts'
import type { World } from '../../world.ts'
import { type Law, problemsOf } from '../law.ts'

const endsIn = ({ outside }: World) =>
  outside.deliveries.filter(({ event }) => event === 'deployment.finished')

/** Whether a delivery is about the end of a deployment: a later deployment can have its name. */
function isAbout({ deploymentKey, triggeredAt }: Delivery, deployment: EnvironmentDeployment): boolean {
  const time = deployment.status?.finishTime
  return (
    deploymentKey === keyOf(deployment) && time !== undefined && Date.parse(time) === Date.parse(triggeredAt)
  )
}

const hasSucceeded = (deployment: EnvironmentDeployment) =>
  conditionOf(deployment, 'Ready')?.status === 'True'

/** Whether an event of a deployment must be sent: its webhook was ready, and older. */
function isAwaited({ metadata, spec, status }: EnvironmentDeployment, world: World): boolean {
  if (status?.finishTime === undefined) return false
  const hook = objectOf(world, Webhook, `hook-${spec.environmentName.split('.')[0]}`, metadata.namespace)
  return (
    hook !== undefined &&
    conditionOf(hook, 'Ready')?.status === 'True' &&
    hook.metadata.creationTimestamp < metadata.creationTimestamp
  )
}

export const webhookLaws: readonly Law[] = [
  {
    law: 'An event of a webhook says the same each time that it is delivered.',
    findings(world) {
      const states = new Map<string, string>()
      return endsIn(world).flatMap(({ id, status, deploymentKey }) => {
        const known = states.get(id) ?? status
        states.set(id, known)
        if (known === status) return []
        return [
          { object: `EnvironmentDeployment ${deploymentKey}`, detail: `${id} says ${known} and ${status}` },
        ]
      })
    },
  },
  {
    law: 'The webhook of the end of a deployment says how it ended.',
    findings: (world) =>
      problemsOf(objectsOf(world, EnvironmentDeployment), (each) => {
        const state = hasSucceeded(each) ? 'succeeded' : 'failed'
        const wrong = endsIn(world).find((delivery) => isAbout(delivery, each) && delivery.status !== state)
        return wrong && `the webhook says ${wrong.status}, the deployment ${state}`
      }),
  },
  {
    law: 'The end of each deployment is sent to its webhook.',
    findings: (world) =>
      problemsOf(objectsOf(world, EnvironmentDeployment), (each) => {
        const isCopy = conditionOf(each, 'AlreadyRan')?.status === 'True'
        if (isCopy || !isAwaited(each, world)) return undefined
        return endsIn(world).some((delivery) => isAbout(delivery, each)) ? undefined : 'no webhook was sent'
      }),
  },
]
