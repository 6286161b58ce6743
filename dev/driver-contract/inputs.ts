import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { Failure } from './failure.ts'

export type Json = Record<string, unknown>

/** The body of a PUT. */
export interface DriverInputs {
  readonly type: string
  readonly resource: Json
  readonly driver: { readonly values: Json; readonly secrets: Json }
}

export interface ContractInputs {
  readonly given: DriverInputs
  /** A second version of the inputs of the same resource. */
  readonly changed?: DriverInputs
  /** Inputs that the driver must refuse. */
  readonly bad?: DriverInputs
}

/** Texts that are too short to be looked for are no evidence when they are found. */
const shortestEvidence = 8

/** What `--inputs` holds, with what is missing filled in; a file is YAML or JSON. */
export async function loadInputs(file?: string, type?: string): Promise<ContractInputs> {
  if (file === undefined) return contractInputs({}, type)
  const content: unknown = parse(await readFile(file, 'utf8'))
  if (!isJson(content))
    throw new Failure(`'${file}' must contain an object with 'type', 'resource' and 'driver'`)
  return contractInputs(content, type)
}

/** The inputs for all cases; where no secrets are given, one is made up, to be looked for in what comes back. */
export function contractInputs(content: Json, type?: string): ContractInputs {
  const given = inputsOf(content, {
    type: type ?? 's3',
    resource: {},
    driver: { values: {}, secrets: decoy() },
  })
  const { changed, bad } = content
  return {
    given: { ...given, ...(type === undefined ? {} : { type }) },
    ...(isJson(changed) ? { changed: inputsOf(changed, given) } : {}),
    ...(isJson(bad) ? { bad: inputsOf(bad, given) } : {}),
  }
}

/** Texts of the inputs' secrets that must not be seen anywhere else. */
export function secretTexts(inputs: DriverInputs): string[] {
  return textsIn(inputs.driver.secrets).filter((text) => text.length >= shortestEvidence)
}

/** All texts in a value, at any depth. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function inputsOf(content: Json, fallback: DriverInputs): DriverInputs {
  const driver = isJson(content.driver) ? content.driver : {}
  return {
    type: typeof content.type === 'string' ? content.type : fallback.type,
    resource: isJson(content.resource) ? content.resource : fallback.resource,
    driver: {
      values: isJson(driver.values) ? driver.values : fallback.driver.values,
      secrets: isJson(driver.secrets) ? driver.secrets : fallback.driver.secrets,
    },
  }
}

function decoy(): Json {
  return { decoy: `decoy-${randomBytes(12).toString('hex')}` }
}
