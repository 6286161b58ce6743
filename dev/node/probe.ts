// Exits with 0 where a node can run, after installing and building what it needs; else says why not, in one line.
import { ensureNodePrograms } from '../control-plane/binaries.ts'
import { ensureHelm } from '../helm/helm.ts'
import { installPackages, reasonAgainstNode } from './requirements.ts'

const reason = await reasonOf()
if (reason) {
  console.log(reason.split('\n')[0])
  process.exit(1)
}

async function reasonOf(): Promise<string | undefined> {
  const reason = await reasonAgainstNode()
  if (reason) return reason
  try {
    await installPackages(console.error)
    await ensureNodePrograms()
    await ensureHelm()
    // Now that every program is there.
    return await reasonAgainstNode()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
