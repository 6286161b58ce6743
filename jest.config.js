import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Unit tests need no servers, no browser and no image; `cluster` runs on one control plane, started once per run; `rights` follows it; `chart` needs Helm; `node` needs Linux and root. */
const common = {
  rootDir: import.meta.dirname,
  runtime: '<rootDir>/dev/jest/runtime.js',
  testEnvironment: '<rootDir>/dev/jest/environment.js',
  transform: {},
  modulePathIgnorePatterns: ['<rootDir>/.dev', '<rootDir>/dist'],
}

/** Tests of pages: those that start a browser. */
const inBrowser = globSync('test/{api-gateway,portal}/**/*.test.ts', { cwd: import.meta.dirname })
  .filter((file) =>
    /set-up-portal|support\/browser/.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
  )
  .map((file) => `<rootDir>/${file}`)

export default {
  testSequencer: '<rootDir>/dev/jest/sequencer.js',
  // Some tests wait.
  maxWorkers: 3,
  // Longer than all that a test waits for one after the other, each as long as the product may take.
  testTimeout: 180_000,
  workerIdleMemoryLimit: '1GB',
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/test/chart/',
        '<rootDir>/test/cluster/',
        '<rootDir>/test/node/',
        '<rootDir>/test/rights/',
        '<rootDir>/test/dev/(?!fake-|driver-|places|program-cache|supervision)',
        ...inBrowser,
      ],
    },
    {
      ...common,
      displayName: 'cluster',
      testMatch: ['<rootDir>/test/cluster/**/*.test.ts', '<rootDir>/test/dev/**/*.test.ts', ...inBrowser],
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/test/dev/(fake-|driver-|places|program-cache|supervision)',
      ],
      globalSetup: '<rootDir>/test/cluster/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/cluster/support/global-teardown.ts',
    },
    // Needs what the project `cluster` writes at its end; `make test` runs it.
    { ...common, displayName: 'rights', testMatch: ['<rootDir>/test/rights/**/*.test.ts'] },
    // Needs Helm, and a control plane without Quartermaster.
    { ...common, displayName: 'chart', testMatch: ['<rootDir>/test/chart/**/*.test.ts'] },
    // Needs Linux and root; starts a node.
    { ...common, displayName: 'node', testMatch: ['<rootDir>/test/node/**/*.test.ts'] },
  ],
}
