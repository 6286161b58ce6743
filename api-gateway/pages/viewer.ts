import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A file that the page of the reference consists of. */
export interface ViewerFile {
  readonly contentType: string
  readonly content: string | Buffer
  readonly etag: string
}

/** Swagger UI and what we add to it, by name; read when first asked for, and kept. */
export interface Viewer {
  file(name: string): Promise<ViewerFile | undefined>
}

// Only what differs from the viewer's own choice. The token stays in the memory of the page.
const startScript = `SwaggerUIBundle({
  url: new URL('openapi.json', document.baseURI).href,
  domNode: document.querySelector('#viewer'),
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  persistAuthorization: false,
  validatorUrl: null,
})
`

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
}

/** What is served as it comes from the package of the viewer. */
export const viewerFiles: readonly string[] = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
]

const ours: Readonly<Record<string, string>> = { 'start.js': startScript }

/** The files of the viewer: of the bundle those beside it, of the source those of the package. */
export function createViewer(): Viewer {
  const beside = join(import.meta.dirname, 'viewer')
  const folder = existsSync(beside)
    ? beside
    : join(import.meta.dirname, '..', '..', 'node_modules', 'swagger-ui-dist')
  const files = new Map<string, Promise<ViewerFile>>()

  async function read(name: string): Promise<ViewerFile> {
    const content = ours[name] ?? (await readFile(join(folder, name)))
    const etag = `"${createHash('sha256').update(content).digest('base64url')}"`
    return { contentType: types[name.split('.').at(-1) ?? ''] ?? '', content, etag }
  }

  return {
    async file(name) {
      if (!viewerFiles.includes(name) && !Object.hasOwn(ours, name)) return undefined
      const known = files.get(name) ?? read(name)
      files.set(name, known)
      return known
    },
  }
}

/** The page of the reference. */
export const viewerPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference – Quartermaster</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<script src="docs/swagger-ui-bundle.js" defer></script>
<script src="docs/start.js" defer></script>
</head>
<body>
<main id="viewer"></main>
<noscript><p>This page requires JavaScript. The same description is available as <a href="openapi.json">openapi.json</a>.</p></noscript>
</body>
</html>
`

/** What the page may do: run what we serve, and speak to us alone. */
export const viewerPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
