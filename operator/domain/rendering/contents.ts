import { hash } from 'node:crypto'
import { compareText } from '../base/json.ts'
import { objectNames, shortHash } from '../module/names.ts'
import { type ModuleText, SecretText } from '../module/secret-text.ts'

/** One file of the pods: the volume that holds it, and its key there. */
export interface StoredFile {
  readonly volume: 'files' | 'secret-files'
  readonly key: string
}

interface Item {
  readonly key: string
  readonly mode: number | undefined
}

/** The texts of a workload that its ConfigMap and its Secret hold, collected while containers are rendered. */
export class Contents {
  readonly #workload: string
  readonly data = new Map<string, string>()
  readonly binaryData = new Map<string, string>()
  readonly #secrets = new Map<string, string>()
  /** The variables and files of the secrets, by key. */
  readonly #owners = new Map<string, string>()
  readonly #items = { files: new Map<string, Item>(), 'secret-files': new Map<string, Item>() }

  constructor(workload: string) {
    this.#workload = workload
  }

  /** Adds the secret text of a variable of a container; returns a reference to it. */
  addSecret(container: string, variable: string, text: SecretText) {
    const key = this.#secretKey(keyOf(`${container}.${variable}`), [container, variable])
    this.#secrets.set(key, text.reveal())
    return { secretKeyRef: { name: objectNames.secrets(this.#workload), key } }
  }

  /** Adds a file of a container. */
  addFile(
    container: string,
    path: string,
    {
      value = '',
      binary_value: binary,
      mode = '',
    }: { readonly value?: ModuleText; readonly binary_value?: string; readonly mode?: string },
  ): StoredFile {
    const plain = keyOf(`${container}.${shortHash(path)}`)
    const volume = value instanceof SecretText ? 'secret-files' : 'files'
    const key = volume === 'files' ? plain : this.#secretKey(plain, [container, 'file', path])
    if (value instanceof SecretText) this.#secrets.set(key, value.reveal())
    else if (binary === undefined) this.data.set(key, value)
    else this.binaryData.set(key, binary.replace(/\s/g, ''))
    this.#items[volume].set(key, { key, mode: mode === '' ? undefined : Number.parseInt(mode, 8) })
    return { volume, key }
  }

  #secretKey(plain: string, names: readonly string[]): string {
    const owner = JSON.stringify(names)
    // With a dot, the name can be that of another variable or file of another container: the first one keeps it.
    const isFree = (this.#owners.get(plain) ?? owner) === owner
    // Without a dot, no name of a variable or file gives it.
    const key = isFree ? plain : hash('sha256', owner)
    this.#owners.set(key, owner)
    return key
  }

  /** The content of the Secret in Base64, by key. */
  get secretData(): Record<string, string> {
    const encoded = [...this.#secrets].map(
      ([key, text]) => [key, Buffer.from(text).toString('base64')] as const,
    )
    return sortedObject(encoded)
  }

  get configData(): Record<string, string> {
    return sortedObject(this.data)
  }

  get configBinaryData(): Record<string, string> {
    return sortedObject(this.binaryData)
  }

  /** The volumes with the files. */
  volumes(): object[] {
    const items = (of: ReadonlyMap<string, Item>) =>
      [...of.values()]
        .sort((a, b) => compareText(a.key, b.key))
        .map(({ key, mode }) => ({ key, path: key, mode }))
    const { files, 'secret-files': secretFiles } = this.#items
    const config = { name: objectNames.files(this.#workload), items: items(files) }
    const secret = { secretName: objectNames.secrets(this.#workload), items: items(secretFiles) }
    return [
      ...(files.size > 0 ? [{ name: 'files', configMap: config }] : []),
      ...(secretFiles.size > 0 ? [{ name: 'secret-files', secret }] : []),
    ]
  }
}

const longestKey = 200

/** A key of a Secret or ConfigMap: readable, and unique for each name. */
function keyOf(name: string): string {
  const safe = name.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, longestKey)
  return safe === name ? name : `${safe}-${shortHash(name)}`
}

function sortedObject(entries: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries([...entries].sort(([a], [b]) => compareText(a, b)))
}
