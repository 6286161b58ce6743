import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { withLock } from './control-plane/lock.ts'

/** A start takes long on a busy machine. */
const patienceMs = 120_000

const root = join(import.meta.dirname, '..')

/** A separate headless Chromium, which makes only the connections of its pages. */
export async function openBrowser(): Promise<Browser> {
  const { executablePath, env } = await findChromium()
  return chromium.launch({
    executablePath,
    timeout: patienceMs,
    env: { ...process.env, ...env },
    args: [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-gpu',
    ],
  })
}

interface Chromium {
  readonly executablePath: string
  readonly env?: Readonly<Record<string, string>>
}

async function findChromium(): Promise<Chromium> {
  const { CHROMIUM } = process.env
  if (CHROMIUM) return { executablePath: CHROMIUM }
  if (process.platform === 'linux' && process.arch === 'x64') return unpackChromium()
  const executablePath = usualPaths.find((path) => existsSync(path))
  if (executablePath) return { executablePath }
  throw new Error(
    "no browser: install Google Chrome or Chromium, or name one by the environment variable 'CHROMIUM'",
  )
}

const usualPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** The browser of the package, unpacked once for its version into the user's cache. */
async function unpackChromium(): Promise<Chromium> {
  const manifest = await readFile(join(root, 'node_modules/@sparticuz/chromium/package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string } // every package has one
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'quartermaster', 'chromium')
  const directory = join(cache, version)
  if (!existsSync(directory))
    await withLock(join(cache, 'lock'), () => unpackInto(directory, join(cache, 'partial')))
  return {
    executablePath: join(directory, 'chromium'),
    // The package has libraries that a system may lack: NSS, and a font.
    env: {
      LD_LIBRARY_PATH: join(directory, 'al2023', 'lib'),
      FONTCONFIG_FILE: await writeFontSettings(directory),
    },
  }
}

/** Settings that name the fonts where they are: those of the package name the folders of another system. */
async function writeFontSettings(directory: string): Promise<string> {
  const file = join(directory, 'fonts.conf')
  const lines = [
    `<dir>${join(directory, 'fonts')}</dir>`,
    `<cachedir>${join(directory, 'font-cache')}</cachedir>`,
  ]
  const partial = `${file}.${process.pid}`
  await writeFile(partial, `<?xml version="1.0"?>\n<fontconfig>${lines.join('')}</fontconfig>\n`)
  await rename(partial, file)
  return file
}

// The package unpacks into the temporary folder of its process, and its libraries only on the system that they are made for.
async function unpackInto(directory: string, partial: string): Promise<void> {
  if (existsSync(directory)) return
  await rm(partial, { recursive: true, force: true }) // left from a crash
  await mkdir(partial)
  const script = "import chromium from '@sparticuz/chromium'; await chromium.executablePath()"
  const env = { ...process.env, TMPDIR: partial, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' }
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: root, env })
  await rename(partial, directory)
}
