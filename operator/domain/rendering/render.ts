import type { KubeObject } from '../../api/kind.ts'
import type { FreeForm } from '../../api/schema.ts'
import { contentAnnotation, selectorLabels, standardLabels, type WorkloadIdentity } from '../module/labels.ts'
import type { ReadModule } from '../module/module-problems.ts'
import type { Module } from '../module/module-schema.ts'
import { objectNames } from '../module/names.ts'
import { sortedEntries } from './container.ts'
import { Contents } from './contents.ts'
import { hasOwnAccount } from './pod.ts'
import type { PodParts } from './pod-parts.ts'
import { workloadObjects } from './workload-objects.ts'

/** What the objects of a workload are rendered from. */
export interface RenderInput {
  readonly workload: WorkloadIdentity
  readonly organizationId: string
  readonly namespace: string
  /** A module without problems, whose placeholders are resolved. */
  readonly read: ReadModule
  readonly parts: readonly PodParts[]
  /** Keyed hash, so that the annotation on pods does not help to guess weak secrets. */
  hash(value: unknown): string
}

/** The objects of a workload, what they use first. Equal input gives equal objects. */
export function renderWorkload(input: RenderInput): { objects: KubeObject[]; problems: readonly string[] } {
  const { workload, read, namespace } = input
  const problems: string[] = []
  const contents = new Contents(workload.id)
  const ofPods = workloadObjects[read.kind]({
    workload,
    resourceKey: `${input.organizationId}/${workload.guResId}`,
    module: read.module,
    deploy: read.deploy,
    parts: input.parts,
    contents,
    report: (problem) => problems.push(problem),
    finish: (template) => withContentHash(template, contents, input),
  })
  const labels = { ...read.module.labels, ...standardLabels(workload) }
  const objects = [
    ...(hasOwnAccount(read.module) ? [serviceAccount(workload)] : []),
    ...configMap(workload, contents),
    ...secret(workload, contents),
    ...service(workload, read.module),
  ].map((each) => ({
    ...each,
    metadata: { ...each.metadata, labels: { ...labels, ...each.metadata.labels } },
  }))
  const placed = [...objects, ...ofPods].map((each) => ({
    ...each,
    metadata: { ...each.metadata, namespace },
  }))
  return { objects: placed.map(withoutUndefined), problems }
}

/** The template with the hash of everything that the pods read from the ConfigMap and the Secret. */
function withContentHash(
  { metadata, spec }: { readonly metadata: FreeForm; readonly spec: FreeForm },
  contents: Contents,
  { hash }: RenderInput,
): FreeForm {
  const { secretData, configData, configBinaryData } = contents
  const content = [secretData, configData, configBinaryData]
  if (content.every((each) => Object.keys(each).length === 0)) return { metadata, spec }
  const annotations = { ...(metadata.annotations as FreeForm), [contentAnnotation]: hash(content) } // of `podTemplate`
  return { metadata: { ...metadata, annotations }, spec }
}

function serviceAccount({ id }: WorkloadIdentity): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: id },
    automountServiceAccountToken: false,
  }
}

function configMap({ id }: WorkloadIdentity, { configData, configBinaryData }: Contents): KubeObject[] {
  const [data, binaryData] = [configData, configBinaryData].map((each) =>
    Object.keys(each).length > 0 ? each : undefined,
  )
  if (!data && !binaryData) return []
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: objectNames.files(id) }, data, binaryData },
  ]
}

function secret({ id }: WorkloadIdentity, { secretData: data }: Contents): KubeObject[] {
  if (Object.keys(data).length === 0) return []
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: objectNames.secrets(id) }, type: 'Opaque', data },
  ]
}

function service(workload: WorkloadIdentity, { service }: Module): KubeObject[] {
  if (!service) return []
  const {
    ports,
    type = 'ClusterIP',
    headless,
    session_affinity: sessionAffinity,
    labels,
    annotations,
  } = service
  const spec = {
    type,
    clusterIP: headless ? 'None' : undefined,
    sessionAffinity,
    selector: selectorLabels(workload),
    ports: sortedEntries(ports).map(
      ([
        name,
        {
          service_port: port,
          container_port: targetPort = port,
          protocol = 'TCP',
          app_protocol: appProtocol,
        },
      ]) => ({
        name,
        port,
        targetPort,
        protocol,
        appProtocol,
      }),
    ),
  }
  return [{ apiVersion: 'v1', kind: 'Service', metadata: { name: workload.id, labels, annotations }, spec }]
}

/** The object as JSON has it. */
function withoutUndefined(object: KubeObject): KubeObject {
  return JSON.parse(JSON.stringify(object)) as KubeObject // the same object
}
