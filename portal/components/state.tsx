/** How something is doing, as colour and symbol. */
export type Tone = 'good' | 'wait' | 'bad' | 'off'

const symbols: Readonly<Record<Tone, string>> = { good: '✓', wait: '…', bad: '!', off: '–' }

/** A state in a word, with a symbol, so that it does not depend on colours. */
export function State({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span class={`state state-${tone}`}>
      <span aria-hidden="true">{symbols[tone]}</span> {children}
    </span>
  )
}
