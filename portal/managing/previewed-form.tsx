import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { DefinitionPreview } from '../api/types.ts'
import type { SchemaFormHandle } from '../forms/use-schema-form.ts'
import { CheckedForm } from './checked-form.tsx'
import { FormProblem } from './form-problem.tsx'
import { PreviewView } from './preview-view.tsx'
import { useAction } from './use-action.ts'

interface Props {
  readonly label: string
  readonly forms: readonly SchemaFormHandle[]
  /** Text of the button that saves. */
  readonly button: string
  /** Called before each request; throws if someone else has changed what the form began with. */
  readonly verify?: () => Promise<void>
  readonly preview: () => Promise<DefinitionPreview>
  readonly save: () => Promise<unknown>
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

interface Previewed {
  readonly preview: DefinitionPreview
  /** The values that the preview is of. */
  readonly values: readonly unknown[]
}

/** A form that can be saved only after a preview of these values. */
export function PreviewedForm({ label, forms, button, verify, preview, save, actions, children }: Props) {
  const [previewed, setPreviewed] = useState<Previewed | undefined>(undefined)
  const saving = useAction()
  const verified = async <T,>(send: () => Promise<T>): Promise<T> => {
    await verify?.()
    return send()
  }
  const values = forms.map(({ value }) => value)
  const shown = previewed?.values.every((each, at) => each === values[at]) ? previewed.preview : undefined
  return (
    <CheckedForm
      label={label}
      forms={forms}
      button="Preview"
      isPrimary={!shown}
      onSubmit={async () => setPreviewed({ preview: await verified(preview), values })}
      result={
        <>
          {shown && <PreviewView preview={shown} />}
          {saving.problem && <FormProblem problem={saving.problem} />}
        </>
      }
      actions={
        <>
          {shown && (
            <button
              type="button"
              class="primary"
              disabled={saving.isBusy}
              onClick={() => {
                if (forms.map((each) => each.check()).every(Boolean)) void saving.run(() => verified(save))
              }}
            >
              {button}
            </button>
          )}
          {actions}
        </>
      }
    >
      {children}
    </CheckedForm>
  )
}
