/** Headers and TLS options of a request, at most half a minute old. */
export interface Credentials {
  readonly headers: Record<string, string>
  readonly tls: {
    readonly ca?: string
    readonly cert?: string
    readonly key?: string
    readonly rejectUnauthorized?: boolean
    readonly servername?: string
  }
}
