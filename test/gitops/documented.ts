import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../operator/api/kind.ts'

const root = join(import.meta.dirname, '../../docs/gitops')
/** The organization of the documented repository. */
export const documentedOrganization = 'initech'

/** The objects of a folder of docs/gitops, by file; `organization` replaces the name of the documented one. */
export function documentedObjects(
  folder: string,
  organization: string = documentedOrganization,
): ReadonlyMap<string, readonly KubeObject[]> {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .sort()
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(root, folder, file), 'utf8')
      const documents = parseAllDocuments(text.replaceAll(documentedOrganization, organization))
      return [file, documents.map((each) => each.toJS() as KubeObject)] // Kubernetes objects, as the tests check
    }),
  )
}
