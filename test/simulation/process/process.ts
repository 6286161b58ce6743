import type { Config } from '../../../operator/config.ts'
import { type Cluster, openCluster } from '../../../operator/kube/cache/cluster.ts'
import { kindsInStore } from '../../../operator/kube/cache/kinds-in-store.ts'
import {
  createSecretBindings,
  type SecretBindings,
  withSecretBindings,
} from '../../../operator/kube/client/secret-bindings.ts'
import type { Log, LogFields } from '../../../operator/log.ts'
import { type Operator, startOperator } from '../../../operator/operator.ts'
import { noTracing } from '../../../operator/tracing/tracing.ts'
import { driversOf } from '../outside/drivers.ts'
import type { Outside } from '../outside/outside.ts'
import { receiverOf } from '../outside/receiver.ts'
import { secretMark } from '../secret-mark.ts'
import type { Surroundings } from '../surroundings.ts'
import { serverNow } from '../time/replace-globals.ts'
import { clientOf } from './client.ts'
import { type Counts, startCounts } from './counts.ts'
import type { Life } from './life.ts'
import { configOf } from './settings.ts'

/**
 * One process of the operator: all that `operator/main.ts` puts together, except the health endpoint, the metrics, and the
 * thread of the election. Its caches follow the API server from the start, and its loops begin when it leads.
 */
export class Process {
  readonly life: Life
  /** Whether it leads, or has led. */
  hasLed = false
  readonly counts: Counts = startCounts()
  readonly #surroundings: Surroundings
  readonly #outside: Outside
  readonly #log: Log
  readonly #cluster: Cluster
  readonly #config: Config
  readonly #bindings: SecretBindings | undefined
  #operator: Operator | undefined

  constructor(surroundings: Surroundings, outside: Outside, life: Life) {
    this.#surroundings = surroundings
    this.#outside = outside
    this.life = life
    this.#log = logOf(surroundings, life)
    this.#config = configOf(surroundings)
    const direct = clientOf(surroundings, life)
    this.#bindings = surroundings.features.rights ? createSecretBindings(direct) : undefined
    const client = this.#bindings ? withSecretBindings(direct, this.#bindings) : direct
    this.#cluster = openCluster({ client, log: this.#log, kinds: kindsInStore })
  }

  /** Whether its loops run. */
  get isWorking(): boolean {
    return this.#operator !== undefined && this.life.isLeader
  }

  async lead(): Promise<void> {
    const { life } = this
    this.hasLed = true
    life.isLeader = true
    this.#surroundings.journal.note(`LEADS p${life.id}`)
    try {
      const operator = await startOperator({
        cluster: this.#cluster,
        config: this.#config,
        outbound: receiverOf(this.#surroundings, this.#outside, life),
        secretBindings: this.#bindings,
        openDrivers: (installationId, hash) =>
          driversOf(this.#surroundings, this.#outside, life, { installationId, hash, ...this.#config }),
        log: this.#log,
        metrics: this.counts.metrics,
        tracing: noTracing,
        isActive: () => life.isLeader,
        serverNow,
      })
      this.#operator = operator
      if (!life.isAlive) await operator.stop()
    } catch (error) {
      this.#surroundings.journal.note(`p${life.id} did not start: ${String(error)}`)
      life.end('CRASH')
    }
  }

  /** Starts no further work; resolves when running work has ended. */
  async stop(): Promise<void> {
    await this.#operator?.stop()
  }

  /** Frees what the process has, after its end. */
  close(): void {
    void this.#operator?.stop()
    void this.#cluster.close()
  }
}

/** Writes the lines of a process to the journal, none of which may contain a secret. */
export function logOf({ journal }: Surroundings, life: Life): Log {
  const write =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      if (!life.isAlive) return
      const { error } = fields
      const text = JSON.stringify({ ...fields, ...(error instanceof Error ? { error: error.stack } : {}) })
      journal.note(`p${life.id} ${level} ${message} ${withoutPlaces(text)}`)
      if (text.includes(secretMark)) journal.violation('No line of the log contains a secret.', message, text)
    }
  return { debug: () => undefined, info: write('info'), warn: write('warn'), error: write('error') }
}

/** Stacks have the place of the repository, which differs from machine to machine. */
function withoutPlaces(text: string): string {
  return text.replaceAll(/file:\/\/[^"\s)]*\/(?=(?:operator|test|node_modules)\/)/g, '')
}
