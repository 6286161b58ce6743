import type { StoredObject } from '../../../../operator/api/kind.ts'
import { kindsInStore } from '../../../../operator/kube/cache/kinds-in-store.ts'
import type { GatewayProcess } from '../../gateway/gateway-process.ts'
import { secretMark } from '../../secret-mark.ts'
import { servedAs } from '../../server/resources.ts'
import type { World } from '../../world.ts'
import { type Finding, nameOf } from '../law.ts'

interface GatewayFinding extends Finding {
  readonly law: string
}

/** What is wrong with a gateway when nothing has failed for long. */
export async function gatewayFindings(
  world: World,
  gateway: GatewayProcess,
  accepted: ReadonlySet<string>,
): Promise<GatewayFinding[]> {
  const metrics = await gateway.metricsText()
  return [
    ...kindsInStore.flatMap(({ kind }) => {
      const law = 'A gateway knows the objects as they are.'
      const stored = world.server.storage.list(servedAs(kind.kind))
      const known = [...gateway.cluster.store.cacheOf(kind).all()]
      const versions = new Map(known.map(({ metadata }) => [metadata.uid, metadata.resourceVersion]))
      const names = new Set(stored.map(({ metadata }) => metadata.uid))
      return [
        ...stored
          .filter(({ metadata }) => versions.get(metadata.uid) !== metadata.resourceVersion)
          .map((each) => ({ law, object: nameOf(each), detail: `p${gateway.life.id} has another version` })),
        ...known
          .filter(({ metadata }) => !names.has(metadata.uid))
          .map((each) => ({
            law,
            object: nameOf(each),
            detail: `p${gateway.life.id} has it, and it is gone`,
          })),
      ]
    }),
    ...secretFindings(world, accepted),
    ...(metrics.includes(secretMark)
      ? [{ law: 'No metric contains a secret.', object: `p${gateway.life.id}`, detail: 'one does' }]
      : []),
  ]
}

/** The kinds for whose objects the gateway makes Secrets. */
const secretOwners = ['SharedValue', 'ResourceDefinition', 'ResourceAccount', 'Webhook', 'Registry']

/** The Secret that the operator makes for a webhook that names none. */
const ofWebhook = ({ metadata }: StoredObject) => `${metadata.name}-webhook-signing`

/** What is wrong with the Secrets that the gateway makes. */
function secretFindings({ server }: World, accepted: ReadonlySet<string>): GatewayFinding[] {
  const secrets = server.storage.list(servedAs('Secret'))
  const needed = JSON.stringify(server.storage.list(servedAs('ActiveResource')))
  const ofOwner = (uid: string) =>
    secrets.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
  return secretOwners
    .flatMap((kind) => server.storage.list(servedAs(kind)))
    .flatMap((owner) => {
      const own = ofOwner(owner.metadata.uid)
      const spec = JSON.stringify(owner.spec)
      const unnamed = own.filter(
        ({ metadata: { name } }) =>
          !spec.includes(`"${name}"`) && !needed.includes(`"${name}"`) && name !== ofWebhook(owner),
      )
      const missing = [
        ...spec.matchAll(/"([\w-]+-(?:value|webhook-signing|credentials|inputs|registry)-[0-9a-f]{8})"/g),
      ]
        .map(([, name]) => name)
        .filter((name) => !own.some(({ metadata }) => metadata.name === name))
      return [
        ...unnamed.map(({ metadata }) => ({
          law: 'Each Secret that the gateway makes is named by its owner.',
          object: nameOf(owner),
          detail: `it does not name ${metadata.name}`,
        })),
        ...(accepted.has(owner.metadata.uid) ? missing : []).map((name) => ({
          law: 'Each Secret that an accepted request has named exists.',
          object: nameOf(owner),
          detail: `${name} is missing`,
        })),
      ]
    })
}
