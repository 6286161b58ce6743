import { open, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import { useOfRightsDirectory } from '../../dev/places.ts'
import { readUseOfRights } from '../support/rights.ts'

/** The id of the token in a kubeconfig, as the audit log names it. */
export async function tokenIdIn(kubeconfig: string): Promise<string> {
  const { users } = parse(await readFile(kubeconfig, 'utf8')) as {
    users: readonly { readonly user: { readonly token: string } }[]
  } // written by `formatKubeconfig`
  const [, claims = ''] = users[0]?.user.token.split('.') ?? []
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { jti: string }).jti // a ServiceAccount's token
}

/** Writes what the processes of a control plane used of their rights, where `make test` asks for it. */
export async function recordUseOfRights(directory: string, tokenIds: readonly string[]): Promise<void> {
  const target = process.env[useOfRightsDirectory]
  if (!target) return
  const use = await readUseOfRights(auditLines(directory), new Set(tokenIds))
  await writeFile(join(target, `${basename(directory)}.json`), JSON.stringify(use))
}

/** The lines of the audit log, with the parts that the API server has closed because of their size. */
async function* auditLines(directory: string): AsyncIterable<string> {
  const names = (await readdir(directory)).filter((name) => /^audit.*\.log$/.test(name))
  for (const name of names) {
    const file = await open(join(directory, name))
    yield* file.readLines()
  }
}
