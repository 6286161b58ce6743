import { AccessToken, Membership, User } from '../../../operator/api/access.ts'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Application } from '../../../operator/api/application.ts'
import { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { AutomationRule } from '../../../operator/api/automation-rule.ts'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { EnvironmentType } from '../../../operator/api/environment-type.ts'
import { type Kind, type KubeObject, type Manifest, newObject } from '../../../operator/api/kind.ts'
import { Registry } from '../../../operator/api/registry.ts'
import { ResourceAccount } from '../../../operator/api/resource-account.ts'
import { ResourceClass } from '../../../operator/api/resource-class.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { ResourceDriver } from '../../../operator/api/resource-driver.ts'
import { ResourceType } from '../../../operator/api/resource-type.ts'
import { SharedValue } from '../../../operator/api/shared-value.ts'
import { Webhook, WebhookCall } from '../../../operator/api/webhook.ts'
import { Workload } from '../../../operator/api/workload.ts'

/** A valid object of a kind that makes use of its fields. */
export interface Sample {
  readonly kind: Kind
  readonly object: KubeObject
}

/** One sample of every kind, all in one namespace. */
export function samplesIn(namespace: string): readonly Sample[] {
  const at = (name: string) => ({ name, namespace })
  const operation = { op: 'add' as const, path: '/externals/db', value: null }
  return [
    sample(Application, newObject(Application, at('shop'), { displayName: 'Shop' })),
    sample(EnvironmentType, newObject(EnvironmentType, at('staging'), { description: 'Tests of releases' })),
    sample(
      Environment,
      newObject(Environment, at('shop.dev'), { applicationName: 'shop', typeName: 'staging' }),
    ),
    sample(
      ResourceType,
      newObject(ResourceType, at('s3'), {
        use: 'direct',
        displayName: 'Bucket',
        category: 'datastore',
        inputsSchema: { type: 'object', properties: { versioned: { type: 'boolean', default: null } } },
        outputsSchema: {
          properties: {
            values: { type: 'object', properties: { bucket: { type: 'string', uiHints: { order: 1 } } } },
            secrets: { type: 'object', properties: { key: { type: 'string' } } },
          },
          uiGroups: [{ title: 'Bucket' }],
        },
        classes: [{ name: 'large', description: 'More than a terabyte' }],
      }),
    ),
    sample(
      ResourceClass,
      newObject(ResourceClass, at('mysql.large'), {
        typeName: 'mysql',
        className: 'large',
        description: 'More than a terabyte',
      }),
    ),
    sample(
      Registry,
      newObject(Registry, at('builds'), {
        registry: 'registry.example.test/shop',
        type: 'secret_ref',
        secrets: { '*': { namespace, secret: 'regcred' } },
        enableCi: true,
      }),
    ),
    sample(
      ArtefactVersion,
      newObject(ArtefactVersion, at('backend-1'), {
        type: 'workload',
        artefactName: 'backend',
        version: '1.2.7',
        ref: 'refs/heads/main',
        commit: '884bccaa',
        digest: 'sha256:0f',
        workload: { spec: { apiVersion: 'score.dev/v1b1', service: null }, image: 'backend:1' },
        archived: true,
      }),
    ),
    sample(
      AutomationRule,
      newObject(AutomationRule, at('main'), {
        applicationName: 'shop',
        environmentId: 'dev',
        active: false,
        type: 'update',
        artefactsFilter: ['registry.example.test/shop/web'],
        excludeArtefactsFilter: true,
        matchRef: '^refs/heads/main$',
      }),
    ),
    sample(
      Workload,
      newObject(Workload, at('shop.web'), {
        applicationName: 'shop',
        environmentIds: ['dev'],
        environmentSelector: {
          matchLabels: { tier: 'web' },
          matchExpressions: [{ key: 'zone', operator: 'Exists' }],
        },
        images: [{ environmentId: 'dev', image: 'web:2' }],
        adopt: true,
        score: {
          apiVersion: 'score.dev/v1b1',
          metadata: { name: 'web', 'Any key': null },
          containers: { main: { image: '.' } },
        },
        extension: { spec: { labels: { A_b: null } } },
      }),
    ),
    sample(
      Webhook,
      newObject(Webhook, at('chat'), {
        applicationName: 'shop',
        url: 'https://hooks.example.test/x',
        headers: { 'X-Team': 'shop' },
        payload: { Text: '${status}', list: [1, null] },
        triggers: [{ scope: 'deployment', type: 'finished' }],
        disabled: true,
        signingSecretName: 'chat-signing',
      }),
    ),
    sample(
      WebhookCall,
      newObject(WebhookCall, at('chat.0123'), {
        webhookName: 'chat',
        eventId: '0123',
        event: 'deployment.finished',
        variables: { status: 'succeeded' },
      }),
    ),
    sample(
      ResourceDriver,
      newObject(ResourceDriver, at('small-bucket'), {
        type: 's3',
        target: 'driver://quartermaster/echo',
        inputsSchema: {
          properties: { values: { type: 'object', properties: { Camel_case: { default: null } } } },
        },
        accountTypes: ['aws'],
        template: { values: { bucket: '{{ .id }}', list: [1, null] } },
      }),
    ),
    sample(
      ResourceAccount,
      newObject(ResourceAccount, at('dns-provider'), {
        type: 'cloudflare',
        displayName: 'DNS provider',
        credentialsSecretName: 'dns-provider',
      }),
    ),
    sample(
      ResourceDefinition,
      newObject(ResourceDefinition, at('dns'), {
        type: 'dns',
        driverType: 'humanitec/dns-cloudflare',
        driverInputs: {
          values: { 'snake_case.key': { any: [1, 'x', null] } },
          secretRefs: { tls: { secret: 'tls' } },
        },
        provision: { 'route#x': { isDependent: true, matchDependents: false, params: { path: '/' } } },
        criteria: [{ envType: 'staging', appId: '*' }, {}],
      }),
    ),
    sample(
      SharedValue,
      newObject(SharedValue, at('token'), {
        applicationName: 'shop',
        environmentId: 'dev',
        key: 'API.TOKEN',
        secret: { secret: 'token', key: 'value', version: '2' },
        description: 'Token of the API',
      }),
    ),
    sample(
      DeploymentDelta,
      newObject(DeploymentDelta, at('draft'), {
        applicationName: 'shop',
        modules: { add: { web: { profile: 'p' } }, remove: ['old'], update: { api: [operation] } },
        shared: [operation],
      }),
    ),
    sample(
      DeploymentSet,
      newObject(DeploymentSet, at('shop.abc'), { applicationName: 'shop', modules: { web: {} }, shared: {} }),
    ),
    sample(
      EnvironmentDeployment,
      newObject(EnvironmentDeployment, at('shop.dev.1'), {
        environmentName: 'shop.dev',
        setName: 'shop.abc',
      }),
    ),
    sample(ActiveResource, activeResourceSample(namespace)),
    sample(User, newObject(User, at('robot'), { type: 'service', organizationName: 'acme' })),
    sample(
      AccessToken,
      newObject(AccessToken, at('0123'), {
        userName: 'robot',
        sha256: 'a'.repeat(64),
        expirationTime: '2030-01-01T00:00:00Z',
      }),
    ),
    sample(
      Membership,
      newObject(Membership, at('robot'), {
        role: 'member',
        applications: [{ applicationName: 'shop', role: 'developer' }],
        environmentTypes: [{ environmentTypeName: 'staging', role: 'deployer' }],
      }),
    ),
  ]
}

/** An active resource as an operator would write it. */
export function activeResourceSample(
  namespace: string,
  name = 'f'.repeat(40),
): Manifest<typeof ActiveResource> {
  return newObject(
    ActiveResource,
    { name, namespace },
    {
      environmentName: 'shop.dev',
      deploymentName: 'shop.dev.1',
      context: {
        organizationId: 'acme',
        applicationId: 'shop',
        environmentId: 'dev',
        environmentType: 'staging',
      },
      type: 'dns',
      class: 'default',
      resourceId: 'shared.main',
      definition: {
        definitionName: 'dns',
        driverType: 'quartermaster/echo',
        criterion: { class: 'default' },
      },
      signature: 'none',
      dependsOn: ['e'.repeat(40)],
      references: { dns: ['e'.repeat(40)] },
    },
  )
}

function sample(kind: Kind, object: KubeObject): Sample {
  return { kind, object }
}
