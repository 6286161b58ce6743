import type { Driver } from './driver.ts'
import { echo } from './echo/driver.ts'
import { ingress } from './ingress/driver.ts'
import { workload } from './workload/driver.ts'

/** All drivers that are built in; the same list as the catalogue, with hands. */
export const drivers: readonly Driver[] = [echo, ingress, workload]
