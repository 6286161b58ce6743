import { FunctionFault } from '../limits.ts'
import { type Functions, textArgument, withoutPrototypes } from '../values.ts'
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
const fromYaml = (text: unknown) => parseYaml(textArgument(text))

/** Functions of JSON and YAML. */
export const encodingFunctions: Functions = {
  toJson: (value) => jsonText(value),
  toRawJson: (value) => jsonText(value, { raw: true }),
  toPrettyJson: (value) => jsonText(value, { indent: '  ' }),
  fromJson,
  fromJsonArray: fromJson,
  toYaml: yamlText,
  fromYaml,
  fromYamlArray: fromYaml,
}
