import type { ResourceTypeInfo, TypeUse } from './type-info.ts'

type Fields = Readonly<Record<string, object>>

const text = { type: 'string' }
const whole = { type: 'integer' }
const port = { type: 'integer', minimum: 1, maximum: 65535 }
const flag = { type: 'boolean' }
const anyObject = { type: 'object' }
const credentials = { username: text, password: text }

/** A type by its properties. All are optional and others are allowed, because the outputs of drivers differ. */
function builtIn(
  type: string,
  name: string,
  use: TypeUse,
  category: string,
  { inputs = {}, values = {}, secrets = {} }: { inputs?: Fields; values?: Fields; secrets?: Fields } = {},
): ResourceTypeInfo {
  return {
    type,
    name,
    use,
    category,
    inputsSchema: schemaOf(inputs),
    outputsSchema: { type: 'object', properties: { values: schemaOf(values), secrets: schemaOf(secrets) } },
  }
}

function schemaOf(properties: Fields): Record<string, unknown> {
  return { type: 'object', properties }
}

const database = { values: { host: text, port, name: text }, secrets: credentials }
const instance = { values: { host: text, port, instance: text, name: text }, secrets: credentials }
const queue = { values: { url: text, arn: text, region: text } }

/** The resource types of every organization. */
export const builtInTypes: readonly ResourceTypeInfo[] = [
  builtIn('agent', 'Agent', 'indirect', 'k8s', { secrets: { url: text } }),
  builtIn('amqp', 'AMQP', 'direct', 'messaging', {
    values: { host: text, port, vhost: text },
    secrets: credentials,
  }),
  builtIn('aws-policy', 'AWS Policy', 'indirect', 'aws', { values: { arn: text } }),
  builtIn('aws-role', 'AWS Role', 'indirect', 'aws', { values: { arn: text } }),
  builtIn('azure-blob', 'Azure Blob', 'direct', 'datastore', { values: { account: text, container: text } }),
  builtIn('base-env', 'Base Environment', 'implicit', 'general', { inputs: { id: text } }),
  builtIn('cassandra', 'Cassandra', 'direct', 'datastore', {
    values: { host: text, port, keyspace: text },
    secrets: credentials,
  }),
  builtIn('config', 'Config', 'indirect', 'general'),
  builtIn('dns', 'DNS', 'direct', 'network', {
    inputs: { ip_address: text, ipv6_address: text, name: text, aws_hosted_zone: text },
    values: { host: text, tls_secret_name: text },
  }),
  builtIn('elasticsearch', 'Elasticsearch', 'direct', 'datastore', {
    values: { host: text, port },
    secrets: credentials,
  }),
  builtIn('endpoint', 'Endpoint', 'direct', 'network', {
    values: { scheme: text, host: text, port, path: text, query: text, fragment: text },
    secrets: { ...credentials, url: text },
  }),
  builtIn('gcp-iam-policy-binding', 'GCP IAM Policy Binding', 'indirect', 'gcp'),
  builtIn('gcp-pubsub-subscription', 'GCP Pub/Sub Subscription', 'direct', 'messaging', {
    values: { name: text, id: text },
  }),
  builtIn('gcp-pubsub-topic', 'GCP Pub/Sub Topic', 'direct', 'messaging', {
    values: { name: text, id: text },
  }),
  builtIn('gcp-service-account', 'GCP Service Account', 'indirect', 'gcp', { values: { email: text } }),
  builtIn('gcs', 'GCS Bucket', 'direct', 'datastore', { values: { name: text } }),
  builtIn('horizontal-pod-autoscaler', 'Horizontal Pod Autoscaler', 'direct', 'k8s', {
    inputs: { minReplicas: whole, maxReplicas: whole, targetCPUUtilizationPercentage: whole },
  }),
  builtIn('ingress', 'Ingress', 'indirect', 'network', {
    inputs: { host: text, rules: anyObject, tls_secret_name: text },
    values: { id: text, no_tls: flag },
  }),
  builtIn('k8s-cluster', 'Kubernetes Cluster', 'implicit', 'k8s', {
    values: {
      cluster_type: text,
      cluster_data: anyObject,
      name: text,
      region: text,
      zone: text,
      project_id: text,
      loadbalancer: text,
      loadbalancer_hosted_zone: text,
    },
    secrets: { credentials: {}, agent_url: text },
  }),
  builtIn('k8s-namespace', 'Kubernetes Namespace', 'implicit', 'k8s', { values: { namespace: text } }),
  builtIn('k8s-service-account', 'Kubernetes Service Account', 'indirect', 'k8s', { values: { name: text } }),
  builtIn('kafka-topic', 'Kafka Topic', 'direct', 'messaging', {
    values: { host: text, port, name: text, num_partitions: whole },
    secrets: credentials,
  }),
  builtIn('logging', 'Logging', 'implicit', 'general'),
  builtIn('mariadb', 'MariaDB', 'direct', 'datastore', database),
  builtIn('mongodb', 'MongoDB', 'direct', 'datastore', {
    values: { host: text, port, name: text },
    secrets: { ...credentials, connection: text },
  }),
  builtIn('mssql', 'Microsoft SQL Server', 'direct', 'datastore', {
    values: { server: text, host: text, port, database: text, name: text },
    secrets: { ...credentials, connection: text },
  }),
  builtIn('mysql', 'MySQL', 'direct', 'datastore', database),
  builtIn('mysql-instance', 'MySQL Instance', 'indirect', 'datastore', instance),
  builtIn('postgres', 'PostgreSQL', 'direct', 'datastore', {
    inputs: { extensions: anyObject },
    ...database,
  }),
  builtIn('postgres-instance', 'PostgreSQL Instance', 'indirect', 'datastore', instance),
  builtIn('rabbitmq', 'RabbitMQ', 'direct', 'messaging', {
    values: { host: text, port, vhost: text },
    secrets: credentials,
  }),
  builtIn('redis', 'Redis', 'direct', 'datastore', { values: { host: text, port }, secrets: credentials }),
  builtIn('route', 'Route', 'direct', 'network', {
    inputs: { host: text, path: text, port: {} },
    values: { host: text, path: text, port: {}, service: text },
  }),
  builtIn('s3', 'S3 Bucket', 'direct', 'datastore', {
    values: { bucket: text, region: text, arn: text },
    secrets: { aws_access_key_id: text, aws_secret_access_key: text },
  }),
  builtIn('service-port', 'Service Port', 'direct', 'network', {
    inputs: { workload: text, port: {} },
    values: { hostname: text, port },
  }),
  builtIn('sns-topic', 'SNS Topic', 'direct', 'messaging', queue),
  builtIn('sqs', 'SQS Queue', 'direct', 'messaging', queue),
  builtIn('tls-cert', 'TLS Certificate', 'indirect', 'network', { values: { tls_secret_name: text } }),
  builtIn('volume', 'Volume', 'direct', 'datastore'),
  builtIn('workload', 'Workload', 'implicit', 'score', {
    inputs: { id: text, profile: text, spec: anyObject, deploy: anyObject },
    values: { update: { type: 'array' } },
  }),
]
