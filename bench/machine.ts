import { cpus, release, totalmem } from 'node:os'
import { argumentsOf } from '../dev/control-plane/command-lines.ts'
import { processNames, readSettings } from '../dev/control-plane/files.ts'
import type { Bed } from './bed.ts'

/** What a reader must know to compare figures with those of another run. */
export async function machineFacts(bed: Bed, options: object): Promise<object> {
  const settings = await readSettings(bed.directory)
  const version = (await bed.client.request('GET', '/version')) as { gitVersion: string } // what the API server serves there
  const withoutPlace = (argument: string) =>
    argument.replaceAll(settings?.directory ?? bed.directory, '<directory>')
  const flags = settings
    ? processNames.map((name) => [name, argumentsOf[name](settings).map(withoutPlace)])
    : []
  return {
    time: new Date().toISOString(),
    cpus: cpus().length,
    cpuModel: cpus()[0]?.model,
    memoryMiB: Math.round(totalmem() / 2 ** 20),
    platform: `${process.platform} ${process.arch} ${release()}`,
    node: process.version,
    kubernetes: version.gitVersion,
    flags: Object.fromEntries(flags),
    options,
  }
}
