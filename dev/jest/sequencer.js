// Order of test files: the longest first, so that none is left alone at the end. Jest knows how long a file took last time; a
// fresh checkout has only the sizes of files, which say little about waits.
import TestSequencer from '@jest/test-sequencer'

/** Seconds that long files take, by the end of their path. */
const seconds = {
  'docs/pages': 170,
  'security/operator-rights': 130,
  'gitops/flux': 110,
  'crash/deployment-crash': 105,
  'crash/processes-in-turn': 80,
  'kube/leader': 80,
  'dev/control-plane': 70,
  'security/organization-rights': 65,
  'security/foreign-names': 65,
  'controllers/active-resource': 50,
  'crash/acknowledged-writes': 45,
  'controllers/deployment-ends': 45,
  'crash/dns-crash': 40,
  'crash/webhook-crash': 40,
  'gitops/gitops': 40,
  'controllers/values': 40,
  'webhooks/webhook-load': 35,
  'drivers/dns-accounts': 35,
  'webhooks/webhooks': 35,
  'security/secrecy': 35,
  'crash/workload-crash': 30,
  'controllers/resource-types': 30,
  'gateway/preview': 30,
  'dev/driver-contract': 28,
  'dns-cloudflare/faults': 19,
  'dev/supervision': 19,
  'pages/reference': 16,
}
const expected = Object.entries(seconds).map(([name, duration]) => [`/${name}.test.ts`, duration * 1000])

export default class LongestFirst extends TestSequencer {
  time(test) {
    const [, duration] = expected.find(([name]) => test.path.endsWith(name)) ?? []
    return super.time(test) ?? duration ?? test.context.hasteFS.getSize(test.path) / 10
  }
}
