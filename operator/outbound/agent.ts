import type { LookupAddress, LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { Agent, buildConnector, Pool } from 'undici'
import { portOf, type TargetRules } from './target.ts'

/** Resolves all addresses of a name, as `lookup` of `node:dns` does. */
export type Resolve = (
  host: string,
  options: LookupOptions & { readonly all: true },
  answer: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Opens connections to allowed addresses, and trusts the default authorities and the additional ones (PEM). */
export function openAgent(options: {
  readonly rules: TargetRules
  readonly authorities: readonly string[]
  readonly lookup: Resolve
  readonly connectMs: number
}): Agent {
  const { rules, authorities, lookup, connectMs } = options
  const secureContext = trustIn(authorities)
  return new Agent({
    factory: (origin) =>
      new Pool(origin, {
        allowH2: false,
        connect: buildConnector({
          allowH2: false,
          timeout: connectMs,
          secureContext,
          rejectUnauthorized: true,
          lookup: checkedLookup(rules, lookup, portOf(new URL(origin))),
        }),
      }),
  })
}

/** A lookup that returns checked addresses alone; each connection uses the addresses that were checked for it. */
function checkedLookup(rules: TargetRules, lookup: Resolve, port: string): LookupFunction {
  return (host, options, answer) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return answer(error, [])
      try {
        rules.checkAddresses(
          host,
          port,
          addresses.map(({ address }) => address),
        )
      } catch (refusal) {
        return answer(refusal as Error, []) // checkAddresses throws nothing else
      }
      if (options.all) return answer(null, addresses)
      const [first] = addresses
      answer(null, first?.address ?? '', first?.family ?? 0)
    })
  }
}

/** Built once, because reading the default authorities is slow. */
function trustIn(authorities: readonly string[]): SecureContext {
  if (authorities.length === 0) return createSecureContext({ minVersion: 'TLSv1.2' })
  return createSecureContext({
    ca: [...getCACertificates('default'), ...authorities],
    minVersion: 'TLSv1.2',
  })
}
