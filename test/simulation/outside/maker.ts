import type { KubeObject } from '../../../operator/api/kind.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import type { DriverDescriptor } from '../../../operator/domain/resource/driver.ts'
import type { Driver, Outputs, ProvisionRequest } from '../../../operator/drivers/driver.ts'
import type { Life } from '../process/life.ts'
import { secretMark } from '../secret-mark.ts'
import { resourceNamed, type Surroundings } from '../surroundings.ts'
import { callProvider } from './calls.ts'
import { checkDeprovision, checkProvision } from './order.ts'
import { instanceKey, type Outside } from './outside.ts'
import { wrappedBy } from './wrappers.ts'

const anything = { type: 'object' } as DriverDescriptor['values'] // accepts all inputs

export const makerDescriptor: DriverDescriptor = {
  name: 'maker',
  description: 'Makes an instance at a provider.',
  account: { types: ['maker'], required: false },
  values: anything,
  secrets: anything,
  neighbours: {},
  takesIngressRules: false,
  remote: true,
  replaceOnChangeOf: ['zone'],
}

/**
 * A driver of a provider. The input `zone` identifies an instance, `version` grows with each change of a definition,
 * `objects` is the number of ConfigMaps, `place` their namespace; with `observes`, outputs come from the objects as they are.
 */
export function makerOf(
  surroundings: Surroundings,
  outside: Outside,
  life: Life,
  descriptor: DriverDescriptor = makerDescriptor,
): Driver {
  return {
    descriptor,
    identify: ({ guResId, values }) => ({ zone: values.zone, key: guResId }),
    async provision(request) {
      const { guResId, values, secrets, type, resourceId } = request
      const key = instanceKey(guResId, descriptor.name, values.zone)
      if (values.refuse === true) throw new Stalled('DriverRefused', 'refused by the values')
      await callProvider(
        surroundings,
        life,
        `provisions ${type}#${resourceId} ${key} v${String(values.version)}`,
        () => {
          checkProvision(surroundings, guResId)
          outside.make(key, { values, secrets })
        },
      )
      const objects = configMapsFor(request)
      if (values.observes !== true) return { outputs: outputsFor(request), objects }
      const none = { values: {}, secrets: {} }
      return { outputs: none, objects, outputsFrom: async ([first]) => outputsFor(request, seenIn(first)) }
    },
    async deprovision({ guResId, identity, type, resourceId }) {
      const key = instanceKey(guResId, descriptor.name, identity.zone)
      await callProvider(surroundings, life, `deprovisions ${type}#${resourceId} ${key}`, () => {
        if (isWanted(surroundings, guResId, key))
          surroundings.journal.violation(
            'An instance that a resource wants is never deprovisioned.',
            `ActiveResource ${guResId}`,
            `${type}#${resourceId} at ${key}`,
          )
        checkDeprovision(surroundings, guResId)
        outside.remove(key)
      })
    },
  }
}

function configMapsFor({ guResId, values }: ProvisionRequest): KubeObject[] {
  const namespace = values.place === undefined ? {} : { namespace: String(values.place) }
  return Array.from({ length: Number(values.objects ?? 0) }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `cm-${guResId.slice(0, 8)}-${index}-${String(values.zone)}`, ...namespace },
    data: { v: String(values.version) },
  }))
}

function outputsFor({ guResId, values, secrets }: ProvisionRequest, seen: FreeForm = {}): Outputs {
  const id = guResId.slice(0, 6)
  return {
    values: { bucket: `b-${String(values.zone)}-${id}`, name: `n-${String(values.version)}`, ...seen },
    secrets: { aws_secret_access_key: secretOutputOf(guResId, { secrets }) },
  }
}

/** The secret output of an instance. */
export function secretOutputOf(guResId: string, { secrets }: Pick<ProvisionRequest, 'secrets'>): string {
  return `${secretMark}-${guResId.slice(0, 6)}-${String(secrets.pw)}`
}

/** What another client wrote beside ours in an object. */
function seenIn(object: KubeObject | undefined): FreeForm {
  const data = object?.data
  return { seen: (isObject(data) ? data['extra'] : undefined) ?? 'none' }
}

/** Whether a resource has an instance that its definition wants. */
function isWanted(surroundings: Surroundings, guResId: string, key: string): boolean {
  const resource = resourceNamed(surroundings, guResId)
  if (!resource || resource.metadata.deletionTimestamp !== undefined) return false
  const { driverType, driverInputs } = resource.spec.definition
  const { provisioned } = resource.status ?? {}
  const { innermost } = wrappedBy(surroundings, driverType)
  const wanted = instanceKey(guResId, innermost, valuesIn(driverInputs).zone)
  return (
    wanted === key && instanceKey(guResId, provisioned?.driverType ?? '', provisioned?.identity?.zone) === key
  )
}

/** The plain inputs of a definition. */
export function valuesIn(driverInputs: unknown): FreeForm {
  const values = isObject(driverInputs) ? driverInputs['values'] : undefined
  return isObject(values) ? values : {}
}
