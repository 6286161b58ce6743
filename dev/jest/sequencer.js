// Order of test files: the longest first, so that none is left alone at the end. Jest knows how long a file took last time; a
// fresh checkout has only the sizes of files, which say little about waits.
import TestSequencer from '@jest/test-sequencer'

/** Seconds that long files take in a run of all tests on a slow machine with two cores, by the end of their path. */
const seconds = {
  'histories/histories': 500,
  'docs/pages': 470,
  'authorization/isolation': 310,
  'dev/image': 270,
  'portal/hostile': 240,
  'crash/deployment-crash': 200,
  'security/roles': 180,
  'template/driver': 180,
  'bench/run': 180,
  'gitops/gitops': 180,
  'outside/outside-world': 160,
  'security/operator-rights': 160,
  'crash/webhook-crash': 160,
  'dev/control-plane': 160,
  'crash/acknowledged-writes': 160,
  'workload/laws': 150,
  'crash/dns-crash': 150,
  'drivers/dns-bulk': 140,
  'request/parameters': 140,
  'kube/leader': 130,
  'controllers/environment-removal': 130,
  'security/foreign-names': 130,
  'pages/reference': 120,
  'templates/templates': 120,
  'security/canary-secrets': 120,
  'schema/schema-work': 110,
  'security/organization-rights': 110,
  'crash/processes-in-turn': 100,
  'audit/audit': 100,
  'portal/portal': 100,
  'controllers/crds': 100,
  'controllers/deployment-ends': 90,
  'doors/three-doors': 90,
  'dns-cloudflare/property': 90,
  'gateway/two-gateways': 80,
  'delta/fold': 80,
  'security/ready-made-roles': 80,
  'gitops/examples': 80,
  'portal/managing-pages': 80,
  'controllers/concurrent-deployments': 80,
  'controllers/active-resource': 80,
  'portal/environment': 70,
  'controllers/churn': 70,
  'drivers/dns-accounts': 70,
  'gitops/flux': 70,
  'plan/prediction': 70,
  'security/secrecy-churn': 70,
  'kube/reflector': 70,
  'drivers/templates': 70,
  'webhooks/webhook-load': 70,
  'active-resource/rollout-honesty': 70,
  'crash/drivers-restart': 60,
  'gateway/random-requests': 60,
  'webhooks/webhooks': 60,
  'server/rate-limit': 60,
  'portal/managing': 60,
  'request/patterns': 60,
  'managing/stored-form': 60,
  'controllers/clock-steps': 60,
  'authorization/authentication': 60,
}
const expected = Object.entries(seconds).map(([name, duration]) => [`/${name}.test.ts`, duration * 1000])

export default class LongestFirst extends TestSequencer {
  time(test) {
    const [, duration] = expected.find(([name]) => test.path.endsWith(name)) ?? []
    return super.time(test) ?? duration ?? test.context.hasteFS.getSize(test.path) / 10
  }
}
