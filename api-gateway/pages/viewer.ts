import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** A file of the API reference page. */
export interface ViewerFile {
  readonly contentType: string
  readonly content: string | Buffer
  readonly etag: string
}

/** Reads the files of Swagger UI and the start script on first use and caches them. */
export interface Viewer {
  file(name: string): Promise<ViewerFile | undefined>
}

// Only settings that differ from the defaults. The page keeps the token in memory. The document does not know the prefix that
// a proxy adds to all paths.
const startScript = `const address = new URL('openapi.json', document.baseURI).href
const gateway = new URL('.', address).href.slice(0, -1)
const withGateway = (update) => (json) =>
  update({ ...json, servers: json.servers?.map((server) => ({ ...server, url: gateway })) })

SwaggerUIBundle({
  url: address,
  plugins: [() => ({ statePlugins: { spec: { wrapActions: { updateJsonSpec: withGateway } } } })],
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

/** Files from the package of Swagger UI. */
export const viewerFiles: readonly string[] = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
]

const ownFiles: Readonly<Record<string, string>> = { 'start.js': startScript }

/** Reads the files next to the bundle, or from node_modules when run from source. */
export function createViewer(): Viewer {
  const beside = new URL('viewer/', import.meta.url)
  const folder = existsSync(beside) ? beside : new URL('../../node_modules/swagger-ui-dist/', import.meta.url)
  const files = new Map<string, ViewerFile>()

  async function read(name: string): Promise<ViewerFile> {
    const content = ownFiles[name] ?? (await readFile(new URL(name, folder)))
    const etag = `"${hash('sha256', content, 'base64url')}"`
    return { contentType: types[name.split('.').at(-1) ?? ''] ?? '', content, etag }
  }

  return {
    async file(name) {
      if (!viewerFiles.includes(name) && !Object.hasOwn(ownFiles, name)) return undefined
      const found = files.get(name) ?? (await read(name))
      files.set(name, found)
      return found
    },
  }
}

/** HTML of the API reference page. */
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

/** Content security policy of the API reference page. */
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
