const loopbackPattern = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i

/** Whether a host, with or without a port, is the local machine. */
export function isLoopback(host: string): boolean {
  return loopbackPattern.test(host)
}
