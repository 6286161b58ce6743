// Generated from the OpenAPI document by `make generate`; do not edit.

export type AccountCheck = {
  readonly identity_fields: readonly {
    readonly id: string
    readonly description: string
    readonly value: string
  }[]
  readonly warnings?: readonly string[]
}

export type AccountType = {
  readonly type: string
  readonly name: string
  readonly inputs_schema?: { readonly [key: string]: unknown }
}

export type ActiveResource = {
  readonly org_id: string
  readonly app_id: string
  readonly env_id: string
  readonly env_type: string
  readonly res_id: string
  readonly type: string
  readonly class: string
  readonly def_id: string
  readonly def_version_id: string
  readonly driver_type: string
  readonly deploy_id: string
  readonly gu_res_id: string
  readonly depends_on: readonly string[]
  readonly resource: { readonly [key: string]: unknown }
  readonly secret_refs: { readonly [key: string]: unknown }
  readonly is_failing: boolean
  readonly updated_at: string
  readonly scheduled_deletion: boolean
  readonly metadata: {
    readonly res_id: string
    readonly type: string
    readonly class: string
  }
  readonly status: {
    readonly gu_res_id: string
    readonly state: 'pending' | 'active' | 'deleting'
    readonly message?: string
  } | 'pending' | 'active' | 'deleting'
  readonly criteria_id?: string
  readonly driver_account?: string
  readonly status_message?: string
  readonly unused_since?: string
}

export type ActiveResourceDetails = {
  readonly resource: ActiveResource
  readonly inputs: { readonly [key: string]: unknown }
  readonly driver_inputs: { readonly [key: string]: unknown }
  readonly conditions: readonly {
    readonly type: string
    readonly status: string
    readonly reason: string
    readonly message: string
    readonly last_transition_time: string
    readonly remedy?: string
  }[]
  readonly objects: readonly {
    readonly api_version: string
    readonly kind: string
    readonly name: string
    readonly namespace?: string
  }[]
  readonly attempts: number
  readonly explanation?: string
  readonly next_attempt_at?: string
}

export type ActiveResourceEvent = {
  readonly at: string
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly count: number
}

export type Application = {
  readonly id: string
  readonly name: string
  readonly org_id: string
  readonly created_at: string
  readonly created_by: string
  readonly status: 'active' | 'deleting'
  readonly status_changed_at: string
  readonly envs: readonly {
    readonly id: string
    readonly name: string
    readonly type: string
  }[]
  readonly status_message?: string
}

export type Artefact = {
  readonly id: string
  readonly name: string
  readonly type: 'container' | 'workload'
  readonly created_at: string
  readonly created_by: string
  readonly updated_at: string
  readonly updated_by: string
}

export type ArtefactVersion = {
  readonly type: 'container' | 'workload'
  readonly id: string
  readonly artefact_id: string
  readonly name: string
  readonly archived: boolean
  readonly created_at: string
  readonly created_by: string
  readonly updated_at: string
  readonly updated_by: string
  readonly version?: string
  readonly ref?: string
  readonly commit?: string
  readonly digest?: string
}

export type AuditRecord = {
  readonly id: string
  readonly at: string
  readonly user_id: string
  readonly request_method: string
  readonly request_path: string
  readonly path_parameters: { readonly [key: string]: string }
  readonly response_status: number
  readonly result: 'success' | 'refused' | 'failed'
  readonly request_id: string
  readonly source_address: string
  readonly org_id?: string
  readonly route?: string
  readonly via?: string
  readonly reason?: string
  readonly dry_run?: boolean
  readonly count?: number
}

export type AutomationRule = {
  readonly id: string
  readonly type: 'update'
  readonly active: boolean
  readonly artefacts_filter: readonly string[]
  readonly exclude_artefacts_filter: boolean
  readonly match_ref: string
  readonly images_filter: readonly string[]
  readonly exclude_images_filter: boolean
  readonly match: string
  readonly update_to: '' | 'branch' | 'tag'
  readonly created_at: string
  readonly updated_at: string
}

export type ContainerStatus = {
  readonly name: string
  readonly ready: boolean
  readonly restart_count: number
  readonly status: 'Success' | 'Pending' | 'Failure' | 'Unknown'
  readonly state: {
    readonly waiting?: {
      readonly reason?: string
      readonly message?: string
    }
    readonly running?: {
      readonly started_at?: string
    }
    readonly terminated?: {
      readonly exit_code?: number
      readonly signal?: number
      readonly reason?: string
      readonly started_at?: string
      readonly finished_at?: string
    }
  }
}

export type ConvertedScore = {
  readonly modules: { readonly [key: string]: { readonly [key: string]: unknown } }
  readonly shared: { readonly [key: string]: { readonly [key: string]: unknown } }
}

export type CreatedWebhook = {
  readonly url: string
  readonly headers: { readonly [key: string]: string } | null
  readonly payload: unknown
  readonly triggers: readonly {
    readonly scope: 'environment' | 'deployment'
    readonly type: 'created' | 'deleted' | 'started' | 'finished'
  }[]
  readonly disabled: boolean
  readonly id: string
  readonly created_at: string
  readonly created_by: string
  readonly signing_secret: string
}

export type DefinitionPreview = {
  readonly changes: readonly {
    readonly app_id: string
    readonly env_id: string
    readonly res_id: string
    readonly type: string
    readonly class: string
    readonly gu_res_id: string
    readonly action: 'create' | 'update' | 'replace' | 'retain' | 'unchanged'
    readonly from_def: string
    readonly to_def: string
    readonly changed_inputs: readonly string[]
    readonly problems?: readonly {
      readonly object: string
      readonly reason: string
      readonly message: string
    }[]
  }[]
  readonly problems: readonly {
    readonly app_id: string
    readonly env_id: string
    readonly object: string
    readonly reason: string
    readonly message: string
  }[]
}

export type Delta = {
  readonly id: string
  readonly metadata: {
    readonly created_by: string
    readonly created_at: string
    readonly last_modified_at: string
    readonly archived: boolean
    readonly env_id?: string
    readonly name?: string
    readonly contributers?: readonly string[]
  }
  readonly modules: {
    readonly add: { readonly [key: string]: { readonly [key: string]: unknown } }
    readonly remove: readonly string[]
    readonly update: { readonly [key: string]: readonly PatchOperation[] }
  }
  readonly shared: readonly PatchOperation[]
}

export type DeltaRequest = {
  readonly id?: string | null
  readonly metadata?: {
    readonly env_id?: string | null
    readonly name?: string | null
    readonly created_by?: unknown
    readonly created_at?: unknown
    readonly last_modified_at?: unknown
    readonly archived?: unknown
    readonly shared?: unknown
    readonly contributers?: unknown
  } | null
  readonly modules?: {
    readonly add?: { readonly [key: string]: { readonly [key: string]: unknown } | null } | null
    readonly remove?: readonly string[] | null
    readonly update?: { readonly [key: string]: readonly PatchOperation[] } | null
  } | null
  readonly shared?: readonly PatchOperation[] | null
}

export type DeltaToDeployRequest = {
  readonly id?: string | null
  readonly metadata?: {
    readonly env_id?: string | null
    readonly name?: string | null
    readonly created_by?: unknown
    readonly created_at?: unknown
    readonly last_modified_at?: unknown
    readonly archived?: unknown
    readonly shared?: unknown
    readonly contributers?: unknown
  } | null
  readonly modules?: {
    readonly add?: { readonly [key: string]: { readonly [key: string]: unknown } | null } | null
    readonly remove?: readonly string[] | null
    readonly update?: { readonly [key: string]: readonly PatchOperation[] } | null
  } | null
  readonly shared?: readonly PatchOperation[] | null
}

export type Deployment = {
  readonly id: string
  readonly env_id: string
  readonly set_id: string
  readonly from_id: string
  readonly comment: string
  readonly status: 'pending' | 'in progress' | 'succeeded' | 'failed'
  readonly status_changed_at: string
  readonly created_at: string
  readonly created_by: string
  readonly export_status: string
  readonly export_file: string
  readonly delta_id?: string
  readonly dependency_graph_id?: string
  readonly mode?: 'full' | 'incremental'
  readonly pipeline?: {
    readonly id: string
    readonly run_id: string
    readonly job_id: string
    readonly step_index: number
  }
  readonly status_message?: string
  readonly value_set_version_id?: string
}

export type DeploymentError = {
  readonly scope: 'environment' | 'workload'
  readonly object_id: string
  readonly code: string
  readonly summary: string
  readonly message: string
  readonly error_type: string
  readonly remedy?: string
}

