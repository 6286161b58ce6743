import { fc } from '../../../support/properties.ts'
import type { Definition } from './definition.ts'

const criteria = fc
  .constantFrom({}, { envType: 'development' }, { appId: 'shop' })
  .map((criterion) => [criterion])
const number = fc.integer({ min: 0, max: 2 })

/** A DNS name in one of two zones of the provider, whose ids replace `@zone-0` and `@zone-1`. */
const dnsDefinition = fc
  .record({
    number,
    zone: fc.constantFrom('@zone-0', '@zone-1'),
    more: fc.record(
      {
        ttl: fc.constantFrom(60, 120),
        proxied: fc.boolean(),
        target: fc.constantFrom('192.0.2.1', 'lb.example.test'),
      },
      { requiredKeys: [] },
    ),
    hasIngress: fc.boolean(),
    criteria,
  })
  .map(
    ({ number, zone, more, hasIngress, criteria }): Definition => ({
      name: `dns-${number}`,
      spec: {
        type: 'dns',
        driverType: 'quartermaster/dns-cloudflare',
        accountName: 'provider',
        driverInputs: {
          values: { zone_id: zone, domain: '@domain', ...more },
          secretRefs: { tls: { secret: 'wildcard' } },
        },
        criteria,
        provision: hasIngress ? { ingress: {} } : {},
      },
    }),
  )

const ingressDefinition = fc
  .record({
    number,
    values: fc.record(
      {
        class: fc.constantFrom('nginx', 'other'),
        labels: fc.constant({ team: 'web' }),
        annotations: fc.constant({ 'example.test/size': 'large' }),
        no_tls: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    criteria,
  })
  .map(
    ({ number, values, criteria }): Definition => ({
      name: `ingress-${number}`,
      spec: { type: 'ingress', driverType: 'quartermaster/ingress', driverInputs: { values }, criteria },
    }),
  )

/** Where the DNS names lead whose definitions give no target. */
const clusterDefinition = fc
  .record({ number, loadbalancer: fc.constantFrom('192.0.2.2', '192.0.2.3', 'lb.example.test'), criteria })
  .map(
    ({ number, loadbalancer, criteria }): Definition => ({
      name: `cluster-${number}`,
      spec: {
        type: 'k8s-cluster',
        driverType: 'quartermaster/echo',
        driverInputs: { values: { loadbalancer } },
        criteria,
      },
    }),
  )

export const nameDefinition = fc.oneof(dnsDefinition, ingressDefinition, clusterDefinition)
