import type { DriverDescriptor } from '../../../operator/domain/resource/driver.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import type { Life } from '../process/life.ts'
import type { Surroundings } from '../surroundings.ts'
import { makerDescriptor, makerOf } from './maker.ts'
import { instanceKey, type Outside } from './outside.ts'

export const keeperDescriptor: DriverDescriptor = { ...makerDescriptor, name: 'keeper', keepsCookie: true }

/** A driver as `maker`, that keeps a cookie for each instance and needs it at each call. */
export function keeperOf(
  surroundings: Surroundings,
  outside: Outside,
  life: Life,
  descriptor: DriverDescriptor = keeperDescriptor,
): Driver {
  const maker = makerOf(surroundings, outside, life, descriptor)
  const { cookies, uncertainCookies, instances } = outside
  const { journal } = surroundings
  let written = 0
  return {
    ...maker,
    async provision(request) {
      const key = instanceKey(request.guResId, descriptor.name, request.values.zone)
      const had = await request.cookie?.read()
      const last = cookies.get(key)
      if (had !== undefined && last !== undefined && had !== last && !uncertainCookies.has(key))
        journal.violation('A provision has the cookie that the last call wrote.', key, `${had}, not ${last}`)
      const provisioned = await maker.provision(request)
      written += 1
      const next = `c${life.id}-${written}-${key}`
      uncertainCookies.add(key)
      const isLate = request.signal.aborted
      await request.cookie?.write(next)
      if (isLate) journal.violation('A call writes no cookie after its deadline.', key, next)
      cookies.set(key, next)
      uncertainCookies.delete(key)
      return provisioned
    },
    async deprovision(request) {
      const key = instanceKey(request.guResId, descriptor.name, request.identity.zone)
      const had = await request.cookie?.read()
      if (had === undefined && cookies.has(key) && instances.has(key) && !uncertainCookies.has(key))
        journal.violation('A deprovision has the cookie that the last call wrote.', key, 'it has none')
      await maker.deprovision(request)
      cookies.delete(key)
    },
  }
}
