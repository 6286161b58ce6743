/** The API group of all kinds. */
export const group = 'quartermaster.dev'

/** The served and stored version of all kinds. */
export const version = 'v1alpha1'

/** The version of this product, as package.json states it. */
export const productVersion = '0.1.0'

/** The `apiVersion` field of all objects. */
export const apiVersion = `${group}/${version}`

/** The namespace of the operator, the gateway, users and access tokens. */
export const systemNamespace = 'quartermaster-system'

/** The Lease, in the system namespace, of the active operator. */
export const operatorLease = 'quartermaster-operator'

/** The Secret, and the key in it, that holds the key that signs sessions. */
export const sessionKeySecret = { name: 'quartermaster-session-key', key: 'key.pem' } as const

/** The field manager of all writes. */
export const fieldManager = 'quartermaster'

/** Keeps an object until its cleanup is complete. */
export const finalizer = `${group}/finalizer`

export const labels = {
  /** On a namespace: the organization of the same name. */
  organization: `${group}/organization`,
  /** On a namespace: the organization that may apply objects in it. */
  accepts: `${group}/accepts`,
  /** On an applied object: the GUResID of its active resource. */
  resource: `${group}/resource`,
  /** On applied objects and on namespaces that the operator created. */
  managedBy: 'app.kubernetes.io/managed-by',
} as const

export const annotations = {
  /** Display name of an organization or a user. */
  displayName: `${group}/display-name`,
  /** Id of the user who created the object over REST. */
  createdBy: `${group}/created-by`,
  /** Kubernetes identity of the client that created the object, if not the gateway; set by an admission policy. */
  triggeredBy: `${group}/triggered-by`,
  /** Id of the user who deleted the object over REST. */
  deletedBy: `${group}/deleted-by`,
  /** On an environment or a deployment: the events that were sent to webhooks, joined by commas. */
  notified: `${group}/announced`,
  /** On a webhook whose application is being deleted: the webhook waits for its last calls. */
  lastCalls: `${group}/last-calls`,
  /** On a webhook call: any text; a new value sends the event again. */
  redeliver: `${group}/redeliver`,
  /** RFC 3339 time of the last change over REST. */
  lastModifiedAt: `${group}/last-modified-at`,
  /** Id of the user who made that change. */
  lastModifiedBy: `${group}/last-modified-by`,
  /** On a deployment set that nothing refers to: RFC 3339 time of its last use over REST, which keeps it for a while. */
  lastUsedAt: `${group}/last-used-at`,
  /** On a delta: ids of the users who changed it, joined by commas. */
  contributors: `${group}/contributors`,
  /** On a deployment: hashes of the idempotency key and body of its request; requests with the same key deploy once. */
  idempotencyKey: `${group}/idempotency-key`,
  /** On a deployment of new images: names of the artefact versions that it deploys, joined by commas. */
  artefactVersions: `${group}/artefact-versions`,
  /** On a deployment: the header `traceparent` of the request that created it. */
  traceparent: `${group}/traceparent`,
  /** On an active resource: keep the infrastructure when the object is deleted; `"true"`, or the RFC 3339 time until which that deletion must begin. */
  detach: `${group}/detach`,
  /** On a resource account: any text, optionally followed by `/` and one of its Secrets; a new value checks its credentials, or those of that Secret. */
  check: `${group}/check`,
  /** On a resource account that exists for a check only: RFC 3339 time after which it is deleted. */
  trialUntil: `${group}/trial-until`,
  /** On the owner of a Secret, followed by `-` and the end of the Secret's name: `<RFC 3339 time>/<name>` of a Secret that a change in progress will name. */
  newSecret: `${group}/new-secret`,
  /** On an applied object: `organization/GUResID` of its active resource. */
  resource: `${group}/active-resource`,
  /** On an applied object: the descriptor of its active resource. */
  descriptor: `${group}/descriptor`,
  /** On a namespace that the operator created: `organization/environment`. */
  environment: `${group}/environment`,
} as const

/** Value of the label `app.kubernetes.io/managed-by` on all created objects. */
export const manager = 'quartermaster'
