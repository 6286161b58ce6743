import { map, object, string } from '../../api/schema.ts'
import { problemsOfGoTemplates } from '../../domain/placeholder/go-template.ts'
import type { DriverDescriptor } from '../../domain/resource/driver.ts'

const maxLength = 262_144

/** A text that is a template, or data whose texts are templates. */
function template(description: string) {
  return { ...string(description, { maxLength }), type: ['string', 'object', 'array', 'null'] }
}

const init = template('Template whose result all others see as `.init`.')
const cookie = template(
  'Template whose result is kept: all others see it as `.cookie`, and this one at the next time.',
)
const manifests = template(
  'Template of a map of manifests: `location` (`namespace`, `cluster`, or `containers` and `volumes` of the workloads that use the resource) and `data`, the object or YAML of it.',
)
const secretOutputs = template('Template of the secret outputs: a text that gives YAML, or a map of texts.')

/** The plain inputs of the driver; templates can read further ones. */
export const templateValues = object(
  {},
  {
    templates: object(
      {},
      {
        init,
        cookie,
        manifests,
        outputs: template(
          'Template of the outputs: a text that gives YAML, or a map of texts. It sees each applied object as `.objects.<manifest>`; `await .objects.db "status.ip"` waits for a field, `awaitCondition .objects.db "Ready"` for a condition.',
        ),
        secrets: secretOutputs,
      },
      'Go templates with the functions of sprig: texts that give YAML, or data whose texts are templates. They see `.id`, `.type`, `.class`, `.namespace`, `.resource`, `.driver.values` and `.driver.secrets`.',
    ),
    observed: map(
      object(
        {
          apiVersion: string('API version of the object.'),
          kind: string('Kind of the object.'),
          name: string('Template of its name.', { maxLength: 4096 }),
        },
        {},
        'An object that another client makes in the namespace of the environment.',
      ),
      'Objects of other clients in the namespace of the environment, which templates of outputs see as `.observed.<name>`; Secrets only those of secret outputs, without values that are no UTF-8.',
      { maxProperties: 20 },
    ),
  },
  'Inputs of the template driver.',
)

export const templateDescriptor: DriverDescriptor = {
  name: 'template',
  description: 'Makes the objects and outputs that the Go templates of the definition give.',
  account: { types: [], required: false },
  values: templateValues,
  secrets: object(
    {},
    {
      templates: object(
        {},
        { init, cookie, manifests, outputs: secretOutputs, secrets: secretOutputs },
        'Go templates that hold secrets.',
      ),
    },
    'Secrets that templates see as `.driver.secrets`.',
  ),
  neighbours: {},
  takesIngressRules: false,
  keepsCookie: true,
  templatesReadInputs: () => true,
  check: ({ values }) => ({
    problems: [
      ...problemsOfGoTemplates(values.templates, 'templates'),
      ...problemsOfGoTemplates(values.observed, 'observed'),
    ],
    warnings: [],
  }),
  replaceOnChangeOf: [],
}
