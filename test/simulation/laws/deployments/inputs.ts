import type { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { ActiveResource as Resource } from '../../../../operator/api/active-resource.ts'
import { conditionOf } from '../../../../operator/kube/loop/outcome.ts'
import { secretOutputOf } from '../../outside/maker.ts'
import { objectsOf, resourceNamed } from '../../surroundings.ts'
import type { World } from '../../world.ts'
import { type Law, problemsOf } from '../law.ts'

const isReady = (resource: ActiveResource) => conditionOf(resource, 'Ready')?.status === 'True'

/** The ready resource of type `s3` to which another one refers. */
function bucketOf({ spec }: ActiveResource, world: World): ActiveResource | undefined {
  const names = Object.values(spec.references ?? {}).flat()
  return names
    .map((name) => resourceNamed(world, name))
    .find((each) => each?.spec.type === 's3' && isReady(each))
}

/** Laws of what resources get from those that they depend on. */
export const inputLaws: readonly Law[] = [
  {
    law: 'A ready resource was made with the outputs of its dependencies as they are.',
    findings: (world) =>
      problemsOf(
        objectsOf(world, Resource).filter((each) => isReady(each) && each.spec.unusedSince === undefined),
        (each) => {
          const { name } = each.metadata
          const [key, ...others] = world.outside.keysOf(name)
          const made = key === undefined ? undefined : world.outside.instances.get(key)
          const bucket = bucketOf(each, world)
          if (!made || others.length > 0 || !bucket) return undefined
          const { outputs = {} } = bucket.status ?? {}
          for (const [input, output] of [
            ['bucket', outputs.bucket],
            ['from', outputs.name],
          ] as const)
            if (made.values[input] !== undefined && made.values[input] !== output)
              return `${input} is ${String(made.values[input])}, not ${String(output)}`
          const [ownKey = ''] = world.outside.keysOf(bucket.metadata.name)
          const instance = world.outside.instances.get(ownKey)
          const passed = JSON.stringify(each.spec.definition.driverInputs).includes('aws_secret_access_key')
          if (!passed || !instance) return undefined
          const wanted = secretOutputOf(bucket.metadata.name, instance)
          return made.secrets.pw === wanted
            ? undefined
            : `its secret is ${String(made.secrets.pw)}, not ${wanted}`
        },
      ),
  },
]
