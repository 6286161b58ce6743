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
  /** Begins the form again with the object that a request of it has stored. */
  readonly begin: (object: T) => void
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

/**
 * A form that begins with a stored object, and again when the user saves it or loads what someone else has changed
 * meanwhile. What the page reads later does not change it.
 */
export function StoredForm<T extends object>({ what, object, read, onLoad, children }: Props<T>) {
  const [{ initial, times }, setBeginning] = useState({ initial: object, times: 1 })
  const begin = (present: T) => setBeginning((latest) => ({ initial: present, times: latest.times + 1 }))
  const stored: Stored<T> = {
    initial,
    async verify(fields) {
      const present = await read()
      if (!differsIn(fields, initial, present)) return
      throw new ChangedMeanwhile(what, () => {
        begin(present)
        onLoad?.()
      })
    },
    saved(fields, answer) {
      const known = Object.entries(answer).filter(([field]) => fields.includes(field))
      setBeginning((latest) => ({ ...latest, initial: { ...latest.initial, ...Object.fromEntries(known) } }))
    },
    begin,
  }
  return <Fragment key={times}>{children(stored)}</Fragment>
}
