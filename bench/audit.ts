import { type FileHandle, open, stat } from 'node:fs/promises'

/** A request as the audit log of the API server records it. */
export interface AuditEvent {
  readonly verb: string
  readonly user: string
  /** `resource`, or `resource/subresource`. */
  readonly target: string
  readonly status: number
}

/** Reads an audit log from where it was read last. */
export interface AuditReader {
  /** The events since the last call. */
  read(): Promise<AuditEvent[]>
  close(): Promise<void>
}

const writeVerbs = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

/** Follows the audit log at this path, also past its rotation. */
export async function followAudit(path: string): Promise<AuditReader> {
  let file = await open(path, 'r')
  let rest = ''

  async function readFrom(handle: FileHandle): Promise<string> {
    const chunks: Buffer[] = []
    const buffer = Buffer.alloc(1 << 20)
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return Buffer.concat(chunks).toString('utf8')
      chunks.push(Buffer.from(buffer.subarray(0, bytesRead)))
    }
  }

  return {
    async read() {
      let text = await readFrom(file)
      const [current, ours] = await Promise.all([stat(path), file.stat()])
      if (current.ino !== ours.ino) {
        await file.close()
        file = await open(path, 'r')
        text += await readFrom(file)
      }
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      return parseAudit(lines)
    },
    close: () => file.close(),
  }
}

/** The events in lines of an audit log. */
export function parseAudit(lines: readonly string[]): AuditEvent[] {
  return lines.filter(Boolean).flatMap((line) => {
    const { verb, user, objectRef, responseStatus } = JSON.parse(line) // the format of audit.k8s.io/v1
    if (!objectRef?.resource) return []
    const target = objectRef.subresource
      ? `${objectRef.resource}/${objectRef.subresource}`
      : objectRef.resource
    return [{ verb, user: user.username, target, status: responseStatus?.code ?? 0 }]
  })
}

/** Whether the request changes an object. */
export function isWrite({ verb }: Pick<AuditEvent, 'verb'>): boolean {
  return writeVerbs.has(verb)
}

/** How many requests of each sort there are, refused ones apart, as `verb target` or `verb target status`. */
export function countEvents(events: readonly AuditEvent[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { verb, target, status } of events) {
    const key = status >= 300 ? `${verb} ${target} ${status}` : `${verb} ${target}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
}
