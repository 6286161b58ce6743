import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Request, RequestHandler } from 'express'
import { checkRateLimit, type RateLimit } from '../rate-limit.ts'
import { addressKey, sourceAddress } from '../request/source-address.ts'
import { send } from '../response/send.ts'

/** Paths of the pages of the portal; none is a path of the REST API. */
export const portalPaths = ['/', '/o/*page']

/** Content security policy of the portal: its own files only, nothing inline. */
export const portalPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The folder with the built portal: next to the bundle. Running from source, there is none unless it is given. */
export const portalBesideBundle = new URL('portal/', import.meta.url)

/** Handlers of the pages and files of the portal. */
export interface Portal {
  readonly page: RequestHandler
  readonly file: RequestHandler
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Serves the portal from a folder; undefined if the folder does not exist. */
export function createPortal(folder: URL, limit: RateLimit): Portal | undefined {
  if (!existsSync(new URL('index.html', folder))) return undefined
  const names = new Set(readdirSync(new URL('assets/', folder)))
  const contents = new Map<string, Buffer>()
  const read = async (name: string): Promise<Buffer> => {
    const content = contents.get(name) ?? (await readFile(new URL(name, folder)))
    contents.set(name, content)
    return content
  }
  return {
    page: async (request, response, next) => {
      if (!request.accepts('html')) {
        next()
        return
      }
      checkRateLimit(limit, addressKey(sourceAddress(request)))
      response.locals['route'] = '/'
      const html = (await read('index.html')).toString().replaceAll('"./', `"${rootFrom(request.path)}`)
      send(request, response, {
        status: 200,
        text: { contentType: 'text/html; charset=utf-8', content: html },
        headers: { 'content-security-policy': portalPolicy, 'cache-control': 'no-cache' },
      })
    },
    file: async (request, response, next) => {
      const name = fileName(request)
      if (!names.has(name) || types[extensionOf(name)] === undefined) {
        next()
        return
      }
      checkRateLimit(limit, addressKey(sourceAddress(request)))
      response.locals['route'] = '/assets/{file}'
      const [encoding, ending] = encodings.find(
        ([each, suffix]) => accepts(request, each) && names.has(name + suffix),
      ) ?? [undefined, '']
      send(request, response, {
        status: 200,
        text: { contentType: types[extensionOf(name)] ?? '', content: await read(`assets/${name}${ending}`) },
        headers: {
          // The name of a file changes with its content.
          'cache-control': 'public, max-age=31536000, immutable',
          vary: 'Accept-Encoding',
          ...(encoding ? { 'content-encoding': encoding } : {}),
        },
      })
    },
  }
}

/** Path from a page to the root: a proxy may add a prefix that the gateway does not see. */
function rootFrom(path: string): string {
  return '../'.repeat(path.split('/').length - 2) || './'
}

function fileName({ params }: Request): string {
  const { file = '' } = params
  return typeof file === 'string' ? file : ''
}

function extensionOf(name: string): string {
  return name.split('.').at(-1) ?? ''
}

function accepts(request: Request, encoding: string): boolean {
  const given = (request.get('accept-encoding') ?? '').toLowerCase().replaceAll(/\s/g, '').split(',')
  return given.some(
    (each) => each === encoding || (each.startsWith(`${encoding};`) && !/;q=0(\.0*)?$/.test(each)),
  )
}
