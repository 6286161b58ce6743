import type { FreeForm } from '../../api/schema.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { isObject } from '../../domain/base/json.ts'
import { problemsOfInputs } from '../../domain/definition/definition.ts'
import type { DriverDescriptor } from '../../domain/resource/driver.ts'
import type { Templates } from '../../templates/templates.ts'
import type { Driver, ProvisionRequest } from '../driver.ts'
import { renderTemplates, templateData } from '../rendering.ts'
import { refuseLeak, secretWords, secretWordsOfParams } from '../secret-leak.ts'

/** A driver that renders the inputs of another driver with a template. */
export interface VirtualDriver {
  readonly descriptor: DriverDescriptor
  /** A template of YAML, or data whose texts are templates: `{values, secrets}`, or the values alone. */
  readonly template: unknown
  readonly inner: Driver
  readonly templates: Templates
}

/** A driver that renders the inputs and delegates to the inner driver. */
export function createVirtualDriver({ descriptor, template, inner, templates }: VirtualDriver): Driver {
  // Rendered once for each request: a random part must be the same in the identity and in what is provisioned.
  const innerRequests = new WeakMap<ProvisionRequest, Promise<ProvisionRequest>>()
  const innerRequest = (request: ProvisionRequest): Promise<ProvisionRequest> => {
    const known = innerRequests.get(request) ?? rendered(request)
    innerRequests.set(request, known)
    return known
  }
  const rendered = async (request: ProvisionRequest): Promise<ProvisionRequest> => {
    const steps = [{ name: 'template', template, reads: 'yaml' as const }]
    const results = await renderTemplates(templates, steps, templateData(request), request)
    const inputs = inputsOf(results.template)
    const words = [...secretWords(request.secrets), ...secretWordsOfParams(request)]
    refuseLeak([["the template's 'values'", inputs.values]], words)
    const problems = problemsOfInputs(inner.descriptor, inputs)
    if (problems.length > 0) throw new Stalled('InvalidInputs', problems.join('; '))
    return { ...request, ...inputs }
  }
  return {
    descriptor,
    async identify(request) {
      return inner.identify ? inner.identify(await innerRequest(request)) : {}
    },
    async provision(request) {
      return inner.provision(await innerRequest(request))
    },
    deprovision: (request) => inner.deprovision(request),
  }
}

function inputsOf(result: unknown): { values: FreeForm; secrets: FreeForm } {
  const map = mapOf('template', result)
  if (!('values' in map) && !('secrets' in map)) return { values: map, secrets: {} }
  return { values: mapOf('values', map.values), secrets: mapOf('secrets', map.secrets) }
}

function mapOf(name: string, value: unknown): FreeForm {
  if (value === undefined || value === null || value === '') return {}
  if (!isObject(value)) throw new Stalled('InvalidInputs', `'${name}' of the virtual driver must give a map`)
  return value
}
