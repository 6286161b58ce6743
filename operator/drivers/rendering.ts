import type { FreeForm } from '../api/schema.ts'
import { Stalled, Waiting } from '../domain/base/errors.ts'
import { type Results, type Step, type Templates, TemplatesFailed } from '../templates/templates.ts'
import type { ProvisionRequest } from './driver.ts'

const soonSeconds = 5

/** The data of every template of a resource. */
export function templateData(request: ProvisionRequest): FreeForm {
  const { guResId, type, namespace, params, values, secrets } = request
  return {
    id: guResId,
    type,
    class: request.class,
    namespace,
    resource: params,
    driver: { values: withoutTemplates(values), secrets: withoutTemplates(secrets) },
  }
}

/** The inputs without the templates. */
export function withoutTemplates({ templates: _, ...rest }: FreeForm): FreeForm {
  return rest
}

const stalledReasons = {
  Invalid: 'InvalidTemplate',
  TooSlow: 'TemplateTooSlow',
  TooLarge: 'TemplateTooLarge',
} as const

/** Renders templates of a definition; Stalled when its author must act, Waiting when an object is not ready. */
export async function renderTemplates(
  templates: Templates,
  steps: readonly Step[],
  data: FreeForm,
  { context, signal }: Pick<ProvisionRequest, 'context' | 'signal'>,
): Promise<Results> {
  try {
    return await templates.render(context.organizationId, steps, data, signal)
  } catch (error) {
    if (!(error instanceof TemplatesFailed)) throw error
    const { reason, message } = error
    if (reason === 'NotYet') throw new Waiting('OutputsNotReady', message, soonSeconds)
    if (reason === 'Busy') throw new Waiting('TemplatesBusy', message, soonSeconds)
    throw new Stalled(stalledReasons[reason], message)
  }
}
