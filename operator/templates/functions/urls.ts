import { dictArgument, dictOf, type Functions, own, textArgument } from '../values.ts'

const parts = /^(?:([a-zA-Z][\w+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s

/** Functions of URLs. */
export const urlFunctions: Functions = {
  urlParse: (url) => {
    const [, scheme = '', userinfo = '', host = '', path = '', query = '', fragment = ''] =
      parts.exec(textArgument(url)) ?? []
    const isOpaque = scheme !== '' && host === '' && !path.startsWith('/')
    const hostname = host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
    const [opaque, shown] = isOpaque ? [path, ''] : ['', path]
    return dictOf(Object.entries({ scheme, userinfo, host, hostname, path: shown, query, fragment, opaque }))
  },
  urlJoin: (dict) => {
    const given = dictArgument(dict)
    const part = (name: string) => {
      const value = own(given, name)
      return value === undefined || value === null ? '' : textArgument(value)
    }
    const [scheme, userinfo, host, opaque] = ['scheme', 'userinfo', 'host', 'opaque'].map(part)
    const authority = host === '' ? '' : `//${userinfo === '' ? '' : `${userinfo}@`}${host}`
    const path = part('path')
    const isApart = authority !== '' && path !== '' && !path.startsWith('/')
    const tail = opaque === '' ? `${authority}${isApart ? '/' : ''}${path}` : opaque
    const query = part('query')
    const fragment = part('fragment')
    return `${scheme === '' ? '' : `${scheme}:`}${tail}${query === '' ? '' : `?${query}`}${fragment === '' ? '' : `#${fragment}`}`
  },
}
