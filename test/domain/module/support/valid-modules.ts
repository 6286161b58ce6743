import fc from 'fast-check'

const word = fc.stringMatching(/^[a-z]([a-z0-9]{0,8})$/)
const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom('$(HOME)', 'ünïcode', '{{ x }}', '', '0', 'a: b'),
)
const images = [
  'api',
  'api:1.0',
  'ghcr.io/acme/api:1',
  'localhost:5000/api',
  `acme/api@sha256:${'a'.repeat(64)}`,
]
const path = fc.array(word, { minLength: 1, maxLength: 3 }).map((steps) => `/${steps.join('/')}`)
const optional = <T extends Record<string, fc.Arbitrary<unknown>>>(fields: T) =>
  fc.record(fields, { requiredKeys: [] })
const mapOf = <T>(key: fc.Arbitrary<string>, value: fc.Arbitrary<T>, maxKeys = 3) =>
  fc.dictionary(key, value, { maxKeys })
const port = fc.integer({ min: 1, max: 65_535 })
const timing = {
  initialDelaySeconds: fc.nat(9),
  periodSeconds: fc.integer({ min: 1, max: 9 }),
  failureThreshold: fc.integer({ min: 1, max: 9 }),
}

const probe = fc
  .tuple(
    fc.oneof(
      fc.record({
        type: fc.constant('http'),
        path,
        port,
        headers: mapOf(fc.constantFrom('Accept', 'X-A'), fc.constant('*/*')),
      }),
      fc.record({ type: fc.constant('http'), port, host: fc.constantFrom('127.0.0.1', 'web.example.test') }),
      fc.record({ type: fc.constant('tcp'), port }),
      fc.record({ type: fc.constant('grpc'), port }),
      fc.record({ type: fc.constant('command'), command: fc.array(word, { minLength: 1, maxLength: 3 }) }),
    ),
    optional(timing),
  )
  .map(([handler, more]) => ({ ...handler, ...more }))

const file = fc.oneof(
  fc.record({ value: text, mode: fc.constantFrom('0644', '400', '0755') }),
  fc.record({ value: text }),
  fc.record({
    binary_value: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  }),
)
const quantities = optional({ cpu: fc.constantFrom('100m', '0.1'), memory: fc.constantFrom('64Mi', '1e7') })
const resources = optional({
  requests: quantities,
  limits: optional({ cpu: fc.constant('1'), memory: fc.constant('1Gi') }),
})

const container = fc.record(
  {
    image: fc.constantFrom(...images),
    command: fc.array(text, { maxLength: 2 }),
    args: fc.array(text, { maxLength: 3 }),
    variables: mapOf(fc.stringMatching(/^[A-Z][A-Z_]{0,6}$/), text),
    files: mapOf(
      path.map((each) => `/files${each}`),
      file,
    ),
    volume_mounts: mapOf(
      path.map((each) => `/volumes${each}`),
      fc.record({ id: fc.constantFrom('scratch', 'volumes.scratch'), read_only: fc.boolean() }),
    ),
    resources,
    liveness_probe: probe,
    readiness_probe: probe,
    startup_probe: probe,
    working_dir: path,
    image_pull_policy: fc.constantFrom('Always', 'IfNotPresent'),
    security_context: optional({
      readOnlyRootFilesystem: fc.boolean(),
      runAsUser: fc.integer({ min: 1, max: 9999 }),
    }),
  },
  { requiredKeys: ['image'] },
)

const labels = mapOf(fc.constantFrom('team', 'example.com/tier'), fc.constantFrom('a', '', 'B.c_d'))
const metadata = { labels, annotations: mapOf(fc.constantFrom('note', 'example.com/url'), text) }

const spec = fc.record(
  {
    containers: fc.dictionary(word, container, { minKeys: 1, maxKeys: 3 }),
    service: fc.record(
      {
        ports: fc
          .uniqueArray(port, { minLength: 1, maxLength: 3 })
          .map((ports) =>
            Object.fromEntries(
              ports.map((each) => [`p${each}`, { service_port: each, container_port: 8080 }]),
            ),
          ),
        headless: fc.boolean(),
        ...metadata,
      },
      { requiredKeys: ['ports'] },
    ),
    pod: optional({
      ...metadata,
      initContainers: fc.constant([
        { name: 'first-of-all', image: 'init', env: [{ name: 'A', value: 'b' }], restartPolicy: 'Always' },
      ]),
      nodeSelector: fc.constant({ disk: 'ssd' }),
      tolerations: fc.constant([{ key: 'gpu', operator: 'Exists' }]),
      terminationGracePeriodSeconds: fc.nat(99),
      securityContext: optional({ runAsUser: fc.integer({ min: 1, max: 9999 }), fsGroup: fc.nat(9999) }),
      hostname: fc.constant('host'),
    }),
    serviceAccountName: fc.constantFrom('robot', 'robot.one'),
    ...metadata,
  },
  { requiredKeys: ['containers'] },
)

const replicas = fc.nat(3)
const job = optional({
  backoffLimit: fc.nat(3),
  parallelism: fc.integer({ min: 1, max: 3 }),
  restartPolicy: fc.constantFrom('Never', 'OnFailure'),
})
const kinds = fc.oneof(
  fc.record({
    profile: fc.constantFrom('quartermaster/default-module', 'humanitec/default-module', undefined),
    more: optional({
      replicas,
      deployment: optional({
        replicas,
        minReadySeconds: fc.nat(9),
        strategy: fc.constantFrom({ type: 'Recreate' }, { rollingUpdate: { maxSurge: 1 } }),
        progressDeadlineSeconds: fc.integer({ min: 20, max: 99 }),
      }),
    }),
  }),
  fc.record({
    profile: fc.constant('quartermaster/default-stateful'),
    more: optional({
      replicas,
      statefulset: optional({
        podManagementPolicy: fc.constant('Parallel'),
        updateStrategy: fc.constant({ type: 'OnDelete' }),
        volume_claims: fc.constant({ kept: { storage: '1Gi' } }),
      }),
    }),
  }),
  fc.record({ profile: fc.constant('humanitec/default-job'), more: optional({ job }) }),
  fc.record({
    profile: fc.constant('quartermaster/default-cronjob'),
    more: fc.record(
      {
        schedules: fc.dictionary(
          word,
          fc.record({ schedule: fc.constantFrom('0 4 * * *', '*/5 * * * 1-5', '@daily') }),
          { minKeys: 1, maxKeys: 2 },
        ),
        cronjob: optional({ suspend: fc.boolean(), concurrencyPolicy: fc.constant('Forbid') }),
        job,
      },
      { requiredKeys: ['schedules'] },
    ),
  }),
)

/** Modules that the cluster accepts, of every profile. */
export const validModules = fc.tuple(spec, kinds, word).map(([base, { profile, more }, id]) => ({
  id,
  ...(profile === undefined ? {} : { profile }),
  spec: { ...base, ...more, volumes: { scratch: { emptyDir: {} } } },
}))
