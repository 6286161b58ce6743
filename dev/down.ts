// `make down`: stops everything that `make up` started, and keeps the data.
import { rmSync } from 'node:fs'
import { stopControlPlane } from './control-plane/control-plane.ts'
import { stopCloudflare } from './fake-cloudflare/process.ts'
import { stopIdentityProvider } from './identity-provider/process.ts'
import { directory, places } from './places.ts'
import { stopQuartermaster } from './quartermaster.ts'
import { stopReceiver } from './webhook-receiver/process.ts'

await Promise.all([
  stopQuartermaster('operator', { directory }),
  stopQuartermaster('gateway', { directory }),
  stopCloudflare(directory),
  stopReceiver(directory),
  stopIdentityProvider(directory),
])
await stopControlPlane({ directory: places.controlPlane, logDirectory: directory, pidDirectory: directory })
rmSync(places.environment, { force: true })
console.log('all processes are stopped; the data is kept in .dev')
