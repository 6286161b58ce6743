import { execFile } from 'node:child_process'
import { ensureGitOpsCheck } from '../../../dev/gitops-check.ts'

/** Runs one command of the program: the request is its stdin, the reply its stdout. */
export async function gitOpsCheck<Reply>(command: string, request: object): Promise<Reply> {
  const path = await ensureGitOpsCheck()
  return new Promise((resolve, reject) => {
    const child = execFile(path, [command], { maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`'gitops-check ${command}' failed: ${stderr}`))
      else resolve(JSON.parse(stdout))
    })
    child.stdin?.end(JSON.stringify(request))
  })
}
