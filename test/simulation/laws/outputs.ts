import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { ResourceType } from '../../../operator/api/resource-type.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { secretOutputOf } from '../outside/maker.ts'
import { servedAs } from '../server/resources.ts'
import { objectOf, objectsOf } from '../surroundings.ts'
import { customType } from '../users/names.ts'
import { type Law, problemsOf, readyText } from './law.ts'

/** Laws of the outputs of resources. */
export const outputLaws: readonly Law[] = [
  {
    law: 'An output that its type declares secret is in no status.',
    findings(world) {
      const schema = objectOf(world, ResourceType, customType.split('/')[1])?.spec.outputsSchema
      if (!JSON.stringify(schema ?? {}).includes('"secrets"')) return []
      return problemsOf(objectsOf(world, ActiveResource), ({ spec, status }) =>
        spec.type === customType && status?.outputs?.bucket !== undefined
          ? `it says ${JSON.stringify(status.outputs)}`
          : undefined,
      )
    },
  },
  {
    law: 'The Secret of a ready resource has the secret outputs that the provider gave.',
    findings: (world) =>
      problemsOf(objectsOf(world, ActiveResource), (each) => {
        const { metadata, spec, status } = each
        // What was refused last, and is unused since, has the instance of an earlier change.
        if (spec.unusedSince !== undefined) return undefined
        const [key, ...others] = world.outside.keysOf(metadata.name)
        const made = key === undefined ? undefined : world.outside.instances.get(key)
        if (!made || others.length > 0 || !readyText(each).startsWith('True')) return undefined
        const name = status?.outputsSecretName ?? ''
        const secret = world.server.storage.get(servedAs('Secret'), metadata.namespace, name)
        const data = isObject(secret?.data) ? secret['data'] : {}
        const given = Buffer.from(String(data['aws_secret_access_key'] ?? ''), 'base64').toString()
        const wanted = secretOutputOf(metadata.name, made)
        return given === wanted ? undefined : `${name} has '${given}', not '${wanted}'`
      }),
  },
]
