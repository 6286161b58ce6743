// `make score`: prints the Workloads of a Score file, for `kubectl apply -f -`.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { Problem } from '../../operator/domain/base/errors.ts'
import { workloadsOf } from './workloads.ts'

const usage = 'usage: make -s score FILE=score.yaml APP=shop ENV=staging[,production] [IMAGE=…] [ORG=acme]'
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    app: { type: 'string' },
    env: { type: 'string' },
    image: { type: 'string' },
    org: { type: 'string' },
  },
})
const [file] = positionals
const { app, env, image, org } = values
if (!file || !app || !env) {
  console.error(usage)
  process.exit(2)
}
try {
  const read = (path: string) => readFileSync(resolve(dirname(file), path))
  const target = {
    application: app,
    environments: env.split(','),
    image: image || undefined,
    organization: org || undefined,
  }
  const objects = workloadsOf(readFileSync(file, 'utf8'), target, read)
  process.stdout.write(
    objects.map((each) => stringify(each, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n'),
  )
} catch (error) {
  if (!(error instanceof Problem) && !(error instanceof Error && 'code' in error)) throw error
  console.error(`${file}: ${error.message}`)
  process.exit(1)
}