export type DeploymentPlan = {
  readonly steps: readonly {
    readonly action: 'create' | 'update' | 'replace' | 'retain' | 'unchanged'
    readonly type: string
    readonly class: string
    readonly res_id: string
    readonly gu_res_id: string
    readonly descriptor: string
    readonly changed_inputs: readonly string[]
    readonly def_id?: string
    readonly from_def?: string
  }[]
  readonly summary: {
    readonly create: number
    readonly update: number
    readonly replace: number
    readonly retain: number
    readonly unchanged: number
  }
  readonly problems: readonly {
    readonly object: string
    readonly reason: string
    readonly message: string
  }[]
  readonly base_set_id?: string
}

export type DeploymentSet = {
  readonly id: string
  readonly version: number
  readonly modules: { readonly [key: string]: { readonly [key: string]: unknown } }
  readonly shared: { readonly [key: string]: { readonly [key: string]: unknown } }
}

export type Driver = {
  readonly org_id: string
  readonly id: string
  readonly type: string
  readonly inputs_schema: { readonly [key: string]: unknown }
  readonly account_types: readonly string[]
  readonly target?: string
  readonly template?: unknown
  readonly status_message?: string
}

export type Environment = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly created_at: string
  readonly created_by: string
  readonly status: 'active' | 'deleting'
  readonly status_changed_at: string
  readonly status_message?: string
  readonly from_deploy?: Deployment
  readonly last_deploy?: Deployment
  readonly base_set_id?: string
}

export type EnvironmentRuntime = {
  readonly namespace: string
  readonly modules: { readonly [key: string]: { readonly [key: string]: RuntimeController } }
}

export type EnvironmentRuntimeStatus = {
  readonly id: string
  readonly paused: boolean
  readonly status?: 'Running' | 'Succeeded' | 'Starting' | 'Partially Succeeded' | 'Failed' | 'Stopped' | 'Unknown'
  readonly error?: string
}

export type EnvironmentRuntimeV2 = {
  readonly namespace: string
  readonly modules: { readonly [key: string]: {
    readonly status: 'Running' | 'Succeeded' | 'Starting' | 'Partially Succeeded' | 'Failed' | 'Stopped' | 'Unknown'
    readonly status_class: 'Success' | 'Failure' | 'Warning' | 'Stopped' | 'Unknown'
    readonly controllers: { readonly [key: string]: RuntimeControllerV2 }
  } }
}

export type EnvironmentType = {
  readonly id: string
  readonly description: string
}

export type Error = {
  readonly error: 'Invalid' | 'QuotaExceeded' | 'Unauthorized' | 'Forbidden' | 'NotFound' | 'MethodNotAllowed' | 'Conflict' | 'Unprocessable' | 'TooManyRequests' | 'Internal'
  readonly message: string
  readonly details?: unknown
}

export type Event = {
  readonly scope: string
  readonly type: string
  readonly properties: readonly string[]
}

export type Graph = {
  readonly id: string
  readonly hash: string
  readonly nodes: readonly GraphNode[]
  readonly created_at: string
  readonly used_at: string
}

export type GraphNode = {
  readonly type: string
  readonly class: string
  readonly id: string
  readonly guresid: string
  readonly resource: { readonly [key: string]: unknown }
  readonly driver: { readonly [key: string]: unknown }
  readonly def_id: string
  readonly def_version_id: string
  readonly criteria_id: string
  readonly driver_type: string
  readonly resource_schema: { readonly [key: string]: unknown }
  readonly depends_on: readonly string[]
  readonly in_place_driver_change: boolean
  readonly driver_account?: string
}

export type GraphResource = {
  readonly id: string
  readonly type: string
  readonly class?: string
  readonly resource?: { readonly [key: string]: unknown }
}

export type GraphResourceRequest = {
  readonly id: string
  readonly type: string
  readonly class?: string | null
  readonly resource?: { readonly [key: string]: unknown } | null
}

export type Image = {
  readonly id: string
  readonly source: string
  readonly added_at: string
  readonly builds: readonly ImageBuild[]
}

export type ImageBuild = {
  readonly branch: string
  readonly commit: string
  readonly image: string
  readonly tags: readonly string[]
  readonly added_at: string
}

export type MatchExplanation = {
  readonly context: {
    readonly org_id: string
    readonly app_id: string
    readonly env_id: string
    readonly env_type: string
  }
  readonly type: string
  readonly class: string
  readonly res_id: string
  readonly descriptor: string
  readonly candidates: readonly {
    readonly def_id: string
    readonly reason: string
    readonly criterion?: {
      readonly env_type?: string
      readonly app_id?: string
      readonly env_id?: string
      readonly res_id?: string
      readonly class?: string
    }
    readonly rank?: number
  }[]
  readonly more: number
  readonly explanation: string
  readonly requested_type?: string
  readonly gu_res_id?: string
  readonly matched?: {
    readonly def_id: string
    readonly driver_type: string
    readonly criterion: {
      readonly env_type?: string
      readonly app_id?: string
      readonly env_id?: string
      readonly res_id?: string
      readonly class?: string
    }
    readonly rank: number
    readonly explanation: string
  }
  readonly active?: {
    readonly def_id: string
    readonly deploy_id: string
    readonly criterion?: {
      readonly env_type?: string
      readonly app_id?: string
      readonly env_id?: string
      readonly res_id?: string
      readonly class?: string
    }
    readonly explanation?: string
  }
}

export type Organization = {
  readonly id: string
  readonly name: string
  readonly created_at: string
  readonly created_by: string
  readonly trial_expires_at: string | null
  readonly logo: { readonly [key: string]: string }
}

export type PatchOperation = {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string
  readonly value?: unknown
}

export type PipelineRun = {
  readonly id: string
  readonly etag: string
  readonly org_id: string
  readonly app_id: string
  readonly env_ids: readonly string[]
  readonly pipeline_id: string
  readonly pipeline_version: string
  readonly status: 'queued' | 'executing' | 'succeeded' | 'failed'
  readonly status_message: string
  readonly created_at: string
  readonly created_by: string
  readonly timeout_seconds: number
  readonly trigger: string
  readonly inputs: { readonly [key: string]: unknown }
  readonly run_as: string
  readonly waiting_for: { readonly [key: string]: string }
  readonly deployment_id?: string
  readonly completed_at?: string
}

export type PlainDelta = {
  readonly modules: {
    readonly add: { readonly [key: string]: { readonly [key: string]: unknown } }
    readonly remove: readonly string[]
    readonly update: { readonly [key: string]: readonly PatchOperation[] }
  }
  readonly shared: readonly PatchOperation[]
}

export type Registry = {
  readonly id: string
  readonly registry: string
  readonly type: 'public' | 'basic' | 'google_gcr' | 'amazon_ecr' | 'secret_ref'
  readonly enable_ci: boolean
  readonly created_by: string
  readonly created_at: string
  readonly secrets?: { readonly [key: string]: {
    readonly namespace: string
    readonly secret: string
  } }
  readonly status_message?: string
}

export type RegistryCredentials = {
  readonly registry: string
  readonly expires?: string
  readonly secrets?: { readonly [key: string]: {
    readonly namespace: string
    readonly secret: string
  } }
}

export type ResourceAccount = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly is_used: boolean
  readonly created_by: string
  readonly created_at: string
  readonly status_message?: string
}

export type ResourceClass = {
  readonly id: string
  readonly resource_type: string
  readonly description: string
  readonly created_by: string
  readonly created_at: string
}

export type ResourceDefinition = {
  readonly org_id: string
  readonly id: string
  readonly name: string
  readonly type: string
  readonly driver_type: string
  readonly created_at: string
  readonly created_by: string
  readonly is_default: boolean
  readonly is_deleted: boolean
  readonly in_place_driver_change: boolean
  readonly active_version_id: string
  readonly current_version_id: string
  readonly driver_account?: string
  readonly account_id?: string
  readonly driver_inputs?: {
    readonly values?: { readonly [key: string]: unknown }
    readonly secret_refs?: { readonly [key: string]: unknown }
  }
  readonly driver_params?: {
    readonly values?: { readonly [key: string]: unknown }
    readonly secret_refs?: { readonly [key: string]: unknown }
  }
  readonly provision?: { readonly [key: string]: {
    readonly is_dependent?: boolean
    readonly match_dependents?: boolean
    readonly params?: { readonly [key: string]: unknown }
  } }
  readonly criteria?: readonly {
    readonly id: string
    readonly class: string
    readonly env_type?: string
    readonly app_id?: string
    readonly env_id?: string
    readonly res_id?: string
  }[]
  readonly updated_at?: string
  readonly updated_by?: string
  readonly status_message?: string
}

