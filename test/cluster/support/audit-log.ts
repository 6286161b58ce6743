import { open, stat } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { eventually } from './client.ts'

/** The requests about one organization, as the API server recorded them. */
export interface AuditLog {
  /** Where the log ends now. */
  end(): Promise<number>
  /** The writes of our processes since that place, as `<user> <verb> <resource> <name or URI>`, without leases. */
  writesSince(position: number): Promise<string[]>
  /** All their requests since that place but watches, in the same form. */
  requestsSince(position: number): Promise<string[]>
  /** Waits until they write nothing any more, so that the next write has one cause. */
  calm(): Promise<void>
}

const reads = new Set(['get', 'list'])

/** The audit log at this path, as far as it is about the organization. */
export function createAuditLog(path: string, organization: string): AuditLog {
  const log: AuditLog = {
    end: async () => (await stat(path)).size,
    writesSince: async (position) => {
      const requests = await log.requestsSince(position)
      return requests.filter((each) => !reads.has(each.split(' ')[1] ?? ''))
    },
    async requestsSince(position) {
      const file = await open(path)
      const { size } = await file.stat()
      const start = Math.max(0, position - 1)
      const { buffer } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
      await file.close()
      const text = buffer.toString('utf8')
      // The last line may still be on its way, as the one before that place was. A line also names the role that allows the
      // request, which may be a role for the organization.
      return text
        .slice(start < position ? text.indexOf('\n') + 1 : 0, text.lastIndexOf('\n') + 1)
        .split('\n')
        .filter((line) => line.includes(organization))
        .map((line) => JSON.parse(line))
        .filter(({ objectRef, requestURI }) => `${requestURI} ${objectRef?.name}`.includes(organization))
        .filter(({ user }) => user.username.includes(':quartermaster-'))
        .filter(({ verb, objectRef }) => verb !== 'watch' && objectRef && objectRef.resource !== 'leases')
        .map(
          ({ verb, objectRef, user, requestURI }) =>
            `${user.username} ${verb} ${objectRef.resource} ${objectRef.name ?? requestURI}`,
        )
    },
    async calm() {
      await eventually('an end of the writes', 30_000, async () => {
        const position = await log.end()
        await setTimeout(500)
        return (await log.writesSince(position)).length === 0 || undefined
      })
    },
  }
  return log
}
