// Loads test files with the module loader of Node, which strips types, in place of Jest's own. Jest's loader loads all modules
// anew for each file, which takes more time than the tests. The rest is Jest's: workers, hooks, time limits, reports.
import { readFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)

/** Code counts its steps only from when it is loaded, so files that count steps load the modules of the project anew. */
const anew = '?anew='
const countsSteps = (path) => readFileSync(path, 'utf8').includes("/steps.ts'")

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === '@jest/globals')
      return nextResolve(new URL('globals.js', import.meta.url).href, context)
    const resolved = nextResolve(specifier, context)
    const [, file] = context.parentURL?.split(anew) ?? []
    const isOurs = resolved.url.startsWith('file:') && !resolved.url.includes('/node_modules/')
    return file && isOurs ? { ...resolved, url: `${resolved.url}${anew}${file}` } : resolved
  },
})

export default class NativeRuntime {
  setGlobalsForRuntime(globals) {
    Object.assign(globalThis, globals)
  }

  /** Loads the part of Jest that has the state of a run, which is global, anew for each file. */
  requireInternalModule(path) {
    delete globalThis[Symbol.for('EVENT_HANDLERS')]
    delete require.cache[require.resolve(path)]
    return require(path)
  }

  requireModule(path) {
    return require(path)
  }

  unstable_shouldLoadAsEsm() {
    return true
  }

  unstable_importModule(path) {
    const { href } = pathToFileURL(path)
    return import(countsSteps(path) ? `${href}${anew}${encodeURIComponent(path)}` : href)
  }

  getSourceMaps() {
    return new Map()
  }

  getAllCoverageInfoCopy() {}
  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
}
