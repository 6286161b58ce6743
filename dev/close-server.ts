import { once } from 'node:events'
import type { Server } from 'node:http'

/** Ends a server at once, with the connections that are open; resolves when its port is free. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
