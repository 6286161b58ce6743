/** The API group of all kinds. */
export const group = 'quartermaster.dev'

/** The served and stored version of all kinds. */
export const version = 'v1alpha1'

/** `group/version` as objects carry it. */
export const apiVersion = `${group}/${version}`

/** Where the operator, the gateway, users and tokens live. */
export const systemNamespace = 'quartermaster-system'

/** The Lease, in the system namespace, that the operator holds while it works. */
export const operatorLease = 'quartermaster-operator'

/** The Secret with the key that signs sessions, and where in it the key is. */
export const sessionKeySecret = { name: 'quartermaster-session-key', key: 'key.pem' } as const

/** The field manager of every write of ours. */
export const fieldManager = 'quartermaster'

/** Holds an object until what stands behind it is gone. */
export const finalizer = `${group}/finalizer`

export const labels = {
  /** On a namespace: the organization of the same name. */
  organization: `${group}/organization`,
  /** On a namespace: the organization whose objects may be applied into it. */
  accepts: `${group}/accepts`,
  /** On an applied object: the GUResID of the active resource that made it. */
  resource: `${group}/resource`,
  /** On an applied object and a namespace that we made. */
  managedBy: 'app.kubernetes.io/managed-by',
} as const

export const annotations = {
  /** Display name of an organization or a user. */
  displayName: `${group}/display-name`,
  /** User id of whoever created the object over REST. */
  createdBy: `${group}/created-by`,
  /** The Kubernetes identity of whoever created the object by another way; the cluster stamps it. */
  triggeredBy: `${group}/triggered-by`,
  /** User id of whoever asked over REST for the object to be deleted. */
  deletedBy: `${group}/deleted-by`,
  /** On an environment or a deployment: the events that webhooks were told of, joined by commas. */
  notified: `${group}/announced`,
  /** On a webhook that goes with its application: its last calls are awaited. */
  lastCalls: `${group}/last-calls`,
  /** On a webhook call: any text; each new one has it sent again. */
  redeliver: `${group}/redeliver`,
  /** RFC 3339 time of the last change over REST. */
  lastModifiedAt: `${group}/last-modified-at`,
  /** User id of whoever made that change. */
  lastModifiedBy: `${group}/last-modified-by`,
  /** User ids, joined by commas, of all who changed a delta. */
  contributors: `${group}/contributors`,
  /** On a deployment: hashes of the key by which its request is told from others and of its body; the same key deploys once. */
  idempotencyKey: `${group}/idempotency-key`,
  /** On an active resource, `"true"`: let the infrastructure be when the object is deleted. */
  detach: `${group}/detach`,
  /** On a resource account: any text, or any and after a `/` one of its Secrets; each new one has credentials tried, its own or those. */
  check: `${group}/check`,
  /** On a resource account that is there to be tried: RFC 3339 time after which it goes. */
  trialUntil: `${group}/trial-until`,
  /** On the owner of a Secret, with `-` and the end of the Secret's name: `<RFC 3339 time>/<name>` of one that a change under way will name. */
  newSecret: `${group}/new-secret`,
  /** On an applied object: `organization/GUResID` of its active resource. */
  resource: `${group}/active-resource`,
  /** On an applied object: the descriptor of its active resource. */
  descriptor: `${group}/descriptor`,
  /** On a namespace that we made: `organization/environment`. */
  environment: `${group}/environment`,
} as const

/** Value of the label `app.kubernetes.io/managed-by` on everything that we make. */
export const manager = 'quartermaster'
