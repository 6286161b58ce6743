import { boolean, integer, list, map, object, oneOf, type Static, string } from '../../api/schema.ts'
import {
  containerSecurity,
  longSeconds,
  passed,
  portNumber,
  protocol,
  resourcesSchema,
  secretableText,
  text,
} from './schema-parts.ts'

/** Types of probes. */
export const probeTypes = ['http', 'command', 'tcp', 'grpc'] as const

const probe = (what: string) =>
  object(
    { type: oneOf(probeTypes, 'How the container is probed.') },
    {
      path: text('Path of the request, for `http`.'),
      port: portNumber('Port of the request, for `http`, `tcp` and `grpc`.'),
      host: text('Header `Host` of the request, for `http`. The pod itself is probed in any case.'),
      scheme: oneOf(['HTTP', 'HTTPS'], 'Scheme of the request, for `http`.'),
      headers: map(text('Value of the header.'), 'Headers of the request, for `http`.'),
      command: list(text('A word of the command.'), 'Command in the container, for `command`.'),
      service: text('Name of the service, for `grpc`.'),
      initialDelaySeconds: integer('Seconds before the first probe.', { minimum: 0 }),
      periodSeconds: integer('Seconds between probes.', { minimum: 1 }),
      timeoutSeconds: integer('Seconds until a probe fails.', { minimum: 1 }),
      successThreshold: integer('Successes in a row that count as success.', { minimum: 1 }),
      failureThreshold: integer('Failures in a row that count as failure.', { minimum: 1 }),
      terminationGracePeriodSeconds: longSeconds('Seconds to end after a failed probe.', 1),
    },
    what,
  )
export type Probe = Static<ReturnType<typeof probe>>

const file = object(
  {},
  {
    mode: string('Octal mode of the file, such as `0644`. Empty is the default, `0644`.', {
      maxLength: 5,
      pattern: '^(0?[0-7]{3})?$',
    }),
    value: secretableText('Text of the file.'),
    binary_value: text('Content of a binary file, in Base64; instead of `value`.', { maxLength: 1_398_104 }),
  },
  'A file in the container.',
)

const volumeMount = object(
  { id: text('The volume: `externals.<name>`, `shared.<id>`, or a name under `volumes`.') },
  {
    sub_path: text('Path in the volume.', { maxLength: 4096 }),
    read_only: boolean('Whether the container can only read.'),
  },
  'A volume in the container.',
)

const containerFields = {
  id: text('The id of the container, as its key.', { maxLength: 63 }),
  image: text('Image of the container.', { maxLength: 1024 }),
  command: list(secretableText('A word.'), 'Command; that of the image when absent.'),
  args: list(secretableText('A word.'), 'Arguments of the command.'),
  variables: map(secretableText('Value of the variable.'), 'Environment variables.'),
  files: map(file, 'Files, by their path in the container.'),
  volume_mounts: map(volumeMount, 'Volumes, by their path in the container.'),
  resources: resourcesSchema,
  ports: map(
    object({ container_port: portNumber('Port that the container listens on.') }, { protocol }, 'A port.'),
    'Ports that the container listens on. Optional: those of `service` need no entry.',
  ),
  liveness_probe: probe('Restarts the container when it fails.'),
  readiness_probe: probe('Keeps requests from the pod while it fails.'),
  startup_probe: probe('Delays the other probes until it succeeds.'),
  working_dir: text('Working directory of the command.', { maxLength: 4096 }),
  image_pull_policy: oneOf(
    ['Always', 'IfNotPresent', 'Never'],
    'When the image is pulled. When absent: `Always` for the tag `latest` or none, `IfNotPresent` for others.',
  ),
  lifecycle: passed('Handlers `postStart` and `preStop`, as in Kubernetes, without `host`.'),
  security_context: containerSecurity,
}

/** A container of a module. */
export const containerSchema = object({}, containerFields, 'A container.')
export type ModuleContainer = Static<typeof containerSchema>

const environmentVariable = object(
  { name: text('Name of the variable.') },
  { value: secretableText('Value of the variable.'), valueFrom: passed('Source of the value.') },
  'An environment variable.',
)

/** A container in the form of Kubernetes; of an init container or one that another resource adds. */
export const nativeContainerSchema = object(
  {
    name: text('Name of the container.', { maxLength: 63 }),
    image: text('Image of the container.', { maxLength: 1024 }),
  },
  {
    command: list(secretableText('A word.'), 'Command; that of the image when absent.'),
    args: list(secretableText('A word.'), 'Arguments of the command.'),
    env: list(environmentVariable, 'Environment variables.'),
    envFrom: passed('Sources of environment variables.'),
    ports: passed('Ports that the container listens on, without `hostPort`.'),
    resources: resourcesSchema,
    volumeMounts: passed('Volumes, by name.'),
    livenessProbe: passed('Restarts the container when it fails. Without `host`, as all probes.'),
    readinessProbe: passed('Keeps requests from the pod while it fails.'),
    startupProbe: passed('Delays the other probes until it succeeds.'),
    lifecycle: passed('Handlers `postStart` and `preStop`, without `host`.'),
    workingDir: text('Working directory of the command.', { maxLength: 4096 }),
    imagePullPolicy: oneOf(['Always', 'IfNotPresent', 'Never'], 'When the image is pulled.'),
    restartPolicy: oneOf(['Always'], '`Always` makes a sidecar: it runs until the pod ends.'),
    securityContext: containerSecurity,
    terminationMessagePath: text('File with the last message of the container.', { maxLength: 4096 }),
    terminationMessagePolicy: oneOf(['File', 'FallbackToLogsOnError'], 'Source of the last message.'),
  },
  'A container in the form of Kubernetes.',
)
export type NativeContainer = Static<typeof nativeContainerSchema>
