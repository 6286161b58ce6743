import { hash } from 'node:crypto'
import type { EndpointResponse } from '../endpoint.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 1rem }
code, pre { font-family: ui-monospace, monospace; font-size: .9em }
pre { overflow-x: auto; padding: .5rem; border: 1px solid GrayText }
summary { cursor: pointer; padding: .2rem 0 }
summary b { display: inline-block; min-width: 4.5rem }
details > div { margin: 0 0 1rem 1rem; scroll-margin-top: 2rem }
ul { padding-left: 1.2rem }
nav ul { columns: 14rem; list-style: none; padding: 0 }
i { color: GrayText }
label, input, button, output { display: block; margin: .5rem 0; font: inherit }
input { width: 100%; max-width: 40rem; box-sizing: border-box; padding: .4rem }
`

/** Returns a complete page; `body` is HTML, `script` is JavaScript. */
export function htmlPage(title: string, body: string, script: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
<script>${script}</script>
</body>
</html>
`
}

/** Allows only the style and the script of the page, which may connect to the gateway only. */
export function contentPolicy(script: string): string {
  return [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function hashOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`
}

/** Returns the response with a page. */
export function htmlAnswer(content: string, policy: string): EndpointResponse {
  return {
    status: 200,
    text: { contentType: 'text/html; charset=utf-8', content },
    headers: { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' },
  }
}
