import type { Tone } from './tones.ts'

/** A state in a word, so that it does not depend on colours. */
export function State({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return <span class={`state state-${tone}`}>{children}</span>
}
