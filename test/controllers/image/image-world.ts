import { setTimeout } from 'node:timers/promises'
import { Application } from '../../../operator/api/application.ts'
import { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { AutomationRule } from '../../../operator/api/automation-rule.ts'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { type Kind, newObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { Workload } from '../../../operator/api/workload.ts'
import { artefactVersionController } from '../../../operator/controllers/image/artefact-version.ts'
import { automationRuleController } from '../../../operator/controllers/image/automation-rule.ts'
import { applyDelta, deltaContent } from '../../../operator/domain/delta/delta.ts'
import { isFinished } from '../../../operator/domain/deployment/deployment.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import type { Controller } from '../../../operator/kube/loop/controller.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { isReady } from '../../../operator/kube/loop/outcome.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { clusterOf, type Death, type Process, startProcess } from '../support/process.ts'

const namespace = 'acme'
const environmentName = 'shop.dev'
const place = { applicationName: 'shop', environmentId: 'dev' }
const [succeeded, failed] = ['Ready', 'Stalled'].map((type) => ({
  conditions: [{ type, status: 'True', reason: 'Reconciled', message: '', lastTransitionTime: '' }],
}))

/** The images that the environment runs at first. */
export const firstImages = { a: 'r.test/a:0', b: 'r.test/b:0' }

/** An automatic deployment: the versions that it names, and the images that its delta gives. */
export interface Automatic {
  readonly name: string
  readonly versions: readonly string[]
  readonly images: readonly string[]
}

/** The environment `shop.dev` with two containers, an operator that deploys new images, and deployments that end on demand. */
export interface ImageWorld {
  readonly fake: FakeCluster
  /** The requests of all processes. */
  readonly log: string[]
  start(death?: Death): void
  register(name: string, spec: Partial<ArtefactVersion['spec']>): void
  archive(name: string): void
  rule(name: string, spec?: Partial<AutomationRule['spec']>): void
  removeRule(name: string): void
  /** Makes a Workload the owner of a module. */
  own(module: string): void
  /** Adds a module with these images to the deployed set. */
  addModule(module: string, images: Readonly<Record<string, string>>): void
  /** Starts a deployment of someone else. */
  deployOther(): void
  /** Ends the deployment that runs, if any. */
  endDeployment(isSuccess?: boolean): void
  /** Waits for a state. Starts new processes for those that die. */
  until(isReached: () => boolean): Promise<void>
  /** Waits until the targets of all versions are known, and none waits for anything but the end of a deployment. */
  settled(): Promise<void>
  /** Ends all deployments, until no version waits. */
  untilQuiet(): Promise<void>
  outcomes(): Readonly<Record<string, string | undefined>>
  automatic(): Automatic[]
  /** The images that the environment runs. */
  running(): Readonly<Record<string, unknown>>
  close(): void
}

function containersOf(images: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(images).map(([id, image]) => [id, { image }]))
}

export function createImageWorld(): ImageWorld {
  const fake = createFakeCluster()
  const log: string[] = []
  const loops: { stop(): Promise<void> }[] = []
  let process: Process | undefined
  let others = 0
  fake.addOrganization(namespace)
  fake.put(Application, newObject(Application, { namespace, name: 'shop' }, {}))
  fake.put(
    Environment,
    newObject(
      Environment,
      { namespace, name: environmentName },
      { applicationName: 'shop', typeName: 'development' },
    ),
  )
  plan('first', { modules: { web: { spec: { containers: containersOf(firstImages) } } }, shared: {} })

  function plan(deploymentName: string, { modules, shared }: ReturnType<typeof currentSet>) {
    const name = `shop.${deploymentName}`
    fake.put(
      DeploymentSet,
      newObject(DeploymentSet, { namespace, name }, { applicationName: 'shop', modules, shared }),
    )
    fake.setStatus(Environment, namespace, environmentName, {
      lastPlanned: { deploymentName, setName: name },
    })
  }
  function currentSet(): {
    modules: Record<string, Record<string, unknown>>
    shared: Record<string, Record<string, unknown>>
  } {
    const { setName = '' } =
      fake.store.get(Environment, namespace, environmentName)?.status?.lastPlanned ?? {}
    const { modules = {}, shared = {} } = fake.store.get(DeploymentSet, namespace, setName)?.spec ?? {}
    return { modules, shared }
  }
  const versions = () => fake.store.list(ArtefactVersion, namespace)
  const unfinished = () =>
    fake.store.list(EnvironmentDeployment, namespace).filter((each) => !isFinished(each))

  const client = {
    request: async () => ({ metadata: { resourceVersion: '0' }, items: null }), // the lists of a cache barrier
  } as unknown as KubeClient // it makes no other request

  function begin(death?: Death): Process {
    const started = startProcess(log, death)
    const cluster = { ...clusterOf(started, fake), client }
    const isActive = () => started.isAlive
    const run = <K extends Kind>(controller: Controller<K>) =>
      loops.push(
        startController(cluster, controller, { log: silentLog, isActive, backoffMs: { first: 2, most: 2 } }),
      )
    run(automationRuleController(cluster))
    run(artefactVersionController(cluster, 0.004))
    return started
  }
  async function until(isReached: () => boolean) {
    for (let waits = 0; !isReached(); waits += 1) {
      if (process?.isAlive !== true) world.start()
      await setTimeout(1)
      if (waits > 20_000)
        throw new Error(`never reached: ${JSON.stringify(versions().map(({ status }) => status))}`)
    }
  }

  const world: ImageWorld = {
    fake,
    log,
    start(death) {
      if (process) process.isAlive = false
      process = begin(death)
    },
    register(name, spec) {
      if (fake.store.get(ArtefactVersion, namespace, name)) return
      const full = { type: 'container' as const, artefactName: 'r.test/a', ref: 'refs/heads/main', ...spec }
      fake.put(ArtefactVersion, newObject(ArtefactVersion, { namespace, name }, full))
    },
    archive(name) {
      const version = fake.store.get(ArtefactVersion, namespace, name)
      if (version) fake.put(ArtefactVersion, withSpec(version, { ...version.spec, archived: true }))
    },
    rule(name, spec = {}) {
      const known = fake.store.get(AutomationRule, namespace, name)
      if (known) fake.put(AutomationRule, withSpec(known, { ...known.spec, ...spec }))
      else fake.put(AutomationRule, newObject(AutomationRule, { namespace, name }, { ...place, ...spec }))
    },
    removeRule: (name) => fake.drop(AutomationRule, namespace, name),
    own(module) {
      const name = `shop.${module}`
      const spec = { applicationName: 'shop', environmentIds: ['dev'], score: {} }
      fake.put(Workload, newObject(Workload, { namespace, name }, spec))
      fake.setStatus(Workload, namespace, name, { environments: [{ environmentId: 'dev' }] })
    },
    addModule(module, images) {
      const { modules, shared } = currentSet()
      plan(module, {
        modules: { ...modules, [module]: { spec: { containers: containersOf(images) } } },
        shared,
      })
    },
    deployOther() {
      others += 1
      const name = `${environmentName}.${others}`
      fake.put(
        EnvironmentDeployment,
        newObject(EnvironmentDeployment, { namespace, name }, { environmentName }),
      )
    },
    endDeployment(isSuccess = true) {
      const [deployment] = unfinished()
      if (!deployment) return
      const { name } = deployment.metadata
      const { deltaName } = deployment.spec
      const delta =
        deltaName === undefined ? undefined : fake.store.get(DeploymentDelta, namespace, deltaName)
      // A deployment that fails has been planned, as most are.
      if (delta)
        plan(name, applyDelta(currentSet(), deltaContent(delta.spec)) as ReturnType<typeof currentSet>)
      fake.setStatus(EnvironmentDeployment, namespace, name, (isSuccess ? succeeded : failed) ?? {})
    },
    until,
    settled: () =>
      until(() => {
        const isRunning = unfinished().length > 0
        return versions().every(
          (each) => isReady(each) || (isRunning && each.status?.environments !== undefined),
        )
      }),
    async untilQuiet() {
      for (;;) {
        await world.settled()
        if (unfinished().length === 0 && versions().every((each) => isReady(each))) return
        world.endDeployment()
        await setTimeout(1)
      }
    },
    outcomes: () =>
      Object.fromEntries(
        versions().map(({ metadata, status }) => [metadata.name, status?.environments?.[0]?.outcome]),
      ),
    automatic: () =>
      fake.store.list(EnvironmentDeployment, namespace).flatMap(({ metadata, spec }) => {
        const names = metadata.annotations?.[annotations.artefactVersions]
        if (names === undefined) return []
        const delta = fake.store.get(DeploymentDelta, namespace, spec.deltaName ?? '')
        const operations = Object.values(delta?.spec.modules?.update ?? {}).flat()
        const images = operations.map(({ value }) => String(value))
        return [{ name: metadata.name, versions: names.split(','), images }]
      }),
    running() {
      const module = currentSet().modules['web'] as {
        spec: { containers: Record<string, { image: string }> }
      }
      return Object.fromEntries(Object.entries(module.spec.containers).map(([id, { image }]) => [id, image]))
    },
    close() {
      if (process) process.isAlive = false
      for (const each of loops) void each.stop()
    },
  }
  return world
}

/** An object with another spec, as the API server counts it. */
function withSpec<T extends { metadata: { generation?: number }; spec: unknown }>(
  object: T,
  spec: T['spec'],
): T {
  const { generation = 1 } = object.metadata
  return { ...object, metadata: { ...object.metadata, generation: generation + 1 }, spec }
}