export type ResourceDefinitionVersion = {
  readonly org_id: string
  readonly id: string
  readonly name: string
  readonly type: string
  readonly driver_type: string
  readonly created_at: string
  readonly created_by: string
  readonly is_default: boolean
  readonly is_deleted: boolean
  readonly in_place_driver_change: boolean
  readonly active_version_id: string
  readonly current_version_id: string
  readonly def_id: string
  readonly action: 'created' | 'updated' | 'deleted'
  readonly archived: boolean
  readonly active: boolean
  readonly proposed: boolean
  readonly driver_account: string
  readonly driver_inputs: {
    readonly values?: { readonly [key: string]: unknown }
    readonly secret_refs?: { readonly [key: string]: unknown }
  }
  readonly provision: { readonly [key: string]: {
    readonly is_dependent?: boolean
    readonly match_dependents?: boolean
    readonly params?: { readonly [key: string]: unknown }
  } }
  readonly updated_at: string
  readonly account_id?: string
  readonly driver_params?: {
    readonly values?: { readonly [key: string]: unknown }
    readonly secret_refs?: { readonly [key: string]: unknown }
  }
  readonly criteria?: readonly {
    readonly id: string
    readonly class: string
    readonly env_type?: string
    readonly app_id?: string
    readonly env_id?: string
    readonly res_id?: string
  }[]
  readonly updated_by?: string
  readonly status_message?: string
}

export type ResourceType = {
  readonly type: string
  readonly name: string
  readonly use: 'direct' | 'indirect' | 'implicit'
  readonly category: string
  readonly inputs_schema: { readonly [key: string]: unknown }
  readonly outputs_schema: { readonly [key: string]: unknown }
  readonly status_message?: string
}

export type RestoredScore = {
  readonly workload_id: string
  readonly omitted: readonly string[]
  readonly spec?: { readonly [key: string]: unknown }
  readonly extensions?: { readonly [key: string]: unknown }
}

export type RuntimeController = {
  readonly kind: string
  readonly replicas: number
  readonly status: 'Success' | 'Failure' | 'Warning' | 'Stopped' | 'Unknown'
  readonly message: string
  readonly revision: number
  readonly pods: readonly RuntimePod[]
}

export type RuntimeControllerV2 = {
  readonly kind: string
  readonly replicas: number
  readonly status: 'Running' | 'Succeeded' | 'Starting' | 'Partially Succeeded' | 'Failed' | 'Stopped' | 'Unknown'
  readonly message: string
  readonly revision: number
  readonly pods: readonly RuntimePod[]
}

export type RuntimePod = {
  readonly podName: string
  readonly revision: number
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
  readonly status: 'Success' | 'Pending' | 'Failure' | 'Unknown'
  readonly containerStatuses: readonly ContainerStatus[]
}

export type ScoreRequest = {
  readonly spec?: { readonly [key: string]: unknown } | null
  readonly yaml?: string | null
  readonly image?: string | null
  readonly overrides?: { readonly [key: string]: unknown } | null
  readonly property_overrides?: { readonly [key: string]: unknown } | null
  readonly resource_type_aliases?: { readonly [key: string]: string } | null
  readonly extensions?: { readonly [key: string]: unknown } | null
}

export type SigningSecret = {
  readonly signing_secret: string
}

export type Token = {
  readonly id: string
  readonly type: 'static'
  readonly description: string
  readonly created_by: string
  readonly created_at: string
  readonly expires_at?: string
}

export type UserProfile = {
  readonly id: string
  readonly name: string
  readonly type: 'user' | 'service' | 'group' | 'system'
  readonly created_at: string
  readonly properties: { readonly [key: string]: unknown }
  readonly roles: { readonly [key: string]: string }
  readonly email?: string
}

export type UserRole = {
  readonly id: string
  readonly name: string
  readonly type: 'user' | 'service' | 'group' | 'system'
  readonly role: string
  readonly created_at: string
  readonly email?: string
}

export type Value = {
  readonly key: string
  readonly value: string
  readonly is_secret: boolean
  readonly description: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly source: 'app' | 'env'
  readonly secret_key: string | null
  readonly secret_store_id: string | null
  readonly secret_version: string | null
}

export type ValueSetVersion = {
  readonly id: string
  readonly values: { readonly [key: string]: Value }
  readonly change: readonly {
    readonly op: 'add' | 'remove' | 'replace'
    readonly path: string
    readonly value?: unknown
  }[]
  readonly comment: string
  readonly created_at: string
  readonly created_by: string
  readonly updated_at: string
  readonly result_of: string | null
  readonly source_value_set_version_id: string | null
}

export type Webhook = {
  readonly url: string
  readonly headers: { readonly [key: string]: string } | null
  readonly payload: unknown
  readonly triggers: readonly {
    readonly scope: 'environment' | 'deployment'
    readonly type: 'created' | 'deleted' | 'started' | 'finished'
  }[]
  readonly disabled: boolean
  readonly id: string
  readonly created_at: string
  readonly created_by: string
}

export type WebhookCall = {
  readonly id: string
  readonly event: string
  readonly event_id: string
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly created_at: string
  readonly response_status?: number
  readonly message?: string
  readonly finished_at?: string
  readonly next_attempt_at?: string
}

