#!/usr/bin/env node
// Runs the contract suite on the pinned Node, whichever Node this is.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const node = join(here, '..', 'bin', 'node')
const { status, error } = spawnSync(node, [join(here, 'main.ts'), ...process.argv.slice(2)], { stdio: 'inherit' })
if (error) console.error(`cannot start '${node}': ${error.message}`)
process.exit(status ?? 1)
