import type { PlainDelta } from '../../api/types.ts'

/** One change of a deployment set, in words. */
export interface SetChange {
  readonly sign: '+' | '−' | '~'
  readonly what: string
  readonly value: unknown
}

type Operation = PlainDelta['shared'][number]

/** The changes of a delta, one for each workload that is added or removed and one for each patch operation. */
export function changesOf({ modules, shared }: PlainDelta): SetChange[] {
  return [
    ...Object.entries(modules.add).map(
      ([name, value]): SetChange => ({ sign: '+', what: `workload ${name}`, value }),
    ),
    ...modules.remove.map((name): SetChange => ({ sign: '−', what: `workload ${name}`, value: undefined })),
    ...Object.entries(modules.update).flatMap(([name, operations]) =>
      operations.map((each) => changeOf(`workload ${name}`, each)),
    ),
    ...shared.map((each) => changeOf('shared', each)),
  ]
}

const signs = { add: '+', remove: '−', replace: '~' } as const

function changeOf(where: string, { op, path, value }: Operation): SetChange {
  return { sign: signs[op], what: `${where}: ${nameOf(path)}`, value: op === 'remove' ? undefined : value }
}

/** A JSON pointer as names. */
function nameOf(path: string): string {
  return path
    .split('/')
    .slice(1)
    .map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join(' › ')
}
