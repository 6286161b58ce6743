import { eventually, type Organization } from '../support/client.ts'
import { remoteDrivers, types } from './definitions/definitions.ts'
import { ownBucket, type TypeForm, typeOf } from './definitions/types.ts'
import { removeBy } from './doors.ts'
import type { DirectDoor } from './step.ts'

/** Part of every secret of a history. */
export const canary = 'canary-of-the-histories'

const endsWithinMs = 60_000

/** What the definitions and modules of an organization need beside Secrets; all of it can be missing for a time. */
export interface Supplies {
  /** Changes a type. Tags that were secret once are secret in all later forms. */
  setType(type: (typeof types)[number], form: TypeForm, door: DirectDoor): Promise<unknown>
  setLevel(to: string, door: DirectDoor): Promise<unknown>
  /** Takes the secret shared value `TOKEN` from the Secret `token`, or changes it over REST. */
  setToken(to: number, door: DirectDoor): Promise<unknown>
  /** Takes the credentials of the account from the Secret `cloud`, or changes them over REST. */
  setAccount(to: number, door: DirectDoor): Promise<unknown>
  /** Deletes one of them. Over REST, one that is in use stays. */
  removeOne(at: number, door: DirectDoor): Promise<unknown>
  /** Makes what is missing again, as it was. */
  restore(): Promise<void>
}

/** An object that can be missing. */
interface Supply {
  readonly plural: string
  readonly name: string
  /** Its path over REST. */
  readonly path: string
  make(): Promise<unknown>
}

/** Makes the supplies of an organization, whose drivers are at the target. */
export async function makeSupplies(organization: Organization, target: string): Promise<Supplies> {
  const forms = new Map<string, TypeForm>()
  const typesOfSecretTags = new Set<string>()

  /** Changes something over REST, unless it is missing or a quota has no room for its Secret. */
  async function change(path: string, body: object): Promise<void> {
    const { status, body: answer } = await organization.rest('PATCH', path, body)
    if (status >= 300 && status !== 404 && answer?.error !== 'QuotaExceeded')
      throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`)
  }

  const typePath = (type: string) => `/resources/types/${encodeURIComponent(`${organization.id}/${type}`)}`
  const setValue = (key: string, value: object) =>
    organization.apply('sharedvalues', 'SharedValue', key.toLowerCase(), {
      applicationName: 'shop',
      key,
      ...value,
    })

  const supplies: Supplies = {
    setType(type, form, door) {
      if (form === 'secret tags') typesOfSecretTags.add(type)
      forms.set(type, form)
      const spec = typeOf(form, typesOfSecretTags.has(type))
      return door === 'kubectl'
        ? organization.apply('resourcetypes', 'ResourceType', type, spec)
        : change(typePath(type), {
            use: spec.use,
            inputs_schema: spec.inputsSchema,
            outputs_schema: spec.outputsSchema,
          })
    },
    setLevel: (to, door) =>
      door === 'kubectl'
        ? setValue('LEVEL', { value: to })
        : change('/apps/shop/values/LEVEL', { value: to }),
    setToken: (to, door) =>
      door === 'kubectl'
        ? setValue('TOKEN', { secret: { secret: 'token', key: 'key' } })
        : change('/apps/shop/values/TOKEN', { secret_ref: { value: `${canary}-value-${to}` } }),
    setAccount: (to, door) =>
      door === 'kubectl'
        ? organization.apply('resourceaccounts', 'ResourceAccount', 'cloud', {
            type: 'any',
            credentialsSecretName: 'cloud',
          })
        : change('/resources/accounts/cloud', { credentials: { key: `${canary}-account-${to}` } }),
    removeOne: (at, door) => removeBy(door, organization, all[at % all.length] as Supply), // there are some
    async restore() {
      for (const { plural, name, make } of all) {
        const isThere = await eventually(`the end of '${name}'`, endsWithinMs, async () => {
          const found = await organization.get(plural, name)
          return found?.metadata.deletionTimestamp ? undefined : { found: found !== undefined }
        })
        if (!isThere.found) await make()
      }
    },
  }
  const all: readonly Supply[] = [
    ...types.map((type) => ({
      plural: 'resourcetypes',
      name: type,
      path: typePath(type),
      make: () => supplies.setType(type, forms.get(type) ?? 'usual', 'kubectl'),
    })),
    ...types.flatMap((type) => remoteDrivers.map((driver) => driverOf(organization, driver, type, target))),
    {
      plural: 'resourceaccounts',
      name: 'cloud',
      path: '/resources/accounts/cloud',
      make: () => supplies.setAccount(0, 'kubectl'),
    },
    {
      plural: 'sharedvalues',
      name: 'level',
      path: '/apps/shop/values/LEVEL',
      make: () => supplies.setLevel('start', 'kubectl'),
    },
    {
      plural: 'sharedvalues',
      name: 'token',
      path: '/apps/shop/values/TOKEN',
      make: () => supplies.setToken(0, 'kubectl'),
    },
  ]
  await supplies.restore()
  await organization.apply('resourcetypes', 'ResourceType', 's3', ownBucket)
  return supplies
}

function driverOf(
  organization: Organization,
  driver: (typeof remoteDrivers)[number],
  type: string,
  target: string,
): Supply {
  const name = `${driver}-${type}`
  return {
    plural: 'resourcedrivers',
    name,
    path: `/resources/drivers/${name}`,
    make: () =>
      organization.apply('resourcedrivers', 'ResourceDriver', name, {
        type: `${organization.id}/${type}`,
        target,
        accountTypes: driver === 'keeper' ? ['any'] : [],
      }),
  }
}
