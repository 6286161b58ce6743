import { Engine, type EngineConfig, EvalError, type FuncMap, TemplateError } from '@promptctl/go-template-js'
import { checkArguments } from './functions/arities.ts'
import { bounded, checkItems, FunctionFault, maxTextLength, NotYet } from './limits.ts'
import { createParsedTemplates, type Evaluate } from './parsed-templates.ts'
import { print } from './print.ts'
import { isDict, own, typeName } from './values.ts'

interface Scope {
  readonly dot: unknown
  readonly root: unknown
  readonly parent: Scope | undefined
  readonly vars: Map<string, unknown>
}

interface Place {
  readonly pos: TemplateError['pos']
}

interface Pipe extends Place {
  readonly decls: readonly { readonly idents: readonly string[] }[]
  readonly isAssign: boolean
}

interface Command extends Place {
  readonly args: readonly Omit<Node, 'pos'>[]
}

interface Node extends Place {
  readonly type: string
  readonly ident?: string
  /** A number as it is written. */
  readonly text?: string
}

interface Invocation extends Place {
  readonly pipe?: Pipe
}

interface Output {
  readonly out: string[]
  readonly source: string
}

/** The steps of an evaluation in the library, which calls them by name; some are not as in Go and are replaced here. */
interface Steps {
  readonly funcs: FuncMap
  evalIf(node: object, scope: Scope, output: Output): void
  evalWith(node: object, scope: Scope, output: Output): void
  evalPipe(pipe: Pipe, scope: Scope, output: Output): unknown
  evalPipeWithoutDecls(pipe: Pipe, scope: Scope, output: Output): unknown
  evalTemplateInvoke(node: Invocation, scope: Scope, output: Output): void
  evalBlock(node: Invocation, scope: Scope, output: Output): void
  evalCommand(command: Command, scope: Scope, output: Output, piped: { readonly kind: string }): unknown
  evalPrimary(node: Node, scope: Scope, output: Output): unknown
  resolveFieldChain(receiver: unknown, names: readonly string[], pos: Place['pos'], output: Output): unknown
  emitFromValue(value: unknown, output: Output): void
}

const Base = Engine as unknown as new (
  config: EngineConfig<string>,
) => Steps & { parse(text: string): { readonly _evaluate: Evaluate } } // private to the type checker alone

/** Renders Go templates; templates see own keys of maps alone, and the output is bounded. */
export function createGoEngine(funcs: FuncMap): { render(template: string, data: unknown): string } {
  let length = 0
  const count = (text: string) => {
    length += text.length
    if (length > maxTextLength) throw new FunctionFault(`more than ${maxTextLength} characters are rendered`)
    return text
  }
  const engine = new GoEngine({ fromString: count, toString: print, isT: isFragment, funcs })
  // The rest of what the library makes of a template describes it, and grows with the square of its depth.
  const parsed = createParsedTemplates((template) => engine.parse(template)._evaluate)
  return {
    render(template, data) {
      length = 0
      return bounded(parsed(template)(data).join(''))
    },
  }
}

function isFragment(_: unknown): _ is string {
  return false
}

class GoEngine extends Base {
  readonly #count: (text: string) => string

  constructor(config: EngineConfig<string>) {
    super(config)
    this.#count = config.fromString
    Object.setPrototypeOf(this.funcs, null) // a function is one of these, and none that every object has
  }

  // A variable is scoped to its branch.
  override evalIf(node: object, scope: Scope, output: Output): void {
    super.evalIf(node, within(scope), output)
  }

  override evalWith(node: object, scope: Scope, output: Output): void {
    super.evalWith(node, within(scope), output)
  }

  // `$x = …` changes the variable where it was declared, outside of a range too.
  override evalPipe(pipe: Pipe, scope: Scope, output: Output): unknown {
    if (!pipe.isAssign) return super.evalPipe(pipe, scope, output)
    const value = super.evalPipe({ ...pipe, decls: [], isAssign: false }, scope, output)
    for (const { idents } of pipe.decls) assign(idents[0] ?? '', value, scope, pipe, output)
    return value
  }

