const loopbackPattern = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i

/** Whether a host, with or without its port, is this very machine, where nobody can listen in. */
export function isLoopback(host: string): boolean {
  return loopbackPattern.test(host)
}
