import { apiConfig, PublicApi, ResponseError } from '@humanitec/autogen'
import { expect, test } from '@jest/globals'
import { eventually, makeTestOrganization, type Organization } from '../support/client.ts'
import { type SharedCluster, sharedCluster } from '../support/shared-cluster.ts'

/** Model checks of a published SDK: whether a value has all fields that the SDK requires. */
type Model = (value: object) => boolean

/** A call of the SDK, the model of its result (none without a body), and the expected values. */
type Step = readonly [title: string, call: () => Promise<unknown>, model?: Model, expected?: unknown]

/** The published TypeScript SDK of v1, as a client of the gateway. */
export function sdkOf({ gatewayUrl, adminToken }: SharedCluster, token = adminToken): PublicApi {
  return new PublicApi(apiConfig({ apiHost: gatewayUrl, token, internalApp: 'sdk-test/1' }))
}

/** A new organization, once its administrator may use it. */
export async function sdkOrganization(api: PublicApi): Promise<Organization> {
  const organization = await makeTestOrganization(sharedCluster(), 'sdk')
  await eventually('access to the organization', 30_000, () =>
    api.getOrganization({ orgId: organization.id }).catch(() => undefined),
  )
  return organization
}

/** The required fields of a model: those that its check reads. */
function fieldsOf(model: Model): string[] {
  const fields: string[] = []
  const recorder = new Proxy(
    {},
    {
      has(_, field) {
        fields.push(String(field))
        return true
      },
    },
  )
  model(recorder)
  return fields
}

function isLacking(value: unknown): boolean {
  return value === undefined || (value instanceof Date && Number.isNaN(value.getTime()))
}

/** Expects an answer that the SDK parses completely, with the expected values. */
export async function expectAnswer(call: Promise<unknown>, model?: Model, expected?: unknown): Promise<void> {
  const answer = await call.catch(async (error: unknown) => {
    if (!(error instanceof ResponseError)) throw error
    throw new Error(`${error.response.status} ${await error.response.text()}`, { cause: error })
  })
  if (model === undefined) expect(answer).toBeUndefined()
  for (const each of model === undefined ? [] : ([answer].flat() as Record<string, unknown>[])) {
    expect(fieldsOf(model ?? (() => true)).filter((field) => isLacking(each[field]))).toEqual([])
  }
  if (expected === undefined) return
  if (!Array.isArray(expected)) expect(answer).toMatchObject(expected as object)
  else if (expected.length === 0) expect(answer).toEqual([])
  else expect(answer).toEqual(expect.arrayContaining(expected.map((each) => expect.objectContaining(each))))
}

/** Tests of steps that build on each other. */
export function followSteps(steps: readonly Step[]): void {
  // Rows of different lengths would be called with a callback.
  const rows = steps.map(([title, call, model, expected]) => ({ title, call, model, expected }))
  test.each(rows)('$title', ({ call, model, expected }) => expectAnswer(call(), model, expected))
}

/** Status and body of a refusal, as the SDK hands it to its caller. */
export async function refusalOf(call: Promise<unknown>): Promise<{ status: number; body: unknown }> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ResponseError)) throw new Error('the call was not refused', { cause: error })
  return { status: error.response.status, body: await error.response.json() }
}
