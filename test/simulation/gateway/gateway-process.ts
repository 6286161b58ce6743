import { Registry } from 'prom-client'
import { createGateway } from '../../../api-gateway/gateway.ts'
import { catalogue } from '../../../operator/drivers/catalogue.ts'
import { type Cluster, openCluster } from '../../../operator/kube/cache/cluster.ts'
import { kindsInStore } from '../../../operator/kube/cache/kinds-in-store.ts'
import { keeperDescriptor } from '../outside/keeper.ts'
import { makerDescriptor } from '../outside/maker.ts'
import { namer } from '../outside/namer.ts'
import { clientOf } from '../process/client.ts'
import type { Life } from '../process/life.ts'
import { logOf } from '../process/process.ts'
import { silentMetrics } from '../process/silent-metrics.ts'
import type { Surroundings } from '../surroundings.ts'
import { serverNow } from '../time/replace-globals.ts'
import {
  exchange,
  openStream,
  type Reader,
  type RestAnswer,
  type RestRequest,
  type Stream,
} from './exchange.ts'

const descriptors = [...catalogue, makerDescriptor, keeperDescriptor, namer.descriptor]
/** No user of a run is refused for the number of requests. */
const settings = { requestsPerSecond: 1e6, burst: 1e6 }

/** One process of the gateway: all that `api-gateway/main.ts` puts together, without its server and the watch of the lease. */
export class GatewayProcess {
  readonly life: Life
  readonly cluster: Cluster
  readonly #gateway: ReturnType<typeof createGateway>
  readonly #metrics = new Registry()
  readonly #end = Promise.withResolvers<undefined>()

  constructor(surroundings: Surroundings, life: Life) {
    this.life = life
    const log = logOf(surroundings, life)
    this.cluster = openCluster({ client: clientOf(surroundings, life), log, kinds: kindsInStore })
    this.#gateway = createGateway({
      cluster: this.cluster,
      log,
      catalogue: descriptors,
      settings,
      metrics: { ...silentMetrics, registry: this.#metrics },
      serverNow,
    })
  }

  /** Answers a request; undefined when the process ends before. */
  handle(request: RestRequest): Promise<RestAnswer | undefined> {
    return Promise.race([exchange(this.#gateway.handle, request), this.#end.promise])
  }

  /** Follows an answer that is sent in parts; the status at its end is undefined when the process ends before. */
  stream(
    request: RestRequest,
    reader: Reader,
  ): Pick<Stream, 'close'> & { ended: Promise<number | undefined> } {
    const { ended, close } = openStream(this.#gateway.handle, request, reader)
    return { ended: Promise.race([ended, this.#end.promise]), close }
  }

  metricsText(): Promise<string> {
    return this.#metrics.metrics()
  }

  /** Frees what the process has, after its end. */
  close(): void {
    this.#end.resolve(undefined)
    void this.#gateway.close()
    void this.cluster.close()
  }
}