  // `range 3` counts 0, 1, 2.
  override evalPipeWithoutDecls(pipe: Pipe, scope: Scope, output: Output): unknown {
    const value = super.evalPipeWithoutDecls(pipe, scope, output)
    const isCount = typeof value === 'number' && Number.isInteger(value)
    if (value instanceof Date || typeof value === 'boolean' || (typeof value === 'number' && !isCount))
      throw new EvalError(`cannot range over ${typeName(value)}`, pipe.pos)
    if (typeof value !== 'number') return value
    try {
      checkItems(value)
    } catch (error) {
      throw located(error, pipe, 'range')
    }
    return Array.from({ length: Math.max(0, value) }, (_, i) => i)
  }

  // A template sees its argument as `.` and `$`, and no variables of its caller.
  override evalTemplateInvoke(node: Invocation, scope: Scope, output: Output): void {
    const { pipe, ...rest } = node
    super.evalTemplateInvoke(rest, alone(pipe && this.evalPipe(pipe, scope, output)), output)
  }

  override evalBlock(node: Invocation, scope: Scope, output: Output): void {
    const { pipe, ...rest } = node
    super.evalBlock(rest, alone(pipe && this.evalPipe(pipe, scope, output)), output)
  }

  override evalCommand(
    command: Command,
    scope: Scope,
    output: Output,
    piped: { readonly kind: string },
  ): unknown {
    const [{ ident: name } = {}, ...given] = command.args
    try {
      if (name !== undefined) checkArguments(name, given.length + (piped.kind === 'value' ? 1 : 0))
      return super.evalCommand(command, scope, output, piped)
    } catch (error) {
      throw located(error, command, name)
    }
  }

  // The name of a function among the arguments of another one is its result, and `0644` is octal.
  override evalPrimary(node: Node, scope: Scope, output: Output): unknown {
    if (node.type === 'Number' && /^[+-]?0[\d_]+$/.test(node.text ?? '')) return octal(node, output)
    try {
      if (node.type === 'Identifier') checkArguments(node.ident ?? '', 0)
      return super.evalPrimary(node, scope, output)
    } catch (error) {
      throw node.type === 'Identifier' ? located(error, node, node.ident) : error
    }
  }

  override resolveFieldChain(
    receiver: unknown,
    names: readonly string[],
    pos: Place['pos'],
    output: Output,
  ): unknown {
    let value = receiver
    for (const name of names) {
      if (value === undefined || value === null) return null
      if (!isDict(value)) {
        throw new EvalError(`cannot take the field '${name}' of ${typeName(value)}`, pos, {
          source: output.source,
        })
      }
      value = own(value, name)
    }
    // To Go, a key that is missing is nil.
    return value ?? null
  }

  override emitFromValue(value: unknown, output: Output): void {
    const text = value === undefined || value === null ? '<no value>' : print(value)
    output.out.push(this.#count(text))
  }
}

/** The error with its place; messages of the library's functions may contain data and are omitted. */
function located(error: unknown, { pos }: Place, name: string | undefined): unknown {
  if (!(error instanceof Error) || error instanceof TemplateError || error instanceof NotYet) return error
  if (error instanceof FunctionFault)
    return new EvalError(name ? `'${name}' ${error.message}` : error.message, pos)
  if (error instanceof RangeError) return error // of the stack or the length of a text, explained further up
  return new EvalError(`'${name ?? ''}' cannot take these arguments`, pos)
}

function octal({ text = '', pos }: Node, { source }: Output): number {
  const digits = text.replaceAll('_', '')
  if (/[89]/.test(digits)) throw new EvalError(`'${text}' is not an octal number`, pos, { source })
  return Number.parseInt(digits, 8)
}

function assign(name: string, value: unknown, scope: Scope, { pos }: Place, { source }: Output): void {
  for (let each: Scope | undefined = scope; each; each = each.parent) {
    if (!each.vars.has(name)) continue
    each.vars.set(name, value)
    return
  }
  throw new EvalError(`undefined variable ${name}`, pos, { source })
}

function within(scope: Scope): Scope {
  return { dot: scope.dot, root: scope.root, parent: scope, vars: new Map() }
}

function alone(value: unknown): Scope {
  return { dot: value, root: value, parent: undefined, vars: new Map() }
}