/** Path, query and body of each request, and the body of its answer. A media type after the path names an alternative answer. */
export interface Operations {
  'GET /orgs': {
    path: {}
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly Organization[]
  }
  'GET /orgs/{org_id}': {
    path: { org_id: string }
    query: {}
    body: undefined
    answer: Organization
  }
  'GET /orgs/{org_id}/env-types': {
    path: { org_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly EnvironmentType[]
  }
  'POST /orgs/{org_id}/env-types': {
    path: { org_id: string }
    query: {}
    body: {
      readonly id: string
      readonly description?: string | null
    }
    answer: EnvironmentType
  }
  'GET /orgs/{org_id}/env-types/{env_type_id}': {
    path: { org_id: string; env_type_id: string }
    query: {}
    body: undefined
    answer: EnvironmentType
  }
  'PATCH /orgs/{org_id}/env-types/{env_type_id}': {
    path: { org_id: string; env_type_id: string }
    query: {}
    body: {
      readonly description?: string | null
    }
    answer: EnvironmentType
  }
  'DELETE /orgs/{org_id}/env-types/{env_type_id}': {
    path: { org_id: string; env_type_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /orgs/{org_id}/apps': {
    path: { org_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly Application[]
  }
  'POST /orgs/{org_id}/apps': {
    path: { org_id: string }
    query: {}
    body: {
      readonly id: string
      readonly name: string
      readonly env?: {
        readonly id: string
        readonly name: string
        readonly type: string
      } | null
      readonly skip_environment_creation?: boolean | null
    }
    answer: Application
  }
  'GET /orgs/{org_id}/apps/{app_id}': {
    path: { org_id: string; app_id: string }
    query: {}
    body: undefined
    answer: Application
  }
  'PATCH /orgs/{org_id}/apps/{app_id}': {
    path: { org_id: string; app_id: string }
    query: {}
    body: {
      readonly name: string
    }
    answer: Application
  }
  'DELETE /orgs/{org_id}/apps/{app_id}': {
    path: { org_id: string; app_id: string }
    query: {}
    body: undefined
    answer: {
      readonly status_message?: string
    }
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs': {
    path: { org_id: string; app_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly Environment[]
  }
  'POST /orgs/{org_id}/apps/{app_id}/envs': {
    path: { org_id: string; app_id: string }
    query: {}
    body: {
      readonly id: string
      readonly name: string
      readonly type?: string | null
      readonly from_deploy_id?: string | null
    }
    answer: Environment
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: undefined
    answer: Environment
  }
  'DELETE /orgs/{org_id}/apps/{app_id}/envs/{env_id}': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: undefined
    answer: {
      readonly status_message?: string
    }
  }
  'PATCH /orgs/{org_id}/apps/{app_id}/envs/{env_id}': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: {
      readonly name?: string | null
      readonly type?: string | null
    }
    answer: Environment
  }
  'PUT /orgs/{org_id}/apps/{app_id}/envs/{env_id}/from_deploy_id': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: string
    answer: undefined
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/changes': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: undefined
    answer: string
  }
  'GET /orgs/{org_id}/resources/types': {
    path: { org_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly ResourceType[]
  }
  'POST /orgs/{org_id}/resources/types': {
    path: { org_id: string }
    query: {}
    body: {
      readonly type: string
      readonly use: 'direct' | 'indirect'
      readonly name?: string | null
      readonly category?: string | null
      readonly inputs_schema?: { readonly [key: string]: unknown } | null
      readonly outputs_schema?: { readonly [key: string]: unknown } | null
    }
    answer: ResourceType
  }
  'GET /orgs/{org_id}/resources/types/{type_id}': {
    path: { org_id: string; type_id: string }
    query: {}
    body: undefined
    answer: ResourceType
  }
  'PATCH /orgs/{org_id}/resources/types/{type_id}': {
    path: { org_id: string; type_id: string }
    query: {}
    body: {
      readonly use?: 'direct' | 'indirect' | null
      readonly name?: string | null
      readonly category?: string | null
      readonly inputs_schema?: { readonly [key: string]: unknown } | null
      readonly outputs_schema?: { readonly [key: string]: unknown } | null
    }
    answer: ResourceType
  }
  'PUT /orgs/{org_id}/resources/types/{type_id}': {
    path: { org_id: string; type_id: string }
    query: {}
    body: {
      readonly use: 'direct' | 'indirect'
      readonly name?: string | null
      readonly category?: string | null
      readonly inputs_schema?: { readonly [key: string]: unknown } | null
      readonly outputs_schema?: { readonly [key: string]: unknown } | null
    }
    answer: ResourceType
  }
  'DELETE /orgs/{org_id}/resources/types/{type_id}': {
    path: { org_id: string; type_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /orgs/{org_id}/resources/classes': {
    path: { org_id: string }
    query: {}
    body: undefined
    answer: readonly ResourceClass[]
  }
  'GET /orgs/{org_id}/resources/types/{type_id}/classes': {
    path: { org_id: string; type_id: string }
    query: {}
    body: undefined
    answer: readonly ResourceClass[]
  }
  'POST /orgs/{org_id}/resources/types/{type_id}/classes': {
    path: { org_id: string; type_id: string }
    query: {}
    body: {
      readonly id: string
      readonly description: string
    }
    answer: ResourceClass
  }
  'GET /orgs/{org_id}/resources/types/{type_id}/classes/{class_id}': {
    path: { org_id: string; type_id: string; class_id: string }
    query: {}
    body: undefined
    answer: ResourceClass
  }
  'PATCH /orgs/{org_id}/resources/types/{type_id}/classes/{class_id}': {
    path: { org_id: string; type_id: string; class_id: string }
    query: {}
    body: {
      readonly description: string
    }
    answer: ResourceClass
  }
  'DELETE /orgs/{org_id}/resources/types/{type_id}/classes/{class_id}': {
    path: { org_id: string; type_id: string; class_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /orgs/{org_id}/resources/account-types': {
    path: { org_id: string }
    query: {}
    body: undefined
    answer: readonly AccountType[]
  }
  'GET /orgs/{org_id}/resources/accounts': {
    path: { org_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly ResourceAccount[]
  }
  'POST /orgs/{org_id}/resources/accounts': {
    path: { org_id: string }
    query: { dry_run?: string; check_credential?: string }
    body: {
      readonly id: string
      readonly name: string
      readonly type: string
      readonly credentials: { readonly [key: string]: unknown }
    }
    answer: ResourceAccount
  }
  'GET /orgs/{org_id}/resources/accounts/{account_id}': {
    path: { org_id: string; account_id: string }
    query: {}
    body: undefined
    answer: ResourceAccount
  }
  'PATCH /orgs/{org_id}/resources/accounts/{account_id}': {
    path: { org_id: string; account_id: string }
    query: { dry_run?: string; check_credential?: string }
    body: {
      readonly name?: string | null
      readonly credentials?: { readonly [key: string]: unknown } | null
    }
    answer: ResourceAccount
  }
  'DELETE /orgs/{org_id}/resources/accounts/{account_id}': {
    path: { org_id: string; account_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'POST /orgs/{org_id}/resources/accounts/{account_id}/actions/check': {
    path: { org_id: string; account_id: string }
    query: {}
    body: undefined
    answer: AccountCheck
  }
  'GET /orgs/{org_id}/resources/drivers': {
    path: { org_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly Driver[]
  }
  'POST /orgs/{org_id}/resources/drivers': {
    path: { org_id: string }
    query: {}
    body: {
      readonly id: string
      readonly type: string
      readonly target: string
      readonly inputs_schema: { readonly [key: string]: unknown }
      readonly account_types: readonly string[]
      readonly template?: unknown
      readonly is_public?: boolean | null
    }
    answer: Driver
  }
  'GET /orgs/{org_id}/resources/drivers/{driver_id}': {
    path: { org_id: string; driver_id: string }
    query: {}
    body: undefined
    answer: Driver
  }
  'PUT /orgs/{org_id}/resources/drivers/{driver_id}': {
    path: { org_id: string; driver_id: string }
    query: {}
    body: {
      readonly type: string
      readonly target: string
      readonly inputs_schema: { readonly [key: string]: unknown }
      readonly account_types: readonly string[]
      readonly template?: unknown
      readonly is_public?: boolean | null
    }
    answer: Driver
  }
  'DELETE /orgs/{org_id}/resources/drivers/{driver_id}': {
    path: { org_id: string; driver_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /orgs/{org_id}/resources/defs': {
    path: { org_id: string }
    query: { app?: string; env?: string; env_type?: string; res?: string; res_type?: string; class?: string; deleted?: string; limit?: string; cursor?: string }
    body: undefined
    answer: readonly ResourceDefinition[]
  }
  'POST /orgs/{org_id}/resources/defs': {
    path: { org_id: string }
    query: { dry_run?: string }
    body: {
      readonly id: string
      readonly name: string
      readonly type: string
      readonly driver_type: string
      readonly driver_account?: string | null
      readonly account_id?: string | null
      readonly driver_inputs?: {
        readonly values?: { readonly [key: string]: unknown } | null
        readonly secrets?: { readonly [key: string]: unknown } | null
        readonly secret_refs?: { readonly [key: string]: unknown } | null
      } | null
      readonly driver_params?: {
        readonly values?: { readonly [key: string]: unknown } | null
        readonly secrets?: { readonly [key: string]: unknown } | null
        readonly secret_refs?: { readonly [key: string]: unknown } | null
      } | null
      readonly provision?: { readonly [key: string]: {
        readonly is_dependent?: boolean | null
        readonly match_dependents?: boolean | null
        readonly params?: { readonly [key: string]: unknown } | null
      } } | null
      readonly criteria?: readonly {
        readonly env_type?: string | null
        readonly app_id?: string | null
        readonly env_id?: string | null
        readonly res_id?: string | null
        readonly class?: string | null
        readonly id?: string | null
      }[] | null
    }
    answer: ResourceDefinition | DefinitionPreview
  }
  'GET /orgs/{org_id}/resources/defs/{def_id}': {
    path: { org_id: string; def_id: string }
    query: { deleted?: string }
    body: undefined
    answer: ResourceDefinition
  }
  'PUT /orgs/{org_id}/resources/defs/{def_id}': {
    path: { org_id: string; def_id: string }
    query: { dry_run?: string }
    body: {
      readonly name: string
      readonly driver_type?: string | null
      readonly driver_account?: string | null
      readonly account_id?: string | null
      readonly driver_inputs?: {
        readonly values?: { readonly [key: string]: unknown } | null
        readonly secrets?: { readonly [key: string]: unknown } | null
        readonly secret_refs?: { readonly [key: string]: unknown } | null
      } | null
      readonly driver_params?: {
        readonly values?: { readonly [key: string]: unknown } | null
        readonly secrets?: { readonly [key: string]: unknown } | null
        readonly secret_refs?: { readonly [key: string]: unknown } | null
      } | null
      readonly provision?: { readonly [key: string]: {
        readonly is_dependent?: boolean | null
        readonly match_dependents?: boolean | null
        readonly params?: { readonly [key: string]: unknown } | null
      } } | null
    }
    answer: ResourceDefinition | DefinitionPreview
  }
  'PATCH /orgs/{org_id}/resources/defs/{def_id}': {
    path: { org_id: string; def_id: string }
    query: { dry_run?: string }
    body: {
      readonly name?: string | null
      readonly driver_type?: string | null
      readonly driver_account?: string | null
      readonly account_id?: string | null
      readonly driver_inputs?: {
        readonly values?: { readonly [key: string]: unknown } | null
        readonly secrets?: { readonly [key: string]: unknown } | null
        readonly secret_refs?: { readonly [key: string]: unknown } | null
      } | null
      readonly driver_params?: {
        readonly values?: { readonly [key: string]: unknown } | null
        readonly secrets?: { readonly [key: string]: unknown } | null
        readonly secret_refs?: { readonly [key: string]: unknown } | null
      } | null
      readonly provision?: { readonly [key: string]: {
        readonly is_dependent?: boolean | null
        readonly match_dependents?: boolean | null
        readonly params?: { readonly [key: string]: unknown } | null
      } } | null
    }
    answer: ResourceDefinition | DefinitionPreview
  }
  'DELETE /orgs/{org_id}/resources/defs/{def_id}': {
    path: { org_id: string; def_id: string }
    query: { dry_run?: string; force?: string }
    body: undefined
    answer: DefinitionPreview
  }
  'POST /orgs/{org_id}/resources/defs/{def_id}/criteria': {
    path: { org_id: string; def_id: string }
    query: {}
    body: {
      readonly env_type?: string | null
      readonly app_id?: string | null
      readonly env_id?: string | null
      readonly res_id?: string | null
      readonly class?: string | null
      readonly id?: string | null
    }
    answer: {
      readonly id: string
      readonly class: string
      readonly env_type?: string
      readonly app_id?: string
      readonly env_id?: string
      readonly res_id?: string
    }
  }
  'PUT /orgs/{org_id}/resources/defs/{def_id}/criteria': {
    path: { org_id: string; def_id: string }
    query: { dry_run?: string }
    body: readonly {
      readonly env_type?: string | null
      readonly app_id?: string | null
      readonly env_id?: string | null
      readonly res_id?: string | null
      readonly class?: string | null
      readonly id?: string | null
    }[]
    answer: readonly {
      readonly id: string
      readonly class: string
      readonly env_type?: string
      readonly app_id?: string
      readonly env_id?: string
      readonly res_id?: string
    }[] | DefinitionPreview
  }
  'DELETE /orgs/{org_id}/resources/defs/{def_id}/criteria/{criterion_id}': {
    path: { org_id: string; def_id: string; criterion_id: string }
    query: { force?: string }
    body: undefined
    answer: undefined
  }
  'GET /orgs/{org_id}/resources/dynamic': {
    path: { org_id: string }
    query: { app?: string; env?: string; env_type?: string; res?: string; res_type?: string; class?: string; deleted?: string; limit?: string; cursor?: string }
    body: undefined
    answer: readonly ResourceDefinition[]
  }
  'POST /orgs/{org_id}/resources/dynamic': {
    path: { org_id: string }
    query: { dry_run?: string }
    body: {
      readonly id: string
      readonly name: string
      readonly type: string
      readonly driver_type: string
      readonly driver_account?: string | null
      readonly account_id?: string | null
      readonly driver_inputs?: {
        readonly values?: { readonly [key: string]: unknown } | null
        readonly secrets?: { readonly [key: string]: unknown } | null
        readonly secret_refs?: { readonly [key: string]: unknown } | null
      } | null
      readonly driver_params?: {
        readonly values?: { readonly [key: string]: unknown } | null
        readonly secrets?: { readonly [key: string]: unknown } | null
        readonly secret_refs?: { readonly [key: string]: unknown } | null
      } | null
      readonly provision?: { readonly [key: string]: {
        readonly is_dependent?: boolean | null
        readonly match_dependents?: boolean | null
        readonly params?: { readonly [key: string]: unknown } | null
      } } | null
      readonly criteria?: readonly {
        readonly env_type?: string | null
        readonly app_id?: string | null
        readonly env_id?: string | null
        readonly res_id?: string | null
        readonly class?: string | null
        readonly id?: string | null
      }[] | null
    }
    answer: ResourceDefinition | DefinitionPreview
  }
  'GET /orgs/{org_id}/resources/dynamic/{def_id}': {
    path: { org_id: string; def_id: string }
    query: { deleted?: string }
    body: undefined
    answer: ResourceDefinition
  }
  'PUT /orgs/{org_id}/resources/dynamic/{def_id}': {
    path: { org_id: string; def_id: string }
    query: { dry_run?: string }
    body: {
      readonly name: string
      readonly driver_type?: string | null
      readonly driver_account?: string | null
      readonly account_id?: string | null
      readonly driver_inputs?: {
        readonly values?: { readonly [key: string]: unknown } | null
        readonly secrets?: { readonly [key: string]: unknown } | null
        readonly secret_refs?: { readonly [key: string]: unknown } | null
      } | null
      readonly driver_params?: {
        readonly values?: { readonly [key: string]: unknown } | null
        readonly secrets?: { readonly [key: string]: unknown } | null
        readonly secret_refs?: { readonly [key: string]: unknown } | null
      } | null
      readonly provision?: { readonly [key: string]: {
        readonly is_dependent?: boolean | null
        readonly match_dependents?: boolean | null
        readonly params?: { readonly [key: string]: unknown } | null
      } } | null
    }
    answer: ResourceDefinition | DefinitionPreview
  }
  'PATCH /orgs/{org_id}/resources/dynamic/{def_id}': {
    path: { org_id: string; def_id: string }
    query: { dry_run?: string }
    body: {
      readonly name?: string | null
      readonly driver_type?: string | null
      readonly driver_account?: string | null
      readonly account_id?: string | null
      readonly driver_inputs?: {
        readonly values?: { readonly [key: string]: unknown } | null
        readonly secrets?: { readonly [key: string]: unknown } | null
        readonly secret_refs?: { readonly [key: string]: unknown } | null
      } | null
      readonly driver_params?: {
        readonly values?: { readonly [key: string]: unknown } | null
        readonly secrets?: { readonly [key: string]: unknown } | null
        readonly secret_refs?: { readonly [key: string]: unknown } | null
      } | null
      readonly provision?: { readonly [key: string]: {
        readonly is_dependent?: boolean | null
        readonly match_dependents?: boolean | null
        readonly params?: { readonly [key: string]: unknown } | null
      } } | null
    }
    answer: ResourceDefinition | DefinitionPreview
  }
  'DELETE /orgs/{org_id}/resources/dynamic/{def_id}': {
    path: { org_id: string; def_id: string }
    query: { dry_run?: string; force?: string }
    body: undefined
    answer: DefinitionPreview
  }
  'POST /orgs/{org_id}/resources/dynamic/{def_id}/criteria': {
    path: { org_id: string; def_id: string }
    query: {}
    body: {
      readonly env_type?: string | null
      readonly app_id?: string | null
      readonly env_id?: string | null
      readonly res_id?: string | null
      readonly class?: string | null
      readonly id?: string | null
    }
    answer: {
      readonly id: string
      readonly class: string
      readonly env_type?: string
      readonly app_id?: string
      readonly env_id?: string
      readonly res_id?: string
    }
  }
  'PUT /orgs/{org_id}/resources/dynamic/{def_id}/criteria': {
    path: { org_id: string; def_id: string }
    query: { dry_run?: string }
    body: readonly {
      readonly env_type?: string | null
      readonly app_id?: string | null
      readonly env_id?: string | null
      readonly res_id?: string | null
      readonly class?: string | null
      readonly id?: string | null
    }[]
    answer: readonly {
      readonly id: string
      readonly class: string
      readonly env_type?: string
      readonly app_id?: string
      readonly env_id?: string
      readonly res_id?: string
    }[] | DefinitionPreview
  }
  'DELETE /orgs/{org_id}/resources/dynamic/{def_id}/criteria/{criterion_id}': {
    path: { org_id: string; def_id: string; criterion_id: string }
    query: { force?: string }
    body: undefined
    answer: undefined
  }
  'GET /orgs/{org_id}/resources/defs/{def_id}/versions': {
    path: { org_id: string; def_id: string }
    query: { deleted?: string; per_page?: string; page?: string }
    body: undefined
    answer: readonly ResourceDefinitionVersion[]
  }
  'GET /orgs/{org_id}/resources/defs/{def_id}/versions/{version_id}': {
    path: { org_id: string; def_id: string; version_id: string }
    query: { deleted?: string }
    body: undefined
    answer: ResourceDefinitionVersion
  }
  'GET /orgs/{org_id}/apps/{app_id}/deltas': {
    path: { org_id: string; app_id: string }
    query: { archived?: string; env?: string; limit?: string; cursor?: string }
    body: undefined
    answer: readonly Delta[]
  }
  'POST /orgs/{org_id}/apps/{app_id}/deltas': {
    path: { org_id: string; app_id: string }
    query: {}
    body: DeltaRequest
    answer: Delta
  }
  'GET /orgs/{org_id}/apps/{app_id}/deltas/{delta_id}': {
    path: { org_id: string; app_id: string; delta_id: string }
    query: {}
    body: undefined
    answer: Delta
  }
  'PATCH /orgs/{org_id}/apps/{app_id}/deltas/{delta_id}': {
    path: { org_id: string; app_id: string; delta_id: string }
    query: {}
    body: readonly DeltaRequest[]
    answer: Delta
  }
  'PUT /orgs/{org_id}/apps/{app_id}/deltas/{delta_id}': {
    path: { org_id: string; app_id: string; delta_id: string }
    query: {}
    body: DeltaRequest
    answer: undefined
  }
  'PUT /orgs/{org_id}/apps/{app_id}/deltas/{delta_id}/metadata/archived': {
    path: { org_id: string; app_id: string; delta_id: string }
    query: {}
    body: boolean
    answer: undefined
  }
  'PUT /orgs/{org_id}/apps/{app_id}/deltas/{delta_id}/archived': {
    path: { org_id: string; app_id: string; delta_id: string }
    query: {}
    body: boolean
    answer: undefined
  }
  'PUT /orgs/{org_id}/apps/{app_id}/deltas/{delta_id}/metadata/env_id': {
    path: { org_id: string; app_id: string; delta_id: string }
    query: {}
    body: string
    answer: undefined
  }
  'PUT /orgs/{org_id}/apps/{app_id}/deltas/{delta_id}/env_id': {
    path: { org_id: string; app_id: string; delta_id: string }
    query: {}
    body: string
    answer: undefined
  }
  'PUT /orgs/{org_id}/apps/{app_id}/deltas/{delta_id}/metadata/name': {
    path: { org_id: string; app_id: string; delta_id: string }
    query: {}
    body: string
    answer: undefined
  }
  'PUT /orgs/{org_id}/apps/{app_id}/deltas/{delta_id}/name': {
    path: { org_id: string; app_id: string; delta_id: string }
    query: {}
    body: string
    answer: undefined
  }
  'GET /orgs/{org_id}/apps/{app_id}/sets': {
    path: { org_id: string; app_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly DeploymentSet[]
  }
  'GET /orgs/{org_id}/apps/{app_id}/sets/{set_id}': {
    path: { org_id: string; app_id: string; set_id: string }
    query: { diff?: string }
    body: undefined
    answer: DeploymentSet | PlainDelta
  }
  'POST /orgs/{org_id}/apps/{app_id}/sets/{set_id}': {
    path: { org_id: string; app_id: string; set_id: string }
    query: {}
    body: DeltaRequest
    answer: string
  }
  'GET /orgs/{org_id}/apps/{app_id}/sets/{set_id}/diff/{source_set_id}': {
    path: { org_id: string; app_id: string; set_id: string; source_set_id: string }
    query: {}
    body: undefined
    answer: PlainDelta
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys': {
    path: { org_id: string; app_id: string; env_id: string }
    query: { pipelineRunId?: string; limit?: string; cursor?: string }
    body: undefined
    answer: readonly Deployment[]
  }
  'POST /orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys': {
    path: { org_id: string; app_id: string; env_id: string }
    query: { dry_run?: string }
    body: {
      readonly delta_id?: string | null
      readonly set_id?: string | null
      readonly comment?: string | null
      readonly value_set_version_id?: string | null
      readonly mode?: 'full' | 'incremental' | null
      readonly delta?: DeltaToDeployRequest | null
      readonly score?: readonly ScoreRequest[] | null
      readonly base_set_id?: string | null
      readonly pipeline?: {
        readonly id: string
        readonly run_id: string
        readonly job_id: string
        readonly step_index: number
      } | null
    }
    answer: DeploymentPlan
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys/{deploy_id}': {
    path: { org_id: string; app_id: string; env_id: string; deploy_id: string }
    query: {}
    body: undefined
    answer: Deployment
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys/{deploy_id}/errors': {
    path: { org_id: string; app_id: string; env_id: string; deploy_id: string }
    query: {}
    body: undefined
    answer: readonly DeploymentError[]
  }
  'POST /orgs/{org_id}/apps/{app_id}/pipeline-runs': {
    path: { org_id: string; app_id: string }
    query: { dry_run?: string }
    body: {
      readonly env_id: string
      readonly delta_id?: string | null
      readonly set_id?: string | null
      readonly comment?: string | null
      readonly value_set_version_id?: string | null
      readonly mode?: 'full' | 'incremental' | null
      readonly trigger?: 'deployment_request' | null
      readonly deployment_id?: string | null
    }
    answer: PipelineRun
  }
  'GET /orgs/{org_id}/apps/{app_id}/pipelines/{pipeline_id}/runs/{run_id}': {
    path: { org_id: string; app_id: string; pipeline_id: string; run_id: string }
    query: {}
    body: undefined
    answer: PipelineRun
  }
  'POST /orgs/{org_id}/artefact-versions/convert-score': {
    path: { org_id: string }
    query: {}
    body: ScoreRequest
    answer: ConvertedScore
  }
  'GET /orgs/{org_id}/apps/{app_id}/sets/{set_id}/score': {
    path: { org_id: string; app_id: string; set_id: string }
    query: {}
    body: undefined
    answer: readonly RestoredScore[]
  }
  'GET /orgs/{org_id}/artefacts': {
    path: { org_id: string }
    query: { type?: string; name?: string; limit?: string; cursor?: string }
    body: undefined
    answer: readonly Artefact[]
  }
  'DELETE /orgs/{org_id}/artefacts/{artefact_id}': {
    path: { org_id: string; artefact_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /orgs/{org_id}/artefacts/{artefact_id}/versions': {
    path: { org_id: string; artefact_id: string }
    query: { archived?: string; reference?: string; limit?: string; cursor?: string }
    body: undefined
    answer: readonly ArtefactVersion[]
  }
  'PATCH /orgs/{org_id}/artefacts/{artefact_id}/versions/{artefact_version_id}': {
    path: { org_id: string; artefact_id: string; artefact_version_id: string }
    query: {}
    body: {
      readonly archived: boolean
    }
    answer: ArtefactVersion
  }
  'GET /orgs/{org_id}/artefact-versions': {
    path: { org_id: string }
    query: { name?: string; reference?: string; archived?: string; type?: string; app?: string; limit?: string; cursor?: string }
    body: undefined
    answer: readonly ArtefactVersion[]
  }
  'POST /orgs/{org_id}/artefact-versions': {
    path: { org_id: string }
    query: { vcs?: string; dry_run?: string }
    body: {
      readonly type: 'container' | 'workload'
      readonly name: string
      readonly version?: string | null
      readonly ref?: string | null
      readonly commit?: string | null
      readonly digest?: string | null
      readonly spec?: { readonly [key: string]: unknown } | null
      readonly image?: string | null
      readonly overrides?: { readonly [key: string]: unknown } | null
      readonly property_overrides?: { readonly [key: string]: unknown } | null
      readonly resource_type_aliases?: { readonly [key: string]: string } | null
      readonly extensions?: { readonly [key: string]: unknown } | null
    }
    answer: ArtefactVersion
  }
  'GET /orgs/{org_id}/artefact-versions/{artefact_version_id}': {
    path: { org_id: string; artefact_version_id: string }
    query: {}
    body: undefined
    answer: ArtefactVersion
  }
  'GET /orgs/{org_id}/artefact-versions/{artefact_version_id}/workload-spec': {
    path: { org_id: string; artefact_version_id: string }
    query: {}
    body: undefined
    answer: { readonly [key: string]: unknown }
  }
  'GET /orgs/{org_id}/artefact-versions/{artefact_version_id}/workload-deployment-set': {
    path: { org_id: string; artefact_version_id: string }
    query: {}
    body: undefined
    answer: ConvertedScore
  }
  'GET /orgs/{org_id}/images': {
    path: { org_id: string }
    query: {}
    body: undefined
    answer: readonly Image[]
  }
  'GET /orgs/{org_id}/images/{image_id}': {
    path: { org_id: string; image_id: string }
    query: {}
    body: undefined
    answer: Image
  }
  'GET /orgs/{org_id}/images/{image_id}/builds': {
    path: { org_id: string; image_id: string }
    query: {}
    body: undefined
    answer: readonly ImageBuild[]
  }
  'POST /orgs/{org_id}/images/{image_id}/builds': {
    path: { org_id: string; image_id: string }
    query: {}
    body: {
      readonly branch?: string | null
      readonly commit?: string | null
      readonly image?: string | null
      readonly tags?: readonly string[] | null
    }
    answer: undefined
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/rules': {
    path: { org_id: string; app_id: string; env_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly AutomationRule[]
  }
  'POST /orgs/{org_id}/apps/{app_id}/envs/{env_id}/rules': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: {
      readonly type: 'update'
      readonly active?: boolean | null
      readonly artefacts_filter?: readonly string[] | null
      readonly exclude_artefacts_filter?: boolean | null
      readonly match_ref?: string | null
      readonly images_filter?: readonly string[] | null
      readonly exclude_images_filter?: boolean | null
      readonly match?: string | null
      readonly update_to?: '' | 'branch' | 'tag' | null
    }
    answer: AutomationRule
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/rules/{rule_id}': {
    path: { org_id: string; app_id: string; env_id: string; rule_id: string }
    query: {}
    body: undefined
    answer: AutomationRule
  }
  'PUT /orgs/{org_id}/apps/{app_id}/envs/{env_id}/rules/{rule_id}': {
    path: { org_id: string; app_id: string; env_id: string; rule_id: string }
    query: {}
    body: {
      readonly type: 'update'
      readonly active?: boolean | null
      readonly artefacts_filter?: readonly string[] | null
      readonly exclude_artefacts_filter?: boolean | null
      readonly match_ref?: string | null
      readonly images_filter?: readonly string[] | null
      readonly exclude_images_filter?: boolean | null
      readonly match?: string | null
      readonly update_to?: '' | 'branch' | 'tag' | null
    }
    answer: AutomationRule
  }
  'DELETE /orgs/{org_id}/apps/{app_id}/envs/{env_id}/rules/{rule_id}': {
    path: { org_id: string; app_id: string; env_id: string; rule_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /orgs/{org_id}/registries': {
    path: { org_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly Registry[]
  }
  'POST /orgs/{org_id}/registries': {
    path: { org_id: string }
    query: {}
    body: {
      readonly id: string
      readonly registry: string
      readonly type: 'public' | 'basic' | 'google_gcr' | 'amazon_ecr' | 'secret_ref'
      readonly creds?: {
        readonly username: string
        readonly password: string
        readonly expires?: string | null
      } | null
      readonly secrets?: { readonly [key: string]: {
        readonly namespace: string
        readonly secret: string
      } } | null
      readonly enable_ci?: boolean | null
    }
    answer: Registry
  }
  'GET /orgs/{org_id}/registries/{registry_id}': {
    path: { org_id: string; registry_id: string }
    query: {}
    body: undefined
    answer: Registry
  }
  'PATCH /orgs/{org_id}/registries/{registry_id}': {
    path: { org_id: string; registry_id: string }
    query: {}
    body: {
      readonly id?: string | null
      readonly registry?: string | null
      readonly type?: 'public' | 'basic' | 'google_gcr' | 'amazon_ecr' | 'secret_ref' | null
      readonly creds?: {
        readonly username: string
        readonly password: string
        readonly expires?: string | null
      } | null
      readonly secrets?: { readonly [key: string]: {
        readonly namespace: string
        readonly secret: string
      } } | null
      readonly enable_ci?: boolean | null
    }
    answer: Registry
  }
  'DELETE /orgs/{org_id}/registries/{registry_id}': {
    path: { org_id: string; registry_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /orgs/{org_id}/registries/{registry_id}/creds': {
    path: { org_id: string; registry_id: string }
    query: {}
    body: undefined
    answer: RegistryCredentials
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: undefined
    answer: EnvironmentRuntime
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime application/v2+json': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: undefined
    answer: EnvironmentRuntimeV2
  }
  'GET /orgs/{org_id}/apps/{app_id}/runtime': {
    path: { org_id: string; app_id: string }
    query: { id?: string | readonly string[] }
    body: undefined
    answer: readonly EnvironmentRuntimeStatus[]
  }
  'PUT /orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime/paused': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: boolean
    answer: undefined
  }
  'PATCH /orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime/replicas': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: { readonly [key: string]: number | null }
    answer: undefined
  }
  'POST /orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime/actions/restart': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: {
      readonly workloads?: readonly string[] | null
    }
    answer: undefined
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources': {
    path: { org_id: string; app_id: string; env_id: string }
    query: { scheduled_deletion?: string; limit?: string; cursor?: string }
    body: undefined
    answer: readonly ActiveResource[]
  }
  'GET /orgs/{org_id}/resources/defs/{def_id}/resources': {
    path: { org_id: string; def_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly ActiveResource[]
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/{res_type}/{res_id}': {
    path: { org_id: string; app_id: string; env_id: string; res_type: string; res_id: string }
    query: {}
    body: undefined
    answer: ActiveResourceDetails
  }
  'DELETE /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/{res_type}/{res_id}': {
    path: { org_id: string; app_id: string; env_id: string; res_type: string; res_id: string }
    query: { detach?: string }
    body: undefined
    answer: {
      readonly status_message?: string
    }
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/{res_type}/{res_id}/events': {
    path: { org_id: string; app_id: string; env_id: string; res_type: string; res_id: string }
    query: {}
    body: undefined
    answer: readonly ActiveResourceEvent[]
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/explain': {
    path: { org_id: string; app_id: string; env_id: string }
    query: { type: string; class?: string; id?: string }
    body: undefined
    answer: MatchExplanation
  }
  'POST /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/graphs': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: readonly GraphResourceRequest[]
    answer: Graph
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/graphs/{graph_id}': {
    path: { org_id: string; app_id: string; env_id: string; graph_id: string }
    query: {}
    body: undefined
    answer: Graph
  }
  'POST /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/graph': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: readonly GraphResourceRequest[]
    answer: readonly GraphNode[]
  }
  'GET /orgs/{org_id}/apps/{app_id}/sets/{set_id}/resources': {
    path: { org_id: string; app_id: string; set_id: string }
    query: {}
    body: undefined
    answer: readonly GraphResource[]
  }
  'GET /orgs/{org_id}/apps/{app_id}/values': {
    path: { org_id: string; app_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly Value[]
  }
  'POST /orgs/{org_id}/apps/{app_id}/values': {
    path: { org_id: string; app_id: string }
    query: {}
    body: {
      readonly key: string
      readonly description: string | null
      readonly value?: string | null
      readonly is_secret?: boolean | null
      readonly secret_ref?: {
        readonly store?: string | null
        readonly ref?: string | null
        readonly version?: string | null
        readonly value?: string | null
      } | null
    }
    answer: Value
  }
  'DELETE /orgs/{org_id}/apps/{app_id}/values': {
    path: { org_id: string; app_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'PUT /orgs/{org_id}/apps/{app_id}/values/{value_key}': {
    path: { org_id: string; app_id: string; value_key: string }
    query: {}
    body: {
      readonly description: string | null
      readonly key?: string | null
      readonly value?: string | null
      readonly is_secret?: boolean | null
      readonly secret_ref?: {
        readonly store?: string | null
        readonly ref?: string | null
        readonly version?: string | null
        readonly value?: string | null
      } | null
    }
    answer: Value
  }
  'PATCH /orgs/{org_id}/apps/{app_id}/values/{value_key}': {
    path: { org_id: string; app_id: string; value_key: string }
    query: {}
    body: {
      readonly description?: string | null
      readonly value?: string | null
      readonly secret_ref?: {
        readonly store?: string | null
        readonly ref?: string | null
        readonly version?: string | null
        readonly value?: string | null
      } | null
    }
    answer: Value
  }
  'DELETE /orgs/{org_id}/apps/{app_id}/values/{value_key}': {
    path: { org_id: string; app_id: string; value_key: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/values': {
    path: { org_id: string; app_id: string; env_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly Value[]
  }
  'POST /orgs/{org_id}/apps/{app_id}/envs/{env_id}/values': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: {
      readonly key: string
      readonly description: string | null
      readonly value?: string | null
      readonly is_secret?: boolean | null
      readonly secret_ref?: {
        readonly store?: string | null
        readonly ref?: string | null
        readonly version?: string | null
        readonly value?: string | null
      } | null
    }
    answer: Value
  }
  'DELETE /orgs/{org_id}/apps/{app_id}/envs/{env_id}/values': {
    path: { org_id: string; app_id: string; env_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'PUT /orgs/{org_id}/apps/{app_id}/envs/{env_id}/values/{value_key}': {
    path: { org_id: string; app_id: string; env_id: string; value_key: string }
    query: {}
    body: {
      readonly description: string | null
      readonly key?: string | null
      readonly value?: string | null
      readonly is_secret?: boolean | null
      readonly secret_ref?: {
        readonly store?: string | null
        readonly ref?: string | null
        readonly version?: string | null
        readonly value?: string | null
      } | null
    }
    answer: Value
  }
  'PATCH /orgs/{org_id}/apps/{app_id}/envs/{env_id}/values/{value_key}': {
    path: { org_id: string; app_id: string; env_id: string; value_key: string }
    query: {}
    body: {
      readonly description?: string | null
      readonly value?: string | null
      readonly secret_ref?: {
        readonly store?: string | null
        readonly ref?: string | null
        readonly version?: string | null
        readonly value?: string | null
      } | null
    }
    answer: Value
  }
  'DELETE /orgs/{org_id}/apps/{app_id}/envs/{env_id}/values/{value_key}': {
    path: { org_id: string; app_id: string; env_id: string; value_key: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /orgs/{org_id}/apps/{app_id}/value-set-versions': {
    path: { org_id: string; app_id: string }
    query: { key_changed?: string }
    body: undefined
    answer: readonly ValueSetVersion[]
  }
  'GET /orgs/{org_id}/apps/{app_id}/value-set-versions/{value_set_version_id}': {
    path: { org_id: string; app_id: string; value_set_version_id: string }
    query: {}
    body: undefined
    answer: ValueSetVersion
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/value-set-versions': {
    path: { org_id: string; app_id: string; env_id: string }
    query: { key_changed?: string }
    body: undefined
    answer: readonly ValueSetVersion[]
  }
  'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/value-set-versions/{value_set_version_id}': {
    path: { org_id: string; app_id: string; env_id: string; value_set_version_id: string }
    query: {}
    body: undefined
    answer: ValueSetVersion
  }
  'GET /orgs/{org_id}/apps/{app_id}/webhooks': {
    path: { org_id: string; app_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly Webhook[]
  }
  'POST /orgs/{org_id}/apps/{app_id}/webhooks': {
    path: { org_id: string; app_id: string }
    query: {}
    body: {
      readonly id: string
      readonly url: string
      readonly headers?: { readonly [key: string]: string } | null
      readonly payload?: { readonly [key: string]: unknown } | null
      readonly triggers?: readonly {
        readonly scope: 'environment' | 'deployment'
        readonly type: 'created' | 'deleted' | 'started' | 'finished'
      }[] | null
      readonly disabled?: boolean | null
    }
    answer: CreatedWebhook
  }
  'GET /orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}': {
    path: { org_id: string; app_id: string; webhook_id: string }
    query: {}
    body: undefined
    answer: Webhook
  }
  'PATCH /orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}': {
    path: { org_id: string; app_id: string; webhook_id: string }
    query: {}
    body: {
      readonly id?: string | null
      readonly url?: string | null
      readonly headers?: { readonly [key: string]: string } | null
      readonly payload?: { readonly [key: string]: unknown } | null
      readonly triggers?: readonly {
        readonly scope: 'environment' | 'deployment'
        readonly type: 'created' | 'deleted' | 'started' | 'finished'
      }[] | null
      readonly disabled?: boolean | null
    }
    answer: Webhook
  }
  'DELETE /orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}': {
    path: { org_id: string; app_id: string; webhook_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'DELETE /orgs/{org_id}/apps/{app_id}/jobs': {
    path: { org_id: string; app_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'POST /orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}/actions/rotate-secret': {
    path: { org_id: string; app_id: string; webhook_id: string }
    query: {}
    body: undefined
    answer: SigningSecret
  }
  'GET /orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}/calls': {
    path: { org_id: string; app_id: string; webhook_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly WebhookCall[]
  }
  'POST /orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}/calls/{call_id}/redeliver': {
    path: { org_id: string; app_id: string; webhook_id: string; call_id: string }
    query: {}
    body: undefined
    answer: {
      readonly status_message?: string
    }
  }
  'GET /orgs/{org_id}/events': {
    path: { org_id: string }
    query: {}
    body: undefined
    answer: readonly Event[]
  }
  'GET /orgs/{org_id}/audit-logs': {
    path: { org_id: string }
    query: { from?: string; to?: string; user_id?: string; result?: 'success' | 'refused' | 'failed'; per_page?: string; page?: string }
    body: undefined
    answer: readonly AuditRecord[]
  }
  'GET /current-user': {
    path: {}
    query: {}
    body: undefined
    answer: UserProfile
  }
  'PATCH /current-user': {
    path: {}
    query: {}
    body: {
      readonly name?: string | null
      readonly email?: string | null
    }
    answer: UserProfile
  }
  'GET /users/me': {
    path: {}
    query: {}
    body: undefined
    answer: UserProfile
  }
  'PATCH /users/me': {
    path: {}
    query: {}
    body: {
      readonly name?: string | null
      readonly email?: string | null
    }
    answer: UserProfile
  }
  'GET /orgs/{org_id}/users': {
    path: { org_id: string }
    query: { type?: 'user' | 'service' | 'group' | 'system'; limit?: string; cursor?: string }
    body: undefined
    answer: readonly UserRole[]
  }
  'POST /orgs/{org_id}/users': {
    path: { org_id: string }
    query: {}
    body: {
      readonly name: string
      readonly role: 'member' | 'artefactContributor' | 'orgViewer' | 'manager' | 'administrator'
      readonly email?: string | null
    }
    answer: UserRole
  }
  'GET /orgs/{org_id}/users/{user_id}': {
    path: { org_id: string; user_id: string }
    query: {}
    body: undefined
    answer: UserRole
  }
  'PATCH /orgs/{org_id}/users/{user_id}': {
    path: { org_id: string; user_id: string }
    query: {}
    body: {
      readonly role: 'member' | 'artefactContributor' | 'orgViewer' | 'manager' | 'administrator'
    }
    answer: UserRole
  }
  'DELETE /orgs/{org_id}/users/{user_id}': {
    path: { org_id: string; user_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /orgs/{org_id}/users/{user_id}/perms': {
    path: { org_id: string; user_id: string }
    query: {}
    body: undefined
    answer: {
      readonly objects: { readonly [key: string]: {
        readonly permissions: readonly string[]
      } }
    }
  }
  'GET /orgs/{org_id}/apps/{app_id}/users': {
    path: { org_id: string; app_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly UserRole[]
  }
  'POST /orgs/{org_id}/apps/{app_id}/users': {
    path: { org_id: string; app_id: string }
    query: {}
    body: {
      readonly id: string
      readonly role: 'viewer' | 'developer' | 'owner'
    }
    answer: UserRole
  }
  'GET /orgs/{org_id}/apps/{app_id}/users/{user_id}': {
    path: { org_id: string; app_id: string; user_id: string }
    query: {}
    body: undefined
    answer: UserRole
  }
  'PATCH /orgs/{org_id}/apps/{app_id}/users/{user_id}': {
    path: { org_id: string; app_id: string; user_id: string }
    query: {}
    body: {
      readonly role: 'viewer' | 'developer' | 'owner'
    }
    answer: UserRole
  }
  'DELETE /orgs/{org_id}/apps/{app_id}/users/{user_id}': {
    path: { org_id: string; app_id: string; user_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /orgs/{org_id}/env-types/{env_type_id}/users': {
    path: { org_id: string; env_type_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly UserRole[]
  }
  'POST /orgs/{org_id}/env-types/{env_type_id}/users': {
    path: { org_id: string; env_type_id: string }
    query: {}
    body: {
      readonly id: string
      readonly role: 'deployer'
    }
    answer: UserRole
  }
  'GET /orgs/{org_id}/env-types/{env_type_id}/users/{user_id}': {
    path: { org_id: string; env_type_id: string; user_id: string }
    query: {}
    body: undefined
    answer: UserRole
  }
  'PATCH /orgs/{org_id}/env-types/{env_type_id}/users/{user_id}': {
    path: { org_id: string; env_type_id: string; user_id: string }
    query: {}
    body: {
      readonly role: 'deployer'
    }
    answer: UserRole
  }
  'DELETE /orgs/{org_id}/env-types/{env_type_id}/users/{user_id}': {
    path: { org_id: string; env_type_id: string; user_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /users/{user_id}/tokens': {
    path: { user_id: string }
    query: { limit?: string; cursor?: string }
    body: undefined
    answer: readonly Token[]
  }
  'POST /users/{user_id}/tokens': {
    path: { user_id: string }
    query: {}
    body: {
      readonly id: string
      readonly type?: 'static' | null
      readonly description?: string | null
      readonly expires_at?: string | null
    }
    answer: {
      readonly token: string
      readonly type: 'static'
    }
  }
  'GET /users/{user_id}/tokens/{token_id}': {
    path: { user_id: string; token_id: string }
    query: {}
    body: undefined
    answer: Token
  }
  'DELETE /users/{user_id}/tokens/{token_id}': {
    path: { user_id: string; token_id: string }
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /auth/sign-in': {
    path: {}
    query: {}
    body: undefined
    answer: string
  }
  'GET /auth/session': {
    path: {}
    query: {}
    body: undefined
    answer: {
      readonly expires_at?: string
      readonly identity_provider?: string
    }
  }
  'POST /auth/session': {
    path: {}
    query: {}
    body: {
      readonly token: string
    }
    answer: {
      readonly token: string
      readonly expires_at: string
    }
  }
  'DELETE /auth/session': {
    path: {}
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /auth/oidc': {
    path: {}
    query: {}
    body: undefined
    answer: undefined
  }
  'GET /auth/oidc/callback': {
    path: {}
    query: { code?: string; state?: string; iss?: string; error?: string }
    body: undefined
    answer: undefined
  }
  'GET /livez': {
    path: {}
    query: {}
    body: undefined
    answer: {
      readonly status: string
    }
  }
  'GET /readyz': {
    path: {}
    query: {}
    body: undefined
    answer: {
      readonly status: string
      readonly status_message?: string
    }
  }
  'GET /metrics': {
    path: {}
    query: {}
    body: undefined
    answer: string
  }
  'GET /openapi.json': {
    path: {}
    query: {}
    body: undefined
    answer: { readonly [key: string]: unknown }
  }
  'GET /docs': {
    path: {}
    query: {}
    body: undefined
    answer: string
  }
  'GET /docs/{file}': {
    path: { file: string }
    query: {}
    body: undefined
    answer: string
  }
}
