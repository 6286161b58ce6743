import type { FreeForm } from '../../api/schema.ts'
import { isBase64 } from '../base/base64.ts'
import type { TextConverter } from './references.ts'
import type { ScoreContainer, ScoreFile, ScoreProbe, ScoreVolume } from './score-schema.ts'

type Path = readonly string[]

/** Converts a container of a Score document to one of a module. Absent fields stay absent. */
export function convertContainer(name: string, container: ScoreContainer, texts: TextConverter): FreeForm {
  const at = ['containers', name]
  const { image, command, args, variables, files, volumes, resources, livenessProbe, readinessProbe } =
    container
  return withoutAbsent({
    id: name,
    image: texts.convert(image, [...at, 'image'], 'command'),
    command: command && texts.convertAll(command, [...at, 'command'], 'command'),
    args: args && texts.convertAll(args, [...at, 'args'], 'command'),
    variables: variables && convertVariables(variables, [...at, 'variables'], texts),
    files: files && convertFiles(files, [...at, 'files'], texts),
    volume_mounts: volumes && convertVolumes(volumes, [...at, 'volumes'], texts),
    resources,
    liveness_probe: livenessProbe && convertProbe(livenessProbe, texts),
    readiness_probe: readinessProbe && convertProbe(readinessProbe, texts),
  })
}

/** The map without absent values. */
export function withoutAbsent(map: Readonly<Record<string, unknown>>): FreeForm {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined))
}

function convertVariables(
  variables: Readonly<Record<string, string>>,
  at: Path,
  texts: TextConverter,
): FreeForm {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, texts.convert(value, [...at, name])]),
  )
}

function convertFiles(files: ScoreContainer['files'], at: Path, texts: TextConverter): FreeForm {
  const entries = entriesByTarget<ScoreFile>(files ?? {}, at, texts)
  return Object.fromEntries(entries.map(([target, file, where]) => [target, convertFile(file, where, texts)]))
}

function convertFile(
  { mode, content, binaryContent, source, noExpand }: ScoreFile,
  at: Path,
  texts: TextConverter,
): FreeForm {
  if ([content, binaryContent, source].filter((each) => each !== undefined).length !== 1)
    texts.report(at, "must have exactly one of 'content', 'binaryContent' and 'source'")
  else if (source !== undefined)
    texts.report(
      [...at, 'source'],
      `names the file '${source}', which is not here; give its text as 'content'`,
    )
  if (binaryContent !== undefined && !isBase64(binaryContent.replaceAll(/\s/g, '')))
    texts.report([...at, 'binaryContent'], 'is not base64')
  const value =
    content && (noExpand === true ? texts.literal(content) : texts.convert(content, [...at, 'content']))
  return withoutAbsent({ mode, value, binary_value: binaryContent })
}

function convertVolumes(volumes: ScoreContainer['volumes'], at: Path, texts: TextConverter): FreeForm {
  const entries = entriesByTarget<ScoreVolume>(volumes ?? {}, at, texts)
  return Object.fromEntries(
    entries.map(([target, { source, path, readOnly }, where]) => [
      target,
      withoutAbsent({
        id: texts.convert(source, [...where, 'source']),
        // Paths in a volume begin with a slash in Score, and never in Kubernetes.
        sub_path: path?.replace(/^\/+/, ''),
        read_only: readOnly,
      }),
    ]),
  )
}

/** The items of a map by target, or of a list whose items have a target, each with its path. */
function entriesByTarget<T extends object>(
  items: Readonly<Record<string, T>> | readonly (T & { readonly target?: string })[],
  at: Path,
  texts: TextConverter,
): [target: string, item: T, at: Path][] {
  if (!isList(items)) return Object.entries(items).map(([target, item]) => [target, item, [...at, target]])
  const seen = new Set<string>()
  return items.map(({ target = '', ...item }, i) => {
    const where = [...at, String(i)]
    if (seen.has(target)) texts.report([...where, 'target'], `is '${target}' for the second time`)
    seen.add(target)
    return [target, item as T, where] // the rest is the item
  })
}

function isList<T>(items: object): items is readonly T[] {
  return Array.isArray(items)
}

/** A probe of a module. Its texts stay as they are. A command is preferred, as the specification says. */
function convertProbe({ httpGet, exec }: ScoreProbe, texts: TextConverter): FreeForm | undefined {
  if (exec) return { type: 'command', command: exec.command.map((each) => texts.unchanged(each)) }
  if (!httpGet) return undefined
  const { path, port, host, scheme, httpHeaders } = httpGet
  const headers = httpHeaders?.map(({ name, value }) => [name, texts.unchanged(value)])
  return withoutAbsent({
    type: 'http',
    path: path && texts.unchanged(path),
    port,
    host: host && texts.unchanged(host),
    scheme,
    headers: headers && Object.fromEntries(headers),
  })
}
