import { misspelt } from './domain/base/nearest.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The variables, of which each name that is read is added to `names`. */
export function recordNames(environment: Environment, names: Set<string>): Environment {
  return new Proxy(environment, {
    get(variables, name) {
      names.add(String(name))
      return variables[String(name)]
    },
  })
}

/** Messages about variables that misspell a known setting that is absent. */
export function misspeltSettings(environment: Environment, known: readonly string[]): string[] {
  const absent = known.filter((name) => environment[name] === undefined)
  return Object.keys(environment)
    .filter((name) => name.startsWith('QUARTERMASTER_') && !known.includes(name))
    .flatMap((name) => {
      const meant = misspelt(name, absent)
      return meant === undefined ? [] : [`the variable '${name}' is no setting; did you mean '${meant}'?`]
    })
}
