import { copyError, Stalled, withoutSideEffects } from '../../domain/base/errors.ts'
import { lengthOf } from '../../domain/base/size-limits.ts'
import { resourceUrl } from '../../domain/definition/third-party.ts'
import { secretTextsOf } from '../../domain/module/secret-text.ts'
import type { DriverDescriptor } from '../../domain/resource/driver.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { Driver, Provisioned } from '../driver.ts'
import {
  likelySecretWords,
  plainObjects,
  plainOutputs,
  plainParams,
  refuseLeak,
  secretWordsOfParams,
} from '../secret-leak.ts'
import { readOutputData } from './output-data.ts'
import { exchange, type Poll } from './polling.ts'

/** More than a status and a Secret can hold; longer outputs are not searched for secrets. */
const mostOutputs = 2 * 1024 * 1024
const defaultPoll: Poll = { firstMs: 1000, mostMs: 10_000, withinMs: 5000 }

/** A driver that calls a third-party server at `target` over HTTP and returns its cookie to it. */
export function createHttpDriver(options: {
  readonly descriptor: DriverDescriptor
  readonly target: string
  readonly outbound: Outbound
  readonly poll?: Poll
}): Driver {
  const { descriptor, target, outbound, poll = defaultPoll } = options
  const name = `driver '${descriptor.name}'`

  return {
    descriptor,
    async provision(request) {
      const { guResId, context, type, values, secrets, account, params, namespace, cookie, signal, hold } =
        request
      const input = {
        type,
        resource: params,
        driver: { values, secrets: { ...secrets, ...(account ? { account } : {}) } },
      }
      const { text } = await exchange(
        {
          name,
          method: 'PUT',
          url: urlFor(target, guResId, name),
          body: JSON.stringify(input),
          done: [200],
          cookie,
          signal,
          owner: context.organizationId,
          hold,
          secrets: [secrets, account, secretTextsOf(request)],
        },
        outbound,
        poll,
      )
      const provisioned = readAnswer(text, namespace, name)
      const { values: outputs } = provisioned.outputs
      if (lengthOf(outputs, mostOutputs) > mostOutputs)
        throw new Stalled(
          'OutputsTooLarge',
          `the outputs of ${name} are longer than ${mostOutputs} characters`,
        )
      const words = [
        ...likelySecretWords([secrets, account], [values, plainParams(request)]),
        ...secretWordsOfParams(request),
      ]
      const whose = ` of ${name}`
      refuseLeak([...plainOutputs(outputs, whose), ...plainObjects(provisioned.objects, whose)], words)
      return provisioned
    },
    async deprovision({ guResId, context, account, cookie, signal }) {
      await exchange(
        {
          name,
          method: 'DELETE',
          url: urlFor(target, guResId, name),
          // A driver that does not know the resource has nothing to delete.
          done: [200, 204, 404, 410],
          cookie,
          signal,
          owner: context.organizationId,
          secrets: account,
        },
        outbound,
        poll,
      )
      await cookie?.write(undefined)
    },
  }
}

/** Reads the answer of a driver. The error names the driver. */
function readAnswer(text: string, namespace: string, name: string): Provisioned {
  try {
    return readOutputData(text, namespace)
  } catch (error) {
    if (!(error instanceof Stalled)) throw error
    throw copyError(error, { message: `${name}: ${error.message}` })
  }
}

function urlFor(target: string, guResId: string, name: string): string {
  const url = resourceUrl(target, guResId)
  if (url !== undefined) return url
  throw withoutSideEffects(new Stalled('TargetRefused', `${name} is not called: its target is not a URL`))
}
