import type { DriverDescriptor } from '../domain/resource/driver.ts'
import { dnsCloudflareDescriptor } from './dns-cloudflare/descriptor.ts'
import { dnsWildcardDescriptor } from './dns-wildcard/descriptor.ts'
import { echoDescriptor } from './echo/descriptor.ts'
import { ingressDescriptor } from './ingress/descriptor.ts'
import { templateDescriptor } from './template/descriptor.ts'
import { workloadDescriptor } from './workload/descriptor.ts'

/** Descriptors of all built-in drivers. */
export const catalogue: readonly DriverDescriptor[] = [
  echoDescriptor,
  ingressDescriptor,
  dnsCloudflareDescriptor,
  dnsWildcardDescriptor,
  templateDescriptor,
  workloadDescriptor,
]
