import type { Config } from '../../../operator/config.ts'
import type { DriverFactories } from '../../../operator/controllers/active-resource/organization-drivers.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { type DriverSettings, openDrivers } from '../../../operator/drivers/drivers.ts'
import { createTemplateDriver } from '../../../operator/drivers/template/driver.ts'
import { createVirtualDriver } from '../../../operator/drivers/virtual/driver.ts'
import { TemplatesFailed } from '../../../operator/templates/errors.ts'
import { failureOf, renderSteps } from '../../../operator/templates/render.ts'
import type { Templates } from '../../../operator/templates/templates.ts'
import type { Life } from '../process/life.ts'
import type { Surroundings } from '../surroundings.ts'
import { keeperOf } from './keeper.ts'
import { makerOf } from './maker.ts'
import { namer } from './namer.ts'
import type { Outside } from './outside.ts'
import { receiverOf } from './receiver.ts'

/**
 * The built-in drivers, and those of the simulation. Drivers of organizations call the same provider, in place of a server.
 * Templates are rendered by the real engine, in this process: its thread would work in real time.
 */
export function driversOf(
  surroundings: Surroundings,
  outside: Outside,
  life: Life,
  settings: Config & Pick<DriverSettings, 'installationId' | 'hash'>,
): DriverFactories & { readonly builtIn: readonly Driver[]; close(): Promise<void> } {
  const opened = openDrivers({ ...settings, outbound: receiverOf(surroundings, outside, life) })
  const templates = templatesOf(surroundings)
  const inThread = new Set(['template', 'dns-wildcard'])
  return {
    ...opened,
    builtIn: [
      ...opened.builtIn.filter(({ descriptor }) => !inThread.has(descriptor.name)),
      createTemplateDriver({ templates }),
      makerOf(surroundings, outside, life),
      keeperOf(surroundings, outside, life),
      namer,
    ],
    remote: (descriptor) =>
      (surroundings.features.wrappers ? keeperOf : makerOf)(surroundings, outside, life, descriptor),
    wrapping: (descriptor, template, inner) =>
      createVirtualDriver({ descriptor, template, inner, templates }),
  }
}

function templatesOf({ clock, random }: Surroundings): Templates {
  return {
    async render(_, steps, data, signal) {
      await clock.sleep(1 + random.below(30))
      signal?.throwIfAborted()
      try {
        return renderSteps({ steps, data: structuredClone(data) })
      } catch (error) {
        const { reason, message } = failureOf(error)
        throw new TemplatesFailed(reason, message)
      }
    },
    close: () => Promise.resolve(),
  }
}
