import { randomBytes } from 'node:crypto'
import { isBase64 } from '../../domain/base/base64.ts'
import { checkLength, FunctionFault } from '../limits.ts'
import { type Functions, textArgument, wholeArgument, withoutPrototypes } from '../values.ts'
import { parseYaml, yamlText } from '../yaml.ts'
import { jsonText } from './json-text.ts'

const fromJson = (text: unknown) => {
  const json = textArgument(text)
  try {
    return withoutPrototypes(JSON.parse(json))
  } catch {
    throw new FunctionFault('takes JSON, and this is none')
  }
}
/** The text of base64 with its padding, which may have line breaks. */
const b64dec = (text: unknown) => {
  const base64 = textArgument(text).replace(/[\r\n]/g, '')
  if (!isBase64(base64)) throw new FunctionFault('takes base64, and this is none')
  return Buffer.from(base64, 'base64').toString()
}
/** Random bytes in base64. */
const randBytes = (count: unknown) => {
  const bytes = wholeArgument(count)
  checkLength(bytes)
  return randomBytes(Math.max(0, bytes)).toString('base64')
}
const fromYaml = (text: unknown) => parseYaml(textArgument(text))

/** Functions of JSON, YAML and base64. */
export const encodingFunctions: Functions = {
  toJson: (value) => jsonText(value),
  toRawJson: (value) => jsonText(value, { raw: true }),
  toPrettyJson: (value) => jsonText(value, { indent: '  ' }),
  b64dec,
  randBytes,
  fromJson,
  fromJsonArray: fromJson,
  toYaml: yamlText,
  fromYaml,
  fromYamlArray: fromYaml,
}
