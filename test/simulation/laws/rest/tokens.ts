import { AccessToken, Membership, User } from '../../../../operator/api/access.ts'
import { annotations } from '../../../../operator/api/names.ts'
import type { RestAnswer } from '../../gateway/exchange.ts'
import type { GatewayProcess } from '../../gateway/gateway-process.ts'
import type { AnswerLaw } from '../../gateway/rest-client.ts'
import type { Tokens } from '../../gateway/tokens.ts'
import { objectsOf, otherOrganization, organization as own } from '../../surroundings.ts'
import type { World } from '../../world.ts'
import { nameOf } from '../law.ts'

/** Sends the token of a service user to a gateway. */
type Use = (gateway: GatewayProcess, organization: string, token: string) => Promise<RestAnswer | undefined>

/** The laws of answers about tokens, with a way to use one. */
export function tokenLaws(use: Use): readonly AnswerLaw[] {
  return [
    {
      law: 'A gateway accepts no token that it has revoked.',
      async problem({ call: { revoked }, answer, gateway, organization }) {
        if (revoked === undefined || answer?.status !== 204) return undefined
        const later = await use(gateway, organization, revoked)
        return later === undefined || later.status === 401 || later.status === 403
          ? undefined
          : `it answers ${later.status}`
      },
    },
    {
      law: 'A gateway accepts each token that it has given.',
      async problem({ call: { method, path }, answer, gateway, organization, isDisturbed }) {
        if (method !== 'POST' || !path.endsWith('/tokens') || answer?.status !== 200 || isDisturbed)
          return undefined
        const { token } = JSON.parse(answer.text) as { readonly token: string }
        const later = await use(gateway, organization, token)
        return later?.status === 401 ? 'it answers 401' : undefined
      },
    },
  ]
}

/** What is wrong with tokens and service users when nothing has failed for long. */
export async function tokenFindings(
  world: World,
  gateway: GatewayProcess,
  tokens: Tokens,
  use: Use,
): Promise<{ readonly law: string; readonly object: string; readonly detail: string }[]> {
  const users = new Map(objectsOf(world, User).map((each) => [each.metadata.name, each]))
  const findings = []
  for (const { token, user, organization, isValid } of tokens.certain) {
    const foreign = organization === own ? otherOrganization : own
    const { status: there } = (await use(gateway, foreign, token)) ?? {}
    if (there === 200) {
      const law = 'A service user has no access to another organization.'
      findings.push({ law, object: `User ${user}`, detail: `p${gateway.life.id} answers ${there}` })
    }
    const { status } = (await use(gateway, organization, token)) ?? {}
    const isAccepted = status === 200
    // The organization may have ended with its memberships.
    if (isAccepted === isValid || (isValid && status === 403)) continue
    const law = 'A token is accepted by all gateways until it is revoked.'
    findings.push({ law, object: `User ${user}`, detail: `p${gateway.life.id} answers ${status}` })
  }
  const isOrphan = ({ spec }: AccessToken) => !users.has(spec.userName)
  const isOfNobody = ({ metadata }: Membership) =>
    metadata.annotations?.[annotations.createdBy] !== undefined && !users.has(metadata.name)
  return [
    ...findings,
    ...objectsOf(world, AccessToken)
      .filter(isOrphan)
      .map((each) => ({ law: 'A token ends with its user.', object: nameOf(each), detail: 'it remains' })),
    ...objectsOf(world, Membership)
      .filter(isOfNobody)
      .map((each) => ({ law: 'Roles end with their user.', object: nameOf(each), detail: 'they remain' })),
  ]
}
