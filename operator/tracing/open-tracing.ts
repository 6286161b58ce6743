import { productVersion } from '../api/names.ts'
import type { TracingConfig } from '../config.ts'
import type { Log } from '../log.ts'
import { noTracing, type Tracing } from './tracing.ts'

/** The tracing of a process. The libraries are loaded only when a setting names a collector. */
export async function openTracing(
  config: TracingConfig | undefined,
  component: 'operator' | 'gateway',
  log: Log,
): Promise<Tracing> {
  if (!config) return noTracing
  const { createOtlpTracing } = await import('./otlp.ts')
  return createOtlpTracing({ ...config, service: `quartermaster-${component}`, version: productVersion, log })
}
