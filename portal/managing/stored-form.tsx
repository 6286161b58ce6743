import { type ComponentChildren, Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { ChangedMeanwhile, differsIn } from './changed.ts'

/** The stored object that a form changes. */
export interface Stored<T> {
  /** The object as the form began with it. */
  readonly initial: T
  /** Reads the object again; throws if someone else has changed one of these fields, which a request is to replace. */
  readonly verify: (fields: readonly string[]) => Promise<void>
  /** Takes these fields from the object that a request of the form has stored. */
  readonly saved: (fields: readonly string[], object: object) => void
}

interface Props<T> {
  /** The object, for messages, for example `type 'acme/s3'`. */
  readonly what: string
  readonly object: T
  readonly read: () => Promise<T>
  /** Called when the user loads the present state. */
  readonly onLoad?: () => void
  readonly children: (stored: Stored<T>) => ComponentChildren
}

/** A form that begins with a stored object, and again when the user loads what someone else has changed meanwhile. */
export function StoredForm<T extends object>({ what, object, read, onLoad, children }: Props<T>) {
  const [{ initial, loads }, setBeginning] = useState({ initial: object, loads: 0 })
  const stored: Stored<T> = {
    initial,
    async verify(fields) {
      const present = await read()
      if (!differsIn(fields, initial, present)) return
      throw new ChangedMeanwhile(what, () => {
        setBeginning({ initial: present, loads: loads + 1 })
        onLoad?.()
      })
    },
    saved(fields, answer) {
      const known = Object.entries(answer).filter(([field]) => fields.includes(field))
      setBeginning((latest) => ({ ...latest, initial: { ...latest.initial, ...Object.fromEntries(known) } }))
    },
  }
  return <Fragment key={loads}>{children(stored)}</Fragment>
}
