// `make kind`: a cluster in Docker by the program kind, with the image, the chart and the sample; `make kind-down` deletes it.
import { execFileSync } from 'node:child_process'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  cacheFor,
  download,
  fetchText,
  findOnPath,
  goArchitecture,
  printLine,
} from './control-plane/fetching.ts'
import { cachedProgram } from './control-plane/program-cache.ts'
import { releaseOn } from './helm/installation.ts'
import { defaultImage } from './image/archive.ts'
import { directory } from './places.ts'

const version = 'v0.32.0'
const cluster = 'quartermaster'
const kubeconfig = join(directory, 'kind.kubeconfig')
const [command = 'up'] = process.argv.slice(2)

if (!(await findOnPath('docker', process.env))) {
  console.error('kind needs Docker: install it and start it')
  process.exit(1)
}
const kind = (await findOnPath('kind', process.env)) ?? (await fetchKind())
if (command === 'down') run(kind, 'delete', 'cluster', `--name=${cluster}`, `--kubeconfig=${kubeconfig}`)
else await bringUp()

async function bringUp(): Promise<void> {
  await mkdir(directory, { recursive: true })
  const clusters = execFileSync(kind, ['get', 'clusters'], { encoding: 'utf8' }).split('\n')
  if (!clusters.includes(cluster))
    run(kind, 'create', 'cluster', `--name=${cluster}`, `--kubeconfig=${kubeconfig}`)
  const image = (await defaultImage()).split('/').at(-1) ?? ''
  run(kind, 'load', 'docker-image', image, `--name=${cluster}`)
  const release = releaseOn(kubeconfig)
  console.log('installing the chart, then the sample, which needs the kinds')
  await release.install()
  await release.install('--set=sample.enabled=true')
  console.log(`\nexport KUBECONFIG=${kubeconfig}`)
  console.log('kubectl -n sample get quartermaster')
  console.log('make kind-down')
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: 'inherit' })
}

/** Downloads kind, at a fixed version, into the cache of the user, once. */
function fetchKind(): Promise<string> {
  const platform = `${process.platform}-${goArchitecture()}`
  return cachedProgram('kind', {
    cache: cacheFor('kind', [version, platform], process.env),
    log: printLine,
    async fetch(scratch) {
      const url = `https://github.com/kubernetes-sigs/kind/releases/download/${version}/kind-${platform}`
      const path = join(scratch, 'kind')
      await download(url, await fetchText(`${url}.sha256sum`), path, printLine)
      await chmod(path, 0o755)
      return path
    },
  })
}
