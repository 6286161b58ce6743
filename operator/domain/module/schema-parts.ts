import { anyValue, boolean, integer, list, map, object, oneOf, string, unsafe } from '../../api/schema.ts'
import type { ModuleText } from './secret-text.ts'

/** Keyword of the texts that may contain secrets. */
export const maySecret = 'x-quartermaster-may-be-secret'

const longestText = 1_048_576

/** A text that may contain secrets: it reaches the container by a Secret. */
export function secretableText(description: string) {
  return unsafe<ModuleText>({ type: 'string', description, maxLength: longestText, [maySecret]: true })
}

/** A plain text. */
export function text(description: string, options: { readonly maxLength?: number } = {}) {
  return string(description, { maxLength: longestText, ...options })
}

/** A part that is passed to Kubernetes as it is. */
export function passed(description: string) {
  return anyValue(description)
}

export const labelMap = (of: string) =>
  map(text('Value of the label.', { maxLength: 63 }), `Labels of ${of}.`)
export const annotationMap = (of: string) => map(text('Value of the annotation.'), `Annotations of ${of}.`)

/** Seconds that Kubernetes keeps in 64 bits, unlike most numbers. */
export const longSeconds = (description: string, minimum: number) =>
  integer(description, { minimum, maximum: Number.MAX_SAFE_INTEGER })

const highestPort = 65_535
export const portNumber = (description: string) => integer(description, { minimum: 1, maximum: highestPort })
export const protocol = oneOf(['TCP', 'UDP', 'SCTP'], 'Protocol of the port. `TCP` when absent.')

const quantities = (what: string) =>
  map(
    string('A quantity such as `250m` or `256Mi`.', { maxLength: 64 }),
    `${what} by resource, such as \`cpu\` and \`memory\`.`,
  )

export const resourcesSchema = object(
  {},
  { limits: quantities('Limits'), requests: quantities('Requests') },
  'Computing resources of the container.',
)

const seccompProfile = (absent: string) =>
  object(
    { type: oneOf(['RuntimeDefault', 'Localhost'], 'Type of the profile.') },
    { localhostProfile: text('File of the profile on the node, for `Localhost`.', { maxLength: 4096 }) },
    `Seccomp profile.${absent}`,
  )

const seLinuxOptions = object(
  {},
  {
    type: oneOf(
      ['container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'],
      'SELinux type.',
    ),
    level: text('SELinux level.', { maxLength: 253 }),
  },
  'SELinux options.',
)

const sysctl = object(
  {
    name: oneOf(
      [
        'kernel.shm_rmid_forced',
        'net.ipv4.ip_local_port_range',
        'net.ipv4.ip_local_reserved_ports',
        'net.ipv4.ip_unprivileged_port_start',
        'net.ipv4.ping_group_range',
        'net.ipv4.tcp_fin_timeout',
        'net.ipv4.tcp_keepalive_intvl',
        'net.ipv4.tcp_keepalive_probes',
        'net.ipv4.tcp_keepalive_time',
        'net.ipv4.tcp_syncookies',
      ],
      'Name of the parameter.',
    ),
    value: text('Value of the parameter.', { maxLength: 253 }),
  },
  {},
  'A kernel parameter.',
)

/** No field of the Pod Security level `privileged`: those could take over a node. */
export const containerSecurity = object(
  {},
  {
    allowPrivilegeEscalation: boolean(
      'Whether a process can gain more privileges than its parent. False when absent.',
    ),
    capabilities: object(
      {},
      {
        add: list(
          oneOf(
            [
              'AUDIT_WRITE',
              'CHOWN',
              'DAC_OVERRIDE',
              'FOWNER',
              'FSETID',
              'KILL',
              'MKNOD',
              'NET_BIND_SERVICE',
              'SETFCAP',
              'SETGID',
              'SETPCAP',
              'SETUID',
              'SYS_CHROOT',
            ],
            'A capability.',
          ),
          'Capabilities to add.',
        ),
        drop: list(string('A capability.', { maxLength: 63 }), 'Capabilities to drop. `ALL` when absent.'),
      },
      'Linux capabilities.',
    ),
    readOnlyRootFilesystem: boolean('Whether the root file system is read-only.'),
    runAsGroup: integer('Group of the processes.', { minimum: 0 }),
    runAsNonRoot: boolean('Whether an image that runs as root is refused. That of the pod when absent.'),
    runAsUser: integer('User of the processes.', { minimum: 0 }),
    seccompProfile: seccompProfile(' That of the pod when absent.'),
    seLinuxOptions,
  },
  'Security context of the container.',
)

export const podSecurity = object(
  {},
  {
    fsGroup: integer('Group that owns the volumes.', { minimum: 0 }),
    fsGroupChangePolicy: oneOf(['OnRootMismatch', 'Always'], 'When the owner of volumes is changed.'),
    runAsGroup: integer('Group of the processes.', { minimum: 0 }),
    runAsNonRoot: boolean('Whether images that run as root are refused. True when absent.'),
    runAsUser: integer('User of the processes.', { minimum: 0 }),
    seccompProfile: seccompProfile(' `RuntimeDefault` when absent.'),
    seLinuxOptions,
    supplementalGroups: list(integer('A group.', { minimum: 0 }), 'Further groups of the processes.'),
    supplementalGroupsPolicy: oneOf(['Merge', 'Strict'], 'How the groups of the image count.'),
    sysctls: list(sysctl, 'Kernel parameters of the pods.'),
  },
  'Security context of the pod.',
)
